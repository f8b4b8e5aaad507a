// A bundle that is built on a Ray cluster, of which a worker dies.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { files, packageEnvironment } from "./lib/python.mjs";

const python = process.env["FINDLING_RAY_PYTHON"];
const skip = python ? undefined : "FINDLING_RAY_PYTHON: `cargo xtask test --nightly` installs it";

describe("a bundle that is built on a Ray cluster", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "findling-ray-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const at = (name) => join(directory, name);

  test("is the one of a single build, though the worker of a part was killed", () => {
    // Stands in for the program, and kills the worker that calls it for part 2, once.
    const program = at("findling");
    const killed = at("killed");
    writeFileSync(
      program,
      `#!/bin/sh
case "$*" in
  *"--part 2/4"*) if mkdir '${killed}' 2>/dev/null; then kill -9 $PPID; sleep 60; fi;;
esac
exec '${findling}' "$@"
`,
    );
    chmodSync(program, 0o755);
    const options = ["--encoder", "hash", "--no-cache"];
    const source = join(root, "docs");
    const built = spawnSync(
      python,
      [
        join(root, "examples/ray/build_on_ray.py"),
        source,
        at("merged"),
        "--parts=4",
        "--keep",
        at("parts"),
        "--",
        ...options,
      ],
      {
        cwd: directory,
        encoding: "utf8",
        timeout: 300_000,
        env: packageEnvironment(directory, program),
      },
    );
    assert.equal(built.status, 0, built.stdout + built.stderr);
    assert.ok(existsSync(killed), "no worker was killed");
    assert.equal(readdirSync(at("parts")).length, 4);
    const once = spawnSync(findling, ["build", source, "-o", at("once"), ...options]);
    assert.equal(once.status, 0, String(once.stderr));
    assert.deepEqual(files(at("merged")), files(at("once")));
  });
});
