// How long does a collection of source code take: to build, to bring up to date after an edit, and
// to search?
//
//   cargo xtask bench collections [--files N] [--runs N] [--from DIR] [--encoder NAME] [--out FILE]
//                                 [--note TEXT]
//
// The files (10,000 unless given) are the sources of this repository's own dependencies, which
// cargo keeps below its home directory, or the files below `--from`: files of code of at most 64
// kB, in the order of a hash of their paths. `--encoder none`, the default, builds for search by
// words.
//
// "sync after an edit" appends a function to one file, and to another file in each run. "search
// from a cold process" starts a process for each query, with the files in the page cache. "warm
// search" is the engine's time for ten results with everything in memory (`findling eval`), for 200
// headings of the collection. It is measured again under a filter that keeps one directory, about
// one file in a hundred. Times of processes are measured from the shell; `/usr/bin/time` (GNU)
// measures CPU time and memory.
//
// The result is written to bench/results/DATE-collections.json unless `--out` names another file.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { extname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { columns, defaultPath, head, load, print, root, write } from "./lib/results.mjs";
import { median } from "./lib/statistics.mjs";

const scratch = join(root, "target/collections-bench");
const TIME = "/usr/bin/time";

const CODE = new Set([".rs", ".c", ".h", ".cpp", ".go", ".java", ".js", ".py", ".ts"]);
const MAX_BYTES = 64 << 10;
const NAME = "code";
const QUERIES = [
  "parse a duration from a string",
  "read exact bytes into buffer",
  "thread pool",
  "hash map entry",
  "unicode normalisation",
];

function readArguments() {
  const options = {
    files: { type: "string", default: "10000" },
    runs: { type: "string", default: "5" },
    from: { type: "string" },
    encoder: { type: "string", default: "none" },
    out: { type: "string" },
    note: { type: "string", default: "" },
  };
  const { values } = parseArgs({ options });
  const number = (name) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1)
      throw new Error(`--${name} ${values[name]}: expected a whole number from 1`);
    return value;
  };
  if (!existsSync(TIME))
    throw new Error(`${TIME}: GNU time is needed (Debian: \`apt-get install time\`)`);
  return {
    ...values,
    files: number("files"),
    runs: number("runs"),
    from: values.from && resolve(values.from),
    out: values.out ?? defaultPath("collections"),
    findling: process.env.FINDLING_BIN ?? join(root, "target/release/findling"),
  };
}

/** The directories with the sources of the dependencies. */
function registries() {
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
  return existsSync(sources) ? readdirSync(sources).map((name) => join(sources, name)) : [];
}

/** Copies the files into `into`, and returns their paths and their bytes. */
function stage(directories, n, into) {
  const all = directories.flatMap((directory) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && CODE.has(extname(entry.name)))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => statSync(path).size <= MAX_BYTES)
      .map((path) => [path, relative(directory, path)]),
  );
  const order = ([, name]) => createHash("sha256").update(name).digest("hex");
  const keyed = all.map((file) => [order(file), ...file]).sort(([a], [b]) => (a < b ? -1 : 1));
  if (keyed.length < n)
    throw new Error(
      `expected ${n} files of code, found ${keyed.length} in ${directories.join(", ")}; name a ` +
        "directory with more by --from, or take fewer with --files",
    );
  rmSync(into, { recursive: true, force: true });
  const taken = keyed.slice(0, n).map(([, path, name]) => [path, join(into, name)]);
  for (const [path, copy] of taken) cpSync(path, copy);
  const bytes = taken.reduce((sum, [, copy]) => sum + statSync(copy).size, 0);
  return { paths: taken.map(([, copy]) => copy), bytes };
}

const report = join(scratch, "time");

/** Runs the tool; returns its output, time and memory. */
function run(findling, ...args) {
  const env = { ...process.env, FINDLING_HOME: join(scratch, "home") };
  const command = ["-q", "-f", "%e %U %S %M", "-o", report, findling, ...args];
  const began = process.hrtime.bigint();
  const done = spawnSync(TIME, command, { encoding: "utf8", env, maxBuffer: 1 << 28 });
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  if (done.error || ![0, 3].includes(done.status))
    throw new Error(`findling ${args.join(" ")}: ${done.error ?? done.stderr}`);
  const line = readFileSync(report, "utf8").trim().split("\n").at(-1);
  const [, user, system, kilobytes] = line.split(" ").map(Number);
  return { seconds, cpu: user + system, megabytes: kilobytes / 1024, stdout: done.stdout };
}

