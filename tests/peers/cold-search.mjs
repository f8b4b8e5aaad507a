// How long does `findling search` take from a cold process on a site of 1,000 pages, and in which
// phase?
//
//   cargo xtask bench cold-search [--runs N] [--encoder NAME]... [--tool NAME=FINDLING]...
//                                 [--out FILE] [--note TEXT]
//
// The site is the first 1,000 pages of the books that come with Rust (`rustup component add rust-
// docs`), by book and path. It is built once for each encoder of documents: none, hash, static, and
// the transformer where its model is installed; `--encoder` chooses some of them. Each search is a
// process of its own, with the files in the page cache. `--tool` measures other builds of findling
// over the same bundles, in turn with the first, so that a busy machine slows all alike.
//
// "CPU" is the processor time of the process, which other load on the machine changes least.
// "process" is the time from starting the process to its end, as the shell sees it. The other
// columns are the phases that `findling search --timings` reports. The difference is the time for
// starting the program and freeing its memory. "fastest" is the fastest of all runs; other times
// are medians.
//
// The result is written to bench/results/DATE-cold-search.json unless `--out` names another file.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { columns, defaultPath, head, load, print, root, write } from "./lib/results.mjs";
import { median } from "./lib/statistics.mjs";

const scratch = join(root, "target/cold-search");

const N_PAGES = 1000;
const BOOKS = [
  "book",
  "reference",
  "cargo",
  "rust-by-example",
  "nomicon",
  "edition-guide",
  "error_codes",
];
/** Whole books on one page, tables of contents, stubs that lead elsewhere, and translations. */
const NOT_PAGES = new Set(["print.html", "toc.html", "404.html"]);
const NOT_BOOKS = new Set([
  "first-edition",
  "second-edition",
  "2018-edition",
  "es",
  "ja",
  "ko",
  "zh",
  "theme",
]);

const MODEL = "all-minilm-l6-v2";
/** Encoder of the documents, and the options of `findling search` for the query's encoder. */
const VARIANTS = [
  { documents: "none", query: "auto" },
  { documents: "hash", query: "auto" },
  { documents: "static", query: "auto" },
  { documents: MODEL, query: "static" },
  { documents: MODEL, query: "auto" },
];

const QUERIES = [
  "how do I share data between threads",
  "use of moved value",
  "lifetime elision",
  "build profile optimization level",
  "what is a dangling pointer",
];

const PHASES = ["open", "encoder", "embed", "read", "decode", "search", "print"];
const COLUMNS = [
  "tool",
  "documents",
  "queries",
  ...columns(0, "CPU (ms)"),
  ...columns(1, "process (ms)", "fastest (ms)", ...PHASES),
];

function readArguments() {
  const options = {
    encoder: { type: "string", multiple: true, default: [] },
    runs: { type: "string", default: "40" },
    tool: { type: "string", multiple: true, default: [] },
    out: { type: "string" },
    note: { type: "string", default: "" },
  };
  const { values } = parseArgs({ options });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1)
    throw new Error(`--runs ${values.runs}: expected a whole number from 1`);
  const own = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
  const others = values.tool.map((given) => {
    const [name, path] = given.split("=");
    if (!path || !existsSync(path))
      throw new Error(`--tool ${given}: expected NAME=FILE, where FILE is a findling`);
    return { name, path: resolve(path) };
  });
  const out = values.out ?? defaultPath("cold-search");
  const unknown = values.encoder.find((name) => !VARIANTS.some((v) => v.documents === name));
  if (unknown)
    throw new Error(`--encoder ${unknown}: expected one of none, hash, static, ${MODEL}`);
  const { encoder, note } = values;
  return {
    runs,
    encoders: encoder,
    tools: [{ name: "findling", path: own }, ...others],
    out,
    note,
  };
}

/** The pages below a directory of Rust's documentation, in the order of their paths. */
function pagesOf(directory) {
  const entries = readdirSync(directory, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return NOT_BOOKS.has(entry.name) ? [] : pagesOf(path);
    return entry.name.endsWith(".html") && !NOT_PAGES.has(entry.name) ? [path] : [];
  });
}

