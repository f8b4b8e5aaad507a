// What the client weighs, against its budgets. The engine's is kept by `cargo xtask wasm`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BUDGETS, size } from "../../../www/scripts/size.mjs";

describe("the reader's bytes", () => {
  for (const { what, files, budget } of BUDGETS.filter(({ files }) =>
    files.every((name) => name.endsWith(".js")),
  )) {
    test(`${what}: at most ${budget / 1000} kB after brotli`, () => {
      const bytes = files.reduce((sum, name) => sum + size(name), 0);
      assert.ok(bytes <= budget, `${bytes} bytes`);
    });
  }
});
