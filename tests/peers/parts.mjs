// Time and memory of a build in parts, compared with one build of the same files.
//
//   cargo xtask bench parts SITE [PARTS] [-- OPTIONS OF findling build]
//   cargo xtask bench parts --pages N,... [PARTS] [-- OPTIONS OF findling build]
//
// SITE is built at once, and in PARTS parts (4), one after the other. The parts are merged, and the
// bundles are compared byte for byte. On several machines, the parts would take as long as the
// slowest of them. Embeddings are not cached. `/usr/bin/time` (GNU) measures time, processor time
// and peak resident memory.
//
// With --pages the sites are generated (lib/generated.mjs), and the table has the part that takes
// the most memory. The result is written to bench/results/DATE-parts-generated.json; rows of other
// sizes that are in it stay.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "./lib/generated.mjs";
import { columns, defaultPath, head, load, print, root, write } from "./lib/results.mjs";

const given = process.argv.slice(2);
const split = given.includes("--") ? given.indexOf("--") : given.length;
const options = given.slice(split + 1);
const told = given.slice(0, split);
const sizes = told[0] === "--pages" ? told.splice(0, 2)[1].split(",").map(Number) : undefined;
const [site, parts = "4"] = sizes ? ["", ...told] : told;
const n = Number(parts);
if (!(site || sizes?.every(Number.isInteger)) || !Number.isInteger(n) || n < 1)
  throw new Error("expected SITE or --pages N,... and [PARTS] [-- OPTIONS OF findling build]");
const findling = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
const time = "/usr/bin/time";
if (!existsSync(time))
  throw new Error(
    "GNU time is needed for processor time and memory (Debian: `apt-get install time`)",
  );
const scratch = mkdtempSync(join(tmpdir(), "findling-parts-"));
const at = (name) => join(scratch, name);

/** Runs the tool; returns its time and memory, and the bytes that it wrote. */
function measure(args, output) {
  const report = at("time");
  const command = [findling, ...args, "--quiet", "--output", output];
  const run = spawnSync(time, ["-f", "%e %U %S %M", "-o", report, ...command], {
    encoding: "utf8",
  });
  // Exit status 3 says that some files could not be read.
  if (run.error || ![0, 3].includes(run.status))
    throw new Error(`findling ${args.join(" ")}: ${run.error ?? run.stderr}`);
  const line = readFileSync(report, "utf8").trim().split("\n").at(-1);
  const [wall, user, system, kilobytes] = line.split(" ").map(Number);
  const cpu = Math.round((user + system) * 100) / 100;
  return [wall, cpu, Math.round(kilobytes / 1024), Math.round(bytesIn(output) / 1e4) / 100];
}

/** The files below a directory, or the file itself. */
function filesIn(path) {
  if (statSync(path).isFile()) return [path];
  const names = readdirSync(path, { recursive: true }).sort();
  return names.map((name) => join(path, name)).filter((name) => statSync(name).isFile());
}

const bytesIn = (path) => filesIn(path).reduce((sum, name) => sum + statSync(name).size, 0);

function isEqual(one, other) {
  const relative = (path) => filesIn(path).map((name) => name.slice(path.length));
  const names = relative(one);
  return (
    JSON.stringify(names) === JSON.stringify(relative(other)) &&
    names.every((name) => readFileSync(one + name).equals(readFileSync(other + name)))
  );
}

/** Builds a site at once and in parts; a row for each step. */
function steps(site) {
  const build = ["build", site, "--no-cache", ...options];
  const rows = [["one build", ...measure([...build, "--no-client"], at("once"))]];
  const files = [];
  for (let number = 1; number <= n; number++) {
    const file = at(`${number}.part`);
    rows.push([`part ${number}/${n}`, ...measure([...build, "--part", `${number}/${n}`], file)]);
    files.push(file);
  }
  rows.push([`merge of ${n}`, ...measure(["merge", "--no-client", ...files], at("merged"))]);
  const equal = isEqual(at("once"), at("merged"));
  for (const path of [...files, at("once"), at("merged")]) rmSync(path, { recursive: true });
  if (!equal) throw new Error("the merged bundle has other bytes than the one of a single build");
  return rows;
}

/** The part that takes the most memory, among several parts. */
function largest(rows) {
  const isPart = ([step]) => step.startsWith("part ");
  const most = rows.filter(isPart).reduce((a, b) => (b[3] > a[3] ? b : a));
  return rows.filter((row) => !isPart(row) || row === most);
}

const before = load();
const measured = [
  ...columns(1, "wall time (s)", "processor time (s)"),
  "peak memory (MB)",
  ...columns(1, "output (MB)"),
];
const same = "The merged bundle has the bytes of the one build.";
if (sizes) {
  const path = defaultPath("parts-generated");
  const earlier = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).rows : [];
  const rows = earlier.filter(([pages]) => !sizes.includes(pages));
  for (const pages of sizes) {
    generate(at("site"), pages);
    rows.push(...largest(steps(at("site"))).map((row) => [pages, ...row]));
    rmSync(at("site"), { recursive: true });
  }
  const table = { columns: ["pages", "step", ...measured], rows: rows.sort((a, b) => a[0] - b[0]) };
  print(table);
  write(path, head("parts-generated", same, before), table);
} else {
  const table = { columns: ["step", ...measured], rows: steps(site) };
  print(table);
  write(defaultPath("parts"), head("parts", same, before), table);
}
rmSync(scratch, { recursive: true });
