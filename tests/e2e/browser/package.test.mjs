// The npm package has every file that it needs, and no other.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { root } from "../lib/bundle.mjs";
import { packageFiles } from "../lib/package.mjs";

describe("the npm package", () => {
  const files = packageFiles();
  const { exports } = JSON.parse(readFileSync(join(root, "www/package.json"), "utf8"));

  test("has every file that `exports` names", () => {
    const named = Object.values(exports).flatMap((target) =>
      typeof target === "string" ? [] : Object.values(target),
    );
    assert.ok(named.length >= 8);
    for (const path of named) assert.ok(files.includes(path.slice("./".length)), path);
  });

  test("has the README, the licences and the files of the client", () => {
    for (const path of [
      "README.md",
      "LICENSE-APACHE",
      "LICENSE-MIT",
      "dist/findling-worker.js",
      "dist/findling_engine.wasm",
      "dist/findling_engine_rest.wasm",
      "dist/findling-edge_engine_bg.wasm",
      "dist/types/engine-types.d.ts",
      "dist/wasm/engine/findling_engine.d.ts",
    ])
      assert.ok(files.includes(path), path);
  });

  test("has no sources", () => {
    const others = files.filter(
      (path) => !/^(bin\/|dist\/|integrations\/|README|LICENSE|package\.json$)/.test(path),
    );
    assert.deepEqual(others, []);
  });

  test("has no pages of the local application, which the program contains", () => {
    assert.deepEqual(
      files.filter((path) => /^dist\/(types\/)?app\//.test(path)),
      [],
    );
  });

  test("has the licences of the repository", () => {
    for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) {
      const text = readFileSync(join(root, name), "utf8");
      assert.equal(readFileSync(join(root, "www", name), "utf8"), text, name);
    }
  });
});
