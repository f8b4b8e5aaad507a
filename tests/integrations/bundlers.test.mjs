// Applications that bundlers build from the packed files within a second.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { expectComplaints } from "../e2e/lib/browser.mjs";
import { application, index, page, search, testBundler } from "./lib/bundlers.mjs";
import { missing, run } from "./lib/fixture.mjs";
import { Session } from "./lib/session.mjs";

testBundler("Vite", "bundlers", (site) => {
  run(site, "vite", ["build", "--base", "./"]);
  return "dist";
});

for (const [format, type] of [
  ["esm", "module"],
  ["iife", "script"],
])
  testBundler(`esbuild (${format})`, "bundlers", (site) => {
    const options = ["--bundle", "--minify", `--format=${format}`, "--outfile=out/main.js"];
    run(site, "esbuild", ["main.js", ...options]);
    page(site, "out", "main.js", type);
    return "out";
  });

testBundler("esbuild (splitting)", "bundlers", (site) => {
  run(site, "esbuild", ["main.js", "--bundle", "--splitting", "--format=esm", "--outdir=out"]);
  page(site, "out", "main.js");
  return "out";
});

testBundler("Rollup", "bundlers", (site) => {
  const options = ["--format", "es", "--dir", "out", "--plugin", "node-resolve"];
  run(site, "rollup", ["main.js", ...options]);
  page(site, "out", "main.js");
  return "out";
});

testBundler("webpack", "bundlers", (site) => {
  const options = ["--mode", "production", "--entry", "./main.js", "--output-path", "out"];
  run(site, "webpack", options);
  page(site, "out", "main.js", "script");
  return "out";
});

describe("an application in Vite's development server", { skip: missing("bundlers") }, () => {
  let site;
  const session = new Session(async () => {
    site = application("bundlers");
    mkdirSync(join(site, "public"));
    index(site, join(site, "public"));
    return { url: "http://127.0.0.1/", close: () => {} };
  });

  for (const [how, settings] of [
    ["prebundled", {}],
    ["as they are", { optimizeDeps: { exclude: ["findling"] } }],
  ])
    test(`finds the client's files beside the bundle, with scripts ${how}`, async () => {
      writeFileSync(
        join(site, "vite.config.mjs"),
        `export default ${JSON.stringify({ cacheDir: `.vite-${how.length}`, ...settings })};`,
      );
      const args = (port) => ["--port", port, "--host", "127.0.0.1", "--strictPort"];
      const { url } = await session.develop(site, "vite", args);
      const page = await session.visit(url);
      expectComplaints(page, /\[vite\] connect/);
      await search(page);
    });
});