/** Copies the site's pages into `into`. */
function stage(into) {
  const sysroot = execFileSync("rustc", ["--print", "sysroot"], { cwd: root, encoding: "utf8" });
  const html = join(sysroot.trim(), "share/doc/rust/html");
  const books = BOOKS.map((book) => join(html, book)).filter((book) => existsSync(book));
  const pages = books.flatMap(pagesOf).slice(0, N_PAGES);
  if (pages.length < N_PAGES)
    throw new Error(
      `${html}: expected ${N_PAGES} pages, found ${pages.length}; ` +
        "`rustup component add rust-docs` installs them",
    );
  rmSync(into, { recursive: true, force: true });
  for (const page of pages) cpSync(page, join(into, relative(html, page)));
}

function run(tool, args) {
  // The shell reports processor time to a millisecond.
  const timed = ["-c", 'TIMEFORMAT="%U %S"; time "$@"', "bash", tool, ...args];
  const began = process.hrtime.bigint();
  const done = spawnSync("bash", timed, { encoding: "utf8" });
  const ms = Number(process.hrtime.bigint() - began) / 1e6;
  if (done.error || done.status !== 0)
    throw new Error(`${tool} ${args.join(" ")}: ${done.error ?? done.stderr}`);
  const [user, system] = done.stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return { ms, cpu: 1000 * (user + system), stdout: done.stdout };
}

/** Builds the bundle of each available encoder, and the variants that can be measured. */
function build(tool, site, encoders) {
  const built = new Map();
  const wanted = VARIANTS.filter(
    ({ documents }) => encoders.length === 0 || encoders.includes(documents),
  );
  for (const { documents } of wanted) {
    if (built.has(documents)) continue;
    const bundle = join(scratch, documents);
    const encoder = documents === MODEL ? [] : ["--encoder", documents];
    if (documents === MODEL && spawnSync(tool, ["models", "verify", MODEL]).status !== 0) {
      console.log(`without ${MODEL}: \`findling models install ${MODEL}\` installs it`);
      continue;
    }
    run(tool, ["build", site, "-o", bundle, "--no-client", "--quiet", ...encoder]);
    built.set(documents, bundle);
  }
  return wanted
    .filter(({ documents }) => built.has(documents))
    .map((variant) => ({
      ...variant,
      bundle: built.get(variant.documents),
    }));
}

/** One search: milliseconds of the process and of each phase. */
function search(tool, { bundle, query }, words) {
  const args = ["search", bundle, words, "--timings", "--query-encoder", query];
  const { ms, cpu, stdout } = run(tool, args);
  const phases = Object.fromEntries(
    [...stdout.matchAll(/^(\w+) +([\d.]+) ms/gm)].map(([, phase, taken]) => [phase, Number(taken)]),
  );
  return { process: ms, cpu, ...phases };
}

/** The summary of the runs of a tool and a variant. */
function row(tool, { documents, query }, found) {
  const of = (phase) => found.map((times) => times[phase] ?? Number.NaN);
  const queries = query === "auto" ? documents : query;
  const times = PHASES.map((phase) => median(of(phase)));
  const whole = [median(of("cpu")), median(of("process")), Math.min(...of("process"))];
  return [tool.name, documents, queries, ...whole]
    .concat(times)
    .map((cell) => (typeof cell === "number" ? Number(cell.toFixed(1)) : cell));
}

const { runs, encoders, tools, out, note } = readArguments();
const site = join(scratch, "site");
stage(site);
const variants = build(tools[0].path, site, encoders);
const found = variants.map(() => tools.map(() => []));
const loadBefore = load();
// The first turn only fills the page cache.
for (let turn = 0; turn <= runs; turn++) {
  for (const [i, variant] of variants.entries()) {
    for (const [j, tool] of tools.entries()) {
      const times = search(tool.path, variant, QUERIES[turn % QUERIES.length]);
      if (turn > 0) found[i][j].push(times);
    }
  }
}
const rows = variants.flatMap((variant, i) =>
  tools.map((tool, j) => row(tool, variant, found[i][j])),
);
const bytes = (directory) =>
  readdirSync(directory, { recursive: true }).reduce(
    (sum, name) => sum + statSync(join(directory, name)).size,
    0,
  );
const sizes = variants.map(
  ({ documents, bundle }) => `${documents} ${(bytes(bundle) / 1e6).toFixed(1)} MB`,
);
const rustc = execFileSync("rustc", ["--version"], { cwd: root, encoding: "utf8" }).trim();
const about = `${N_PAGES} pages of ${rustc}; bundles: ${[...new Set(sizes)].join(", ")}. ${note}`;
const table = { columns: COLUMNS, rows };
write(out, head("cold-search", about.trim(), loadBefore), table);
print(table);
console.log(`written to ${out}`);