/** The medians of several runs. */
function medians(runs) {
  const of = (key) => median(runs.map((run) => run[key]));
  return { seconds: of("seconds"), cpu: of("cpu"), megabytes: of("megabytes") };
}

const times = (n, make) => Array.from({ length: n }, (_, i) => make(i));

/** A row of the table. */
function row(what, { seconds, cpu, megabytes }, goal) {
  const round = (value, decimals) => Number(value.toFixed(decimals));
  return [what, round(seconds, 3), round(cpu, 2), Math.round(megabytes), goal];
}

/** The goals for a search from a cold process, for 10,000 files and for 100,000 sections. */
const coldGoal = (sections) =>
  sections >= 100_000 ? "0.1 s; 0.25 s at 100,000 sections" : "0.1 s";

/**
 * A filter that keeps about one file in a hundred: the files of the directory whose number is
 * nearest to that.
 */
function onePercent(paths, source) {
  const counts = new Map();
  for (const path of paths) {
    const [directory] = relative(source, path).split("/");
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  const distance = ([, n]) => Math.abs(n - paths.length / 100);
  const [[directory, n]] = [...counts].sort((a, b) => distance(a) - distance(b));
  return { filter: `path~${directory}/`, share: n / paths.length };
}

function measure({ files, runs, encoder, findling }, paths) {
  const source = join(scratch, "source");
  const add = ["collection", "add", NAME, source, "--kind", "code", "--encoder", encoder];
  const goals = files >= 10_000 && encoder === "none";
  const goal = (text) => (goals ? text : null);
  const built = run(findling, ...add, "--quiet");
  const sync = () => run(findling, "sync", NAME, "--json", "--quiet");
  // Files that were written just before are compared by their contents.
  sync();
  const unchanged = medians(times(runs, sync));
  const edited = times(runs, (i) => {
    const path = paths[Math.floor((i * paths.length) / runs)];
    appendFileSync(path, `\nint added_by_an_edit_${i}(void) { return ${i}; }\n`);
    return sync();
  });
  const [{ pages, sections, bundleBytes }] = JSON.parse(edited.at(-1).stdout).collections;
  const cold = QUERIES.flatMap((query) =>
    times(runs, () => run(findling, "search", NAME, query, "--quiet")),
  );
  const warm = (what, options) => {
    const { stdout, megabytes } = run(
      findling,
      ...["eval", NAME, "--mode", "lexical", "--json", ...options],
    );
    const [mode] = JSON.parse(stdout).modes;
    const { p50, p95 } = mode.searchMs ?? mode.search_ms;
    const line = (name, ms, goal) => [
      `${what}, ${name}`,
      Number((ms / 1000).toFixed(4)),
      null,
      Math.round(megabytes),
      goal,
    ];
    return [line("median", p50, null), line("95%", p95, goal("0.02 s"))];
  };
  const { filter, share } = onePercent(paths, source);
  const rows = [
    row("add", built, goal("30 s, 1 GB")),
    row("sync, nothing changed", unchanged, null),
    row("sync after an edit", medians(edited), goal("2 s, 1 GB")),
    row("search from a cold process", medians(cold), goal(coldGoal(sections))),
    ...warm("warm search", []),
    ...warm(`warm search, ${(100 * share).toFixed(1)}% kept by a filter`, ["--filter", filter]),
  ];
  return { rows, size: { pages, sections, bundleBytes } };
}

const options = readArguments();
mkdirSync(scratch, { recursive: true });
rmSync(join(scratch, "home"), { recursive: true, force: true });
const from = options.from ? [options.from] : registries();
const { paths, bytes } = stage(from, options.files, join(scratch, "source"));
const loadBefore = load();
const { rows, size } = measure(options, paths);
const note =
  `${options.files} files of code, ${(bytes / 1e6).toFixed(1)} MB; ${size.pages} pages, ` +
  `${size.sections} sections, bundle ${(size.bundleBytes / 1e6).toFixed(1)} MB; encoder ` +
  `${options.encoder}. Times are medians. ${options.note}`.trim();
const figures = [...columns(3, "time (s)"), ...columns(2, "CPU (s)")];
const table = { columns: ["what", ...figures, "memory (MB)", "goal"], rows };
write(options.out, head("collections", note, loadBefore), table);
print(table);
console.log(note);
console.log(`written to ${options.out}`);
