// The bytes of the client, against their budgets.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BUDGETS, size } from "../../../www/scripts/size.mjs";

describe("the bytes that a reader downloads", () => {
  for (const { what, files, budget } of BUDGETS) {
    test(`${what}: at most ${budget / 1000} kB after brotli`, () => {
      const bytes = files.reduce((sum, name) => sum + size(name), 0);
      assert.ok(bytes <= budget, `${bytes} bytes`);
    });
  }
});
