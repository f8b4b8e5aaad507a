// Makes two components: the endpoint's handler, in a JavaScript engine (StarlingMonkey), and the
// search engine. `cargo xtask component` runs it, and links the two.
//
//   node build.mjs ENGINE OUT     (ENGINE: the search engine's module, OUT: a directory)

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { componentize } from "@bytecodealliance/componentize-js";
import { componentNew } from "@bytecodealliance/jco";
import { propertiesAsRanges } from "./character-properties.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const www = join(here, "..");
const esbuild = createRequire(join(www, "package.json"))("esbuild");

/** The version of WASI that StarlingMonkey is built for, and that of the interfaces in jco. */
const WASI = "0.2.10";
const WASI_OF_JCO = "0.2.12";
const INTERFACES = ["cli", "clocks", "filesystem", "http", "io", "random", "sockets"];

const [engine, out] = process.argv.slice(2);
if (out === undefined) {
  console.error("expected `node build.mjs ENGINE OUT`: the engine's module, and a directory");
  process.exit(1);
}

/** The handler as one script. Imports from hosts and from the engine stay imports. */
async function bundleHandler(file) {
  await esbuild.build({
    absWorkingDir: www,
    entryPoints: ["src/edge/component.ts"],
    outfile: file,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [
      {
        name: "component",
        setup(build) {
          build.onResolve({ filter: /^(wasi|findling):/ }, ({ path }) => ({
            path,
            external: true,
          }));
          build.onResolve({ filter: /\/wasm\/edge\/findling_engine$/ }, () => ({
            path: join(www, "src/edge/component-engine.ts"),
          }));
          build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
            contents: propertiesAsRanges(readFileSync(path, "utf8")),
            loader: "ts",
          }));
        },
      },
    ],
  });
}

/** Writes the interfaces of the handler's component into a directory. */
function writeInterfaces(directory) {
  const builtIn = join(here, "node_modules/@bytecodealliance/jco/lib/wit/builtin", WASI_OF_JCO);
  for (const name of INTERFACES) {
    const from = join(builtIn, `wasi-${name}`);
    const to = join(directory, "deps", name);
    mkdirSync(to, { recursive: true });
    for (const file of readdirSync(from)) {
      const text = readFileSync(join(from, file), "utf8");
      writeFileSync(join(to, file), text.replaceAll(WASI_OF_JCO, WASI));
    }
  }
  cpSync(join(www, "../crates/wasm/wit"), join(directory, "deps/engine"), { recursive: true });
  cpSync(join(here, "endpoint.wit"), join(directory, "endpoint.wit"));
}

rmSync(out, { recursive: true, force: true });
const interfaces = join(out, "wit");
mkdirSync(interfaces, { recursive: true });
writeInterfaces(interfaces);
const script = join(out, "handler.js");
await bundleHandler(script);
// The JavaScript engine says paths below the working directory in messages.
process.chdir(out);
const { component } = await componentize({
  sourcePath: relative(out, script),
  witPath: interfaces,
  worldName: "endpoint",
});
writeFileSync(join(out, "handler.wasm"), component);
writeFileSync(join(out, "findling-engine.wasm"), await componentNew(readFileSync(engine)));
