// The tests of the Python package that need no other package.

import { describe, test } from "node:test";
import { testPackage } from "./lib/python.mjs";

const python = process.env["FINDLING_PYTHON"];
const skip = python ? undefined : "FINDLING_PYTHON: `cargo xtask test` installs it";

describe("the Python package", { skip }, () => {
  test("embeds and splits", () => testPackage(python));
});
