// Bundles of pipelines of Ray Data and Daft.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { files, packageEnvironment, testPackage } from "./lib/python.mjs";

const SOURCE = join(root, "docs");
const ENCODER = ["--encoder", "hash"];

/** The message of a test if a Python is missing. */
const missing = (name) =>
  process.env[name] ? undefined : `${name}: \`cargo xtask test --nightly\` installs it`;

/** Stands in for the program, and kills the worker that asks it to embed a second time, once. */
const killer = (killed) => `#!/usr/bin/env python3
import os, signal, subprocess, sys
program = ${JSON.stringify(findling)}
arguments = sys.argv[1:]
if "embed" not in arguments or os.path.exists(${JSON.stringify(killed)}):
    os.execv(program, [program, *arguments])
child = subprocess.Popen(
    [program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
def relay():
    sys.stdout.buffer.write(child.stdout.readline())
    sys.stdout.buffer.flush()
relay()
for number, line in enumerate(sys.stdin.buffer):
    if number == 1:
        try:
            os.mkdir(${JSON.stringify(killed)})
            os.kill(os.getppid(), signal.SIGKILL)
            sys.exit(1)
        except FileExistsError:
            pass
    child.stdin.write(line)
    child.stdin.flush()
    relay()
`;

function pipeline(python, example, directory, program) {
  const { status, stdout, stderr } = spawnSync(
    python,
    [
      join(root, "examples", example),
      SOURCE,
      join(directory, "built"),
      ...ENCODER,
      "--workers=2",
      "--keep",
      join(directory, "tables"),
      "--",
      "--base-url=/docs/",
    ],
    {
      cwd: directory,
      encoding: "utf8",
      // The loss of a killed worker is noticed after a while.
      timeout: 600_000,
      env: packageEnvironment(directory, program),
    },
  );
  assert.equal(status, 0, stdout + stderr);
}

/** Compares what a pipeline built with what one machine builds. */
function compare(directory) {
  const tables = readdirSync(join(directory, "tables/vectors"));
  assert.ok(tables.some((name) => name.endsWith(".parquet")));
  const once = join(directory, "once");
  const built = spawnSync(
    findling,
    ["build", SOURCE, "-o", once, "--no-cache", "--base-url=/docs/", ...ENCODER],
    { encoding: "utf8" },
  );
  assert.equal(built.status, 0, built.stderr);
  assert.deepEqual(files(join(directory, "built")), files(once));
  // Nothing is embedded again, so nothing was lost.
  const again = spawnSync(
    findling,
    [
      ...["build", "--json", "--no-client", "-o", join(directory, "again"), ...ENCODER],
      ...[join(directory, "tables/sections.parquet"), join(directory, "tables/vectors")],
    ],
    { encoding: "utf8" },
  );
  const embed = JSON.parse(again.stdout).stages.find((stage) => stage.name === "embed");
  assert.equal(embed.count, 0);
}

describe("a bundle of a pipeline", () => {
  const home = mkdtempSync(join(tmpdir(), "findling-engines-"));
  after(() => rmSync(home, { recursive: true, force: true }));
  const ray = process.env["FINDLING_RAY_PYTHON"];
  const daft = process.env["FINDLING_DAFT_PYTHON"];

  test("the package's own tests, with pyarrow", { skip: missing("FINDLING_RAY_PYTHON") }, () =>
    testPackage(ray),
  );

  test("of Ray Data is that of one machine, though a worker was killed", {
    skip: missing("FINDLING_RAY_PYTHON"),
  }, () => {
    const directory = mkdtempSync(join(home, "ray-"));
    const [program, killed] = [join(directory, "findling"), join(directory, "killed")];
    writeFileSync(program, killer(killed));
    chmodSync(program, 0o755);
    pipeline(ray, "ray/embed_with_ray_data.py", directory, program);
    assert.ok(existsSync(killed), "no worker was killed");
    compare(directory);
  });

  test("of Daft is that of one machine", { skip: missing("FINDLING_DAFT_PYTHON") }, () => {
    const directory = mkdtempSync(join(home, "daft-"));
    pipeline(daft, "daft/embed_with_daft.py", directory, findling);
    compare(directory);
  });
});
