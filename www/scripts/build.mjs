// Builds dist/: the files that a site deploys next to its bundle, the Worker's handler, the types.
//
//   npm run build
//
// Needs the WebAssembly modules in www/wasm (`cargo xtask wasm`). Without the module of the
// transformer, everything else is built, with a warning.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { buildStandalone } from "./standalone.mjs";

const www = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(www, "dist");
const engine = join(www, "wasm/engine");
const edge = join(www, "wasm/edge");
const encoder = join(www, "wasm/encoder");

const needed = ["findling_engine_bg.wasm", "first.wasm", "rest.wasm"].map((name) =>
  join(engine, name),
);
for (const file of needed) {
  if (!existsSync(file)) {
    console.error(`${file} is missing. Build it with: cargo xtask wasm`);
    process.exit(1);
  }
}
// For a first look there is no engine for the endpoint. It gets that of browsers, which is slower.
if (!existsSync(join(edge, ".stamp"))) {
  mkdirSync(edge, { recursive: true });
  for (const name of ["findling_engine.js", "findling_engine.d.ts", "findling_engine_bg.wasm"])
    cpSync(join(engine, name), join(edge, name));
}
// The types of the transformer, for the type check, if its module was not built.
const standIn = join(encoder, "findling_encoder.d.ts");
if (!existsSync(standIn)) {
  mkdirSync(encoder, { recursive: true });
  cpSync(join(www, "scripts/findling_encoder.d.ts"), standIn);
}
const withEncoder = existsSync(join(encoder, "findling_encoder_bg.wasm"));

/** The minified text of a style sheet, with what it imports. */
async function styleSheet(path, options = {}) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path],
    bundle: true,
    minify: true,
    write: false,
    ...options,
  });
  return outputFiles[0].text.trim();
}

/** Imports style sheets as text. */
const css = {
  name: "css",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: `export default ${JSON.stringify(await styleSheet(path))}`,
      loader: "js",
    }));
  },
};

/** The Worker imports the engine as one module, under this name. */
const WHOLE = { "findling_engine_bg.wasm": "./findling-edge_engine_bg.wasm" };

/** What the scripts of a page load from files of their own: by import, when it is wanted. */
const LATER = {
  client: "findling.js",
  history: "findling-history.js",
  assistant: "findling-assistant.js",
};

/**
 * Leaves some imports to separate files: what is loaded later, what other scripts take from the
 * search box, modules of the host, and WebAssembly modules.
 */
const external = {
  name: "external",
  setup(build) {
    build.onResolve({ filter: /\/(client|history|assistant)$/ }, ({ kind, path, importer }) =>
      kind === "dynamic-import" || importer.endsWith("/several.ts")
        ? { path: `./${LATER[path.split("/").at(-1)]}`, external: true }
        : undefined,
    );
    build.onResolve({ filter: /\/common$/ }, ({ importer }) =>
      importer.endsWith("/ui/element.ts") && !importer.endsWith("/page/element.ts")
        ? undefined
        : { path: "./findling-ui.js", external: true },
    );
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true }));
    build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({
      path: WHOLE[path.split("/").at(-1)] ?? `./${path.split("/").at(-1)}`,
      external: true,
    }));
  },
};

/** How all scripts are built. */
const COMMON = {
  bundle: true,
  format: "esm",
  target: ["es2022", "chrome111", "firefox114", "safari16.4"],
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};

/** What each script of the package is built from, below `src/`. */
const SOURCES = {
  findling: "client",
  "findling-several": "several",
  "findling-worker": "worker",
  "findling-ui": "ui/element",
  "findling-highlight": "highlight",
  "findling-results": "ui/page/element",
  "findling-related": "ui/related",
  "findling-history": "ui/history/history",
  "findling-assistant": "ui/assistant",
  "findling-log": "search-log",
  "findling-edge": "edge/edge",
  "findling-edge-server": "edge/server",
  pagefind: "pagefind/pagefind",
  findling_encoder: "encoder",
  "findling-edge-semantic": "edge/semantic",
};
const OF_ENCODER = ["findling_encoder", "findling-edge-semantic"];

