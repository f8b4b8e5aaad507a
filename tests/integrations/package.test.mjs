// Tests of the npm package as it is published: with tools and TypeScript on its tarball, and in
// Node.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { findling, root, scratch } from "../e2e/lib/bundle.mjs";
import { serve } from "../e2e/lib/server.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missing, run } from "./lib/fixture.mjs";

const www = join(root, "www");

describe("the npm package", { skip: missing("package") }, () => {
  let site;
  let tarball;
  before(() => {
    site = copy("package");
    const into = scratch();
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", into];
    const [{ filename }] = JSON.parse(execFileSync("npm", args, { cwd: www, encoding: "utf8" }));
    tarball = join(into, filename);
  });

  test("has nothing that publint finds", () => {
    assert.match(run(site, "publint", [tarball, "--strict"]), /All good/);
  });

  test("has types that resolve wherever modules of ECMAScript do", () => {
    run(site, "attw", [tarball, "--profile", "esm-only", "--no-emoji"]);
  });

  for (const [module, moduleResolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])
    for (const jsxImportSource of ["react", "preact"])
      test(`has types under ${moduleResolution}, with JSX of ${jsxImportSource}`, () => {
        const compilerOptions = {
          ...{ module, moduleResolution, jsxImportSource },
          ...{ target: "es2022", lib: ["es2023", "dom", "dom.iterable"], jsx: "react-jsx" },
          // The types of the package are checked, too.
          ...{ noEmit: true, strict: true, skipLibCheck: jsxImportSource === "preact", types: [] },
        };
        const files = ["client.ts", "elements.tsx"];
        writeFileSync(join(site, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
        run(site, "tsc", ["-p", "tsconfig.json"]);
      });

  test("tells errors in the options of an integration", async () => {
    const { buildBundle, inOptions } = await import(
      join(site, "../../node_modules/findling/integrations/common/build.mjs")
    );
    assert.equal(
      inOptions("add --yes to install it, or use --encoder static or --encoder=none."),
      'add build: ["--yes"] to install it, or use encoder: "static" or encoder: "none".',
    );
    assert.equal(inOptions("a well--known name; 1--2"), "a well--known name; 1--2");
    mkdirSync(join(site, "empty"));
    writeFileSync(join(site, "empty/a.md"), "# A");
    const home = { ...process.env };
    Object.assign(process.env, {
      FINDLING_HOME: join(site, "home"),
      FINDLING_BINARY_PATH: findling,
    });
    try {
      await assert.rejects(
        buildBundle(join(site, "empty"), join(site, "out"), { encoder: "all-minilm-l6-v2" }),
        ({ message }) => /encoder: "static"/.test(message) && !/[^"]--\w/.test(message),
      );
    } finally {
      process.env = home;
    }
  });

  test("has an entry in docs/troubleshooting.md for each code of an error", () => {
    const source = readFileSync(join(www, "src/errors.ts"), "utf8");
    const [, union] = /export type ErrorCode =([^;]*);/.exec(source);
    const codes = [...union.matchAll(/"([a-z-]+)"/g)].map(([, code]) => code);
    for (const document of ["docs/troubleshooting.md", "www/README.md"]) {
      const [, table] = readFileSync(join(root, document), "utf8").split(
        /\n##+ (?:Codes|Errors)\n/,
      );
      const rows = [
        ...table
          .split(/\n##|\n\|---.*/)[1]
          .matchAll(/^\| (?:<a id="[a-z-]+"><\/a>)?`([a-z-]+)` \|/gm),
      ];
      assert.deepEqual(
        rows.map(([, code]) => code),
        codes,
        document,
      );
    }
  });

  test("is imported on a server without a DOM", () => {
    const names = ["", "/several", "/ui", "/results", "/related", "/highlight", "/log"];
    const more = ["/pagefind", "/server", "/react", "/svelte"];
    const imports = [...names, ...more].map((name) => `import "findling${name}";`);
    writeFileSync(join(site, "server.mjs"), imports.join("\n"));
    run(site, process.execPath, ["server.mjs"]);
    // Renders like a framework on a server that is not Node.
    run(site, process.execPath, ["--conditions=worker", "--conditions=browser", "server.mjs"]);
  });
});

/** Programs that run the client, besides the tests' Node: packages of the end-to-end tests. */
const installed = (...paths) =>
  paths.map((path) => join(root, "tests/e2e/node_modules", path)).find((path) => existsSync(path));
const OTHERS = [
  { name: "Deno", program: installed("@deno/linux-x64-glibc/deno"), args: ["run", "-R"] },
  { name: "Bun", program: installed("@oven/bun-linux-x64/bin/bun", "bun/bin/bun.exe") },
];

describe("`open` in Node, Deno and Bun", { skip: missing("package") }, () => {
  let site;
  /** The output of a script that opens targets one after the other. */
  const titles = (targets, { program = process.execPath, args = [] } = {}) => {
    const script = `import { open } from "findling";
      for (const target of ${JSON.stringify(targets)}) {
        const index = await open(target);
        const { results } = await index.search("dunting");
        const { results: exact } = await index.search("\\"lid closed\\"");
        console.log(JSON.stringify([results[0].title, exact[0].title]));
        if (${JSON.stringify(targets[0])} !== target) index.close();
      }`;
    writeFileSync(join(site, "open.mjs"), script);
    const { status, stdout, stderr } = spawnSync(program, [...args, "open.mjs"], {
      cwd: site,
      encoding: "utf8",
      timeout: 60_000,
    });
    assert.equal(status, 0, stderr);
    return stdout.trim().split("\n").map(JSON.parse);
  };
  const EXPECTED = ["Firing the kiln", "Firing the kiln"];

  before(() => {
    site = copy("package");
    writeMarkdown(join(site, "pages"), PAGES.en);
    mkdirSync(join(site, "public"));
    for (const args of [
      ["--output", "public/findling"],
      ["--output", "files", "--host", "files"],
      ["--output", "one.findling", "--single-file"],
    ])
      run(site, findling, ["--quiet", "build", "pages", "--no-client", ...args]);
  });

  test("reads a directory, a file, and what lies in the directory; the process then ends", () => {
    const absolute = join(site, "files");
    const targets = ["public/findling", "./files/", absolute, "public/findling/findling.idx"];
    const all = [...targets, "one.findling", `file://${absolute}/`];
    assert.deepEqual(
      titles(all),
      all.map(() => EXPECTED),
    );
  });

  for (const runtime of OTHERS)
    test(`reads a directory and a file in ${runtime.name}`, {
      skip: runtime.program ? false : `${runtime.name} is not installed in tests/e2e`,
    }, () => {
      const targets = ["public/findling", "one.findling"];
      assert.deepEqual(
        titles(targets, runtime),
        targets.map(() => EXPECTED),
      );
    });

  test("reads an address", async () => {
    const server = await serve([join(site, "public")]);
    writeFileSync(
      join(site, "web.mjs"),
      `import { open } from "findling";
      const index = await open(${JSON.stringify(`${server.url}findling/`)});
      const page = (await index.search("dunting")).results[0];
      console.log(JSON.stringify([page.title, page.href]));`,
    );
    // The server runs in this process, which must not wait for the other one.
    const { execFile } = await import("node:child_process");
    const printed = await new Promise((resolve, reject) =>
      execFile(process.execPath, ["web.mjs"], { cwd: site, timeout: 60_000 }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      ),
    );
    await server.close();
    const [title, href] = JSON.parse(printed);
    assert.equal(title, EXPECTED[0]);
    assert.ok(href.startsWith(server.url), href);
  });

  test("says what is missing", () => {
    writeFileSync(
      join(site, "missing.mjs"),
      `import { FindlingError, open } from "findling";
      const error = await open("nowhere").catch((error) => error);
      console.log(JSON.stringify([error instanceof FindlingError, error.code, error.advice]));`,
    );
    const printed = execFileSync(process.execPath, ["missing.mjs"], {
      cwd: site,
      encoding: "utf8",
    });
    const [isOwn, code, advice] = JSON.parse(printed);
    assert.deepEqual([isOwn, code], [true, "not-found"]);
    assert.match(advice, /nowhere/);
  });
});
