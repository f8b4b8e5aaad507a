// Tests that the indexer of the playground makes the same bundle as the tool, byte for byte.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { root, run, scratch } from "../e2e/lib/bundle.mjs";

const directory = join(root, "www/wasm/playground");
const wasm = join(directory, "findling_playground_bg.wasm");
const skip = existsSync(wasm)
  ? undefined
  : `no ${wasm}: build it with cargo xtask wasm --playground`;

describe("the indexer of the playground", { skip }, () => {
  const load = async () => {
    const module = await import(pathToFileURL(join(directory, "findling_playground.js")));
    module.initSync({ module: readFileSync(wasm) });
    return module;
  };

  /** The bundle of files, `[path, bytes]`. */
  async function indexed(files) {
    const { Indexer } = await load();
    const indexer = new Indexer("");
    for (const [path, bytes] of files) indexer.add(path, bytes);
    const total = indexer.begin();
    for (let done = 0; done < total; done++) {
      assert.equal(typeof indexer.nextFile(), "string");
      indexer.step();
    }
    assert.equal(indexer.nextFile(), undefined);
    return indexer.build();
  }

  for (const [name, site] of [
    ["Markdown", "docs"],
    ["HTML and Markdown", "build/tests/extraction"],
    ["many languages", "tests/ranking/scripts/pages"],
    ["German", "tests/ranking/german/pages"],
    ["copies", "tests/ranking/copies/pages"],
    ["reStructuredText and Org", "markup"],
  ])
    test(`gives the bundle that \`findling build\` writes: ${name}`, async () => {
      const input = site === "markup" ? markup() : join(root, site);
      const files = filesBelow(input).map((path) => [path, readFileSync(join(input, path))]);
      const bundle = await indexed(files);
      const [out, single] = [join(scratch(), "out"), join(scratch(), "out.findling")];
      const options = ["--quiet", "build", input, "--encoder", "none", "--no-client"];
      // The module makes no packs: it serves the files from memory.
      run(...options, "--host", "files", "--output", out);
      run(...options, "--output", single, "--single-file");
      const names = bundle.fileNames();
      assert.ok(names.length > 5);
      assert.deepEqual([...names].sort(), filesBelow(out));
      for (const [at, path] of names.entries())
        assert.ok(readFileSync(join(out, path)).equals(bundle.file(at)), path);
      assert.ok(readFileSync(single).equals(bundle.singleFile()));
    });

  test("tells of files that it cannot read, and refuses too many", async () => {
    const text = (value) => new TextEncoder().encode(value);
    const bundle = await indexed([
      ["f/a.md", text("# A\n\nText.")],
      ["f/b.md", new Uint8Array([1, 0, 0, 0, 2, 0, 0])],
    ]);
    assert.equal(bundle.pages, 1);
    const [problem] = JSON.parse(bundle.problems());
    assert.deepEqual([problem.severity, problem.path], ["error", "b.md"]);
    assert.equal(JSON.parse(bundle.page("/a/")).file, "a.md");
    assert.equal(bundle.page("/absent/"), undefined);
    const { Indexer, isTaken } = await load();
    assert.deepEqual([isTaken("a/b.md"), isTaken("a/b.png")], [true, false]);
    const indexer = new Indexer("");
    indexer.add("a.md", new Uint8Array(50_000_000));
    assert.throws(() => indexer.add("b.md", text("b")), /MB/);
    assert.throws(() => new Indexer("").build());
  });

  test("survives elements within elements, and lists within lists", async () => {
    const nested = (open, text) => new TextEncoder().encode(open.repeat(20_000) + text);
    const bundle = await indexed([
      ["a.html", nested("<div>", "deep")],
      ["b.html", nested("<b><i>", "deep")],
      ["c.html", new TextEncoder().encode("<h1>C</h1><p>flat</p>")],
    ]);
    assert.ok(bundle.pages >= 1);
    const lists = await indexed([
      ["a.md", nested("> ", "deep")],
      ["b.md", nested("- ", "deep")],
      ["c.md", new TextEncoder().encode("# C\n\nflat")],
    ]);
    assert.ok(lists.pages >= 1);
  });
});

describe("the worker of the playground", () => {
  /** The messages of the worker to the indexer, and the answers. */
  async function taken(files) {
    const directory = scratch();
    const write = (name, text) => writeFileSync(join(directory, name), text);
    write("package.json", '{ "type": "module" }');
    write("worker.js", readFileSync(join(root, "site/playground/worker.js")));
    write(
      "findling_playground.js",
      `export default async () => {};
      export const isTaken = (path) => path.endsWith(".md");
      export class Indexer {
        add(path) { globalThis.handed.push(path); }
        addArchive(bytes) { globalThis.handed.push(\`archive of \${bytes.length}\`); }
        begin() { return 0; }
        build() { throw new Error("the end"); }
      }`,
    );
    const handed = [];
    const answer = new Promise((resolve) => {
      const postMessage = ({ error }) => error && resolve(error);
      Object.assign(globalThis, { self: {}, handed, postMessage });
    });
    await import(pathToFileURL(join(directory, "worker.js")));
    await globalThis.self.onmessage({ data: { files, base: "" } });
    return { handed, error: await answer };
  }

  const file = (size) => ({ size, arrayBuffer: async () => new ArrayBuffer(Math.min(size, 9)) });

  test("opens a .zip that was chosen, and none inside a folder", async () => {
    const { handed } = await taken([
      ["site.zip", file(7)],
      ["site/a.md", file(2)],
      ["site/fixtures/broken.zip", file(3)],
      ["site/a.png", file(60_000_000)],
    ]);
    assert.deepEqual(handed, ["archive of 7", "site/a.md"]);
  });

  test("reads no file beyond the limit", async () => {
    const unread = { size: 2, arrayBuffer: () => assert.fail("it was read") };
    const { handed, error } = await taken([
      ["a.md", file(49_999_999)],
      ["b.md", unread],
      ["c.md", file(1)],
    ]);
    assert.deepEqual(handed, ["a.md"]);
    assert.match(error, /50 MB/);
  });
});

/** A directory with a page in each form, one of which includes a part. */
function markup() {
  const directory = scratch();
  const files = {
    "a.rst": "Kiln\n====\n\nText of the kiln.\n\n.. include:: parts/part.rst\n",
    "parts/part.rst": "The part.\n",
    "c.org": "#+title: Clay\n\n* Stoneware\n\nText of the clay.\n",
    "d.md": "# Wheel\n\nText of the wheel.\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

const filesBelow = (directory) =>
  readdirSync(directory, { recursive: true })
    .filter((path) => statSync(join(directory, path)).isFile())
    .sort();