/** The pages of `findling serve`, which only the program contains: one script, and languages. */
async function buildApp(directory) {
  const pages = join(www, "src/app");
  await esbuild.build({
    absWorkingDir: www,
    entryPoints: { app: "src/app/app.ts" },
    outdir: directory,
    ...COMMON,
    plugins: [css],
  });
  // A language is one file, with the texts of the elements and of the pages.
  const languages = readdirSync(join(pages, "locales")).map((file) => file.replace(/\.ts$/, ""));
  const texts = (name) => `import elements from "./src/ui/locales/${name}";
import pages from "./src/app/locales/${name}";
export default { ...elements, ...pages };`;
  await Promise.all(
    languages.map((name) =>
      esbuild.build({
        absWorkingDir: www,
        stdin: { contents: texts(name), resolveDir: www },
        outfile: join(directory, `findling-locale-${name}.js`),
        ...COMMON,
      }),
    ),
  );
  const style = await styleSheet(join(pages, "app.css"), { target: COMMON.target });
  writeFileSync(join(directory, "app.css"), style);
  for (const name of ["index.html", "icon.svg"]) cpSync(join(pages, name), join(directory, name));
}

// Builds into another directory and then replaces dist/, so that a server never sees half a build.
const next = join(www, "dist.next");
rmSync(next, { recursive: true, force: true });
mkdirSync(next, { recursive: true });
const entryPoints = Object.fromEntries([
  ...Object.entries(SOURCES)
    .filter(([name]) => withEncoder || !OF_ENCODER.includes(name))
    .map(([name, source]) => [name, `src/${source}.ts`]),
  ...readdirSync(join(www, "src/ui/locales")).map((name) => [
    `findling-locale-${name.replace(/\.ts$/, "")}`,
    `src/ui/locales/${name}`,
  ]),
]);
await esbuild.build({
  absWorkingDir: www,
  entryPoints,
  outdir: next,
  ...COMMON,
  plugins: [css, external],
});
await buildApp(join(next, "app"));
const standalone = await buildStandalone(www, { absWorkingDir: www, ...COMMON }, css);
writeFileSync(join(next, "findling-standalone.js"), standalone);
cpSync(join(edge, "findling_engine_bg.wasm"), join(next, "findling-edge_engine_bg.wasm"));
// The pack has all languages. `findling build` keeps only the languages of the site.
cpSync(join(engine, "first.wasm"), join(next, "findling_engine.wasm"));
cpSync(join(engine, "rest.wasm"), join(next, "findling_engine_rest.wasm"));
if (withEncoder)
  cpSync(join(encoder, "findling_encoder_bg.wasm"), join(next, "findling_encoder_bg.wasm"));

// The types mirror src/. What the package exports has a file of types that leads there.
execFileSync(
  process.execPath,
  [join(www, "node_modules/typescript/bin/tsc"), "--outDir", join(next, "types")],
  { cwd: www, stdio: "inherit" },
);
for (const [directory, name] of [
  ["engine", "findling_engine"],
  ["edge", "findling_engine"],
  ["encoder", "findling_encoder"],
]) {
  cpSync(
    join(www, "wasm", directory, `${name}.d.ts`),
    join(next, "wasm", directory, `${name}.d.ts`),
  );
}
const { exports } = JSON.parse(readFileSync(join(www, "package.json"), "utf8"));
for (const { types } of Object.values(exports)) {
  const [, name] = /^\.\/dist\/(.+)\.d\.ts$/.exec(types ?? "") ?? [];
  if (name === undefined) continue;
  if (!(name in SOURCES))
    throw new Error(
      `package.json exports dist/${name}.d.ts: expected its source in SOURCES of build.mjs; ` +
        `found ${Object.keys(SOURCES).join(", ")}`,
    );
  const lead = `export * from "./types/${SOURCES[name]}";\n`;
  writeFileSync(join(next, `${name}.d.ts`), lead);
}
rmSync(dist, { recursive: true, force: true });
cpSync(next, dist, { recursive: true });
rmSync(next, { recursive: true, force: true });
if (!withEncoder)
  console.warn(
    `Built without the transformer: ${join(encoder, "findling_encoder_bg.wasm")} is missing.`,
  );
console.log(
  readdirSync(dist)
    .filter((name) => !name.endsWith(".ts") && !["app", "types", "wasm"].includes(name))
    .join("  "),
);
