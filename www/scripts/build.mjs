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
// For a first look there is no engine for the endpoint. It gets the engine for browsers, which is
// slower.
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

/** The minified text of a style sheet, including its imports. */
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

/** Files that the scripts of a page load by import when they are needed. */
const LATER = {
  client: "findling.js",
  history: "findling-history.js",
  assistant: "findling-assistant.js",
};

/**
 * Leaves some imports to separate files: scripts that are loaded later, scripts that others share
 * with the search box, modules of the host, and WebAssembly modules.
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

/** Options with which all scripts are built. */
const COMMON = {
  bundle: true,
  format: "esm",
  target: ["es2022", "chrome111", "firefox114", "safari16.4"],
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};

/** The source of each script of the package, below `src/`. */
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
  "findling-node": "node",
  "findling-edge": "edge/edge",
  "findling-edge-server": "edge/server",
  pagefind: "pagefind/pagefind",
  findling_encoder: "encoder",
  "findling-edge-semantic": "edge/semantic",
};
/**
 * The scripts that applications import and bundle. In `dist/module` they do not use their own
 * address: they become parts of other files, and the client's files are beside the bundle. Parcel
 * does not read `exports` of package.json, but `alias`.
 */
const BUNDLED = [
  "findling",
  "findling-several",
  "findling-ui",
  "findling-highlight",
  "findling-results",
  "findling-related",
  "findling-history",
  "findling-assistant",
  "findling-log",
  "pagefind",
];
/** The scripts for servers, with their places in dist. Pages load none of them. */
const SERVERS = {
  "findling-node": "node/findling",
  "findling-edge-server": "findling-edge-server",
};
const OF_ENCODER = ["findling_encoder", "findling-edge-semantic"];

const { LOCALE_FILES } = await import(
  `data:text/javascript,${encodeURIComponent(
    esbuild.transformSync(readFileSync(join(www, "src/ui/locale-files.ts"), "utf8"), {
      loader: "ts",
    }).code,
  )}`
);
const languages = readdirSync(join(www, "src/ui/locales")).map((file) => file.replace(/\.ts$/, ""));
const filed = Object.values(LOCALE_FILES).flatMap((names) => names.split(" "));
if (String(filed.toSorted()) !== String(languages.toSorted()))
  throw new Error("src/ui/locale-files.ts: expected each language of src/ui/locales once");

/** The files of texts: for each language, the files in the folders. */
async function buildLocales(directory, folders) {
  const script = (names) => {
    const sources = names.flatMap((name) =>
      folders.map((folder) => [`${folder}_${name.replace("-", "_")}`, folder, name]),
    );
    const imports = sources.map(
      ([as, folder, name]) => `import ${as} from "./src/${folder}/locales/${name}";`,
    );
    const texts = names.map((name) => {
      const own = sources.filter(([, , of]) => of === name).map(([as]) => `...${as}`);
      return `${JSON.stringify(name)}: { ${own.join(", ")} }`;
    });
    return `${imports.join("\n")}\nexport default { ${texts.join(", ")} };`;
  };
  await Promise.all(
    Object.entries(LOCALE_FILES).map(([file, names]) =>
      esbuild.build({
        absWorkingDir: www,
        stdin: { contents: script(names.split(" ")), resolveDir: www },
        outfile: join(directory, `findling-locale-${file}.js`),
        ...COMMON,
      }),
    ),
  );
}

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
  // The texts of the elements and of the pages.
  await buildLocales(directory, ["ui", "app"]);
  const style = await styleSheet(join(pages, "app.css"), { target: COMMON.target });
  writeFileSync(join(directory, "app.css"), style);
  for (const name of ["index.html", "icon.svg"]) cpSync(join(pages, name), join(directory, name));
}

/** Types that come with elements: those of JSX. */
const JSX = 'import "../integrations/jsx/index.mjs";\n';
const ELEMENTS = { "findling-ui": JSX, "findling-results": JSX, "findling-related": JSX };

