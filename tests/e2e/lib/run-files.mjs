// Runs files of tests one after the other, and runs failed files once more. Browsers, processes and
// networks of a busy machine are late now and then; what fails twice is a fault. Tests that passed
// only the second time are named, so that somebody looks at them.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where more files than this fail, something is broken, and a second run would take long. */
const MAX_FAILED_FILES = 2;
const reporter = fileURLToPath(new URL("failed-tests.mjs", import.meta.url));

/** Runs `files` with the Node at `node`, in the directory `cwd`. Returns the exit status. */
export function runFiles(node, files, cwd) {
  const first = run(node, files, cwd, "inherit");
  const again = [...new Set(first.failed.map(({ file }) => file))];
  if (first.status === 0 || again.length === 0 || again.length > MAX_FAILED_FILES)
    return first.status;

  console.log(`\nRuns ${again.length} failed files again: ${again.join(", ")}`);
  const second = run(node, again, cwd, "pipe");
  // The prefix hides the totals of the second run, which are not totals of tests.
  for (const line of second.output.split("\n")) console.log(`again | ${line}`);
  if (second.status !== 0) return second.status;
  const names = first.failed.map(({ name }) => name);
  console.log(`${names.length} failed tests passed when run again: ${names.join("; ")}`);
  return 0;
}

function run(node, files, cwd, stdout) {
  const directory = mkdtempSync(join(tmpdir(), "findling-tests-"));
  try {
    const list = join(directory, "failed");
    // One file at a time: two browsers on two cores run into timeouts.
    const { status, stdout: output } = spawnSync(
      node,
      [
        "--test",
        "--test-concurrency=1",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        `--test-reporter=${reporter}`,
        `--test-reporter-destination=${list}`,
        ...files,
      ],
      { cwd, stdio: ["inherit", stdout, "inherit"], encoding: "utf8", maxBuffer: 2 ** 28 },
    );
    const failed = readFileSync(list, "utf8").split("\n").filter(Boolean).map(JSON.parse);
    return { status: status ?? 1, output: output ?? "", failed };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
