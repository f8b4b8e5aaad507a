// Time and memory of a build for search by words, compared with Pagefind on the same HTML.
//
//   cargo xtask bench build SITE [RUNS]
//
// SITE is a directory of rendered HTML. Both tools run RUNS times (3), in turn, so that other load
// on the machine affects both. The output is the minimum of each: wall time, CPU time and peak
// resident memory, as reported by `/usr/bin/time` (GNU). Findling builds with `--encoder none`,
// since Pagefind has no vectors.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [site, runs = "3"] = process.argv.slice(2);
if (!site) throw new Error("expected SITE [RUNS]");
const findling = process.env.FINDLING_BIN ?? join(here, "../../target/release/findling");
const time = "/usr/bin/time";
if (!existsSync(time))
  throw new Error(
    "GNU time is needed for processor time and memory (Debian: `apt-get install time`)",
  );

const scratch = mkdtempSync(join(tmpdir(), "findling-peers-"));
const tools = {
  findling: (out) => [
    findling,
    "build",
    site,
    "-o",
    out,
    "--no-client",
    "--encoder",
    "none",
    "--quiet",
  ],
  pagefind: (out) => [
    join(here, "node_modules/.bin/pagefind"),
    "--site",
    site,
    "--output-path",
    out,
    "--silent",
  ],
};

/** Runs one build; returns its time and memory. */
function measure(name, out) {
  rmSync(out, { recursive: true, force: true });
  const report = join(scratch, "time");
  const command = tools[name](out);
  const run = spawnSync(time, ["-f", "%e %U %S %M", "-o", report, ...command], {
    encoding: "utf8",
  });
  // Exit status 1 of a finished build says that some pages could not be read.
  if (run.error || !existsSync(out)) throw new Error(`${name} failed: ${run.error ?? run.stderr}`);
  const line = readFileSync(report, "utf8").trim().split("\n").at(-1);
  const [wall, user, system, kilobytes] = line.split(" ").map(Number);
  return { wall, cpu: user + system, megabytes: kilobytes / 1024 };
}

function bytesIn(dir) {
  return readdirSync(dir, { recursive: true }).reduce((sum, name) => {
    const stat = statSync(join(dir, name));
    return sum + (stat.isFile() ? stat.size : 0);
  }, 0);
}

const best = {};
for (let run = 0; run < Number(runs); run++) {
  for (const name of Object.keys(tools)) {
    const took = measure(name, join(scratch, name));
    best[name] ??= took;
    for (const key of Object.keys(took)) best[name][key] = Math.min(best[name][key], took[key]);
  }
}
const pages = readdirSync(resolve(site), { recursive: true }).filter((name) =>
  name.endsWith(".html"),
).length;
console.log(`${pages} HTML files, the least of ${runs} runs each`);
console.log("            wall s     cpu s   peak MB  output MB");
for (const [name, { wall, cpu, megabytes }] of Object.entries(best)) {
  const output = bytesIn(join(scratch, name)) / 1e6;
  const cells = [wall.toFixed(2), cpu.toFixed(2), megabytes.toFixed(0), output.toFixed(1)];
  console.log(name.padEnd(9) + cells.map((cell) => cell.padStart(10)).join(""));
}
rmSync(scratch, { recursive: true });
