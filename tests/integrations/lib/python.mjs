// The Python package and the examples that use it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findling, root } from "../../e2e/lib/bundle.mjs";

/** The environment of programs that use the package. */
export const packageEnvironment = (home, program = findling) => ({
  ...process.env,
  PYTHONPATH: join(root, "python/src"),
  PYTHONDONTWRITEBYTECODE: "1",
  FINDLING_BINARY_PATH: program,
  RAY_USAGE_STATS_ENABLED: "0",
  DAFT_ANALYTICS_ENABLED: "0",
  DO_NOT_TRACK: "1",
  HOME: home,
});

/** Runs the package's own tests. */
export function testPackage(python) {
  const { status, stdout, stderr } = spawnSync(
    python,
    ["-m", "unittest", "discover", "--start-directory", "tests"],
    {
      cwd: join(root, "python"),
      encoding: "utf8",
      timeout: 300_000,
      env: packageEnvironment(process.env["HOME"]),
    },
  );
  assert.equal(status, 0, stdout + stderr);
}

/** The files below a directory with their contents. */
export function files(directory) {
  const names = readdirSync(directory, { recursive: true }).sort();
  return names
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => [name, readFileSync(join(directory, name), "base64")]);
}