/**
 * Makes the import paths in types end with `.js`, because Node's resolution accepts no others. The
 * compiler writes them as they are in the sources.
 */
function nameFiles(directory) {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith(".d.ts")) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const types = readFileSync(path, "utf8");
    const named = types.replace(
      /((?:from|import) "|import\(")(\.{1,2}\/[^"]+)"/g,
      (all, before, to) =>
        existsSync(join(dirname(path), `${to}.d.ts`)) ? `${before}${to}.js"` : all,
    );
    if (named !== types) writeFileSync(path, named);
  }
}

// Builds into another directory and then replaces dist/, so that a server never sees half a build.
const next = join(www, "dist.next");
rmSync(next, { recursive: true, force: true });
mkdirSync(next, { recursive: true });
const entryPoints = Object.fromEntries(
  Object.entries(SOURCES)
    .filter(([name]) => (withEncoder || !OF_ENCODER.includes(name)) && !(name in SERVERS))
    .map(([name, source]) => [name, `src/${source}.ts`]),
);
await esbuild.build({
  absWorkingDir: www,
  entryPoints,
  outdir: next,
  ...COMMON,
  plugins: [css, external],
});
await esbuild.build({
  absWorkingDir: www,
  entryPoints: Object.fromEntries(
    Object.entries(SERVERS).map(([name, place]) => [place, `src/${SOURCES[name]}.ts`]),
  ),
  outdir: next,
  ...COMMON,
  inject: ["scripts/abort-controller.mjs"],
  plugins: [css, external],
});
await esbuild.build({
  absWorkingDir: www,
  entryPoints: Object.fromEntries(BUNDLED.map((name) => [name, `src/${SOURCES[name]}.ts`])),
  outdir: join(next, "module"),
  ...COMMON,
  define: { "import.meta.url": "undefined" },
  // Bundlers read the comments of an import, and make scripts shorter themselves.
  minify: false,
  plugins: [css, external],
});
await buildLocales(next, ["ui"]);
await buildApp(join(next, "app"));
const places = await styleSheet(join(www, "src/ui/places.css"), { target: COMMON.target });
writeFileSync(join(next, "findling.css"), places);
const standalone = await buildStandalone(www, { absWorkingDir: www, ...COMMON }, css);
writeFileSync(join(next, "findling-standalone.js"), standalone);
cpSync(join(edge, "findling_engine_bg.wasm"), join(next, "findling-edge_engine_bg.wasm"));
// The pack has all languages. `findling build` keeps only the languages of the site.
cpSync(join(engine, "first.wasm"), join(next, "findling_engine.wasm"));
cpSync(join(engine, "rest.wasm"), join(next, "findling_engine_rest.wasm"));
if (withEncoder)
  cpSync(join(encoder, "findling_encoder_bg.wasm"), join(next, "findling_encoder_bg.wasm"));

// The types mirror src/. Each export of the package has a file of types that refers to them.
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
  const types = readFileSync(join(www, "wasm", directory, `${name}.d.ts`), "utf8");
  mkdirSync(join(next, "wasm", directory), { recursive: true });
  // Only the newest lib of TypeScript has this symbol.
  const portable = types.replace(/^\s*\[Symbol\.dispose\]\(\): void;\n/gm, "");
  writeFileSync(join(next, "wasm", directory, `${name}.d.ts`), portable);
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
  const lead = `${ELEMENTS[name] ?? ""}export * from "./types/${SOURCES[name]}.js";\n`;
  writeFileSync(join(next, `${name}.d.ts`), lead);
}
nameFiles(join(next, "types"));
rmSync(dist, { recursive: true, force: true });
cpSync(next, dist, { recursive: true });
rmSync(next, { recursive: true, force: true });
if (!withEncoder)
  console.warn(
    `Built without the transformer: ${join(encoder, "findling_encoder_bg.wasm")} is missing.`,
  );
console.log(
  readdirSync(dist)
    .filter(
      (name) => !name.endsWith(".ts") && !["app", "module", "node", "types", "wasm"].includes(name),
    )
    .join("  "),
);
