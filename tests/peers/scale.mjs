// How do a bundle, its build and a reader's first query grow with the number of pages?
//
//   cargo xtask bench scale [--pages N,...] [--encoder NAME,...] [--scratch DIR]
//                           [--out FILE] [--note TEXT] [-- OPTIONS OF findling build]
//
// Pages are generated (lib/generated.mjs), by default 1,000, 10,000 and 100,000; the pages of a
// smaller site are the first pages of a larger one. Each site is built once by each encoder
// (`none`, `hash`), without a cache and without a graph, since readers of a site fetch cells.
// `/usr/bin/time` (GNU) measures time, processor time and peak resident memory. A reader's bytes
// and requests come from `findling inspect --budget`: the median over 200 headings and sentences.
//
// "recall" is the share of the ten pages nearest in meaning, by a comparison with all vectors, that
// a search of the cells finds among its ten; over 100 headings.
//
// "warm query" is the time of the same headings in Chromium. Each is searched twice in a row; the
// second time counts, without the network.
//
// The result is written to bench/results/DATE-scale.json unless `--out` names another file. Rows of
// a file that is there stay if they are of another size or encoder, so that a million pages can be
// measured by themselves; the curves are drawn into docs/scale.svg. A million pages take 2.2 GB,
// and their bundle about as much.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chart } from "./lib/chart.mjs";
import { generate, page } from "./lib/generated.mjs";
import { columns, defaultPath, head, load, print, root, write } from "./lib/results.mjs";
import { warmTimes } from "./lib/warm.mjs";

const given = process.argv.slice(2);
const split = given.includes("--") ? given.indexOf("--") : given.length;
const { values: told } = parseArgs({
  args: given.slice(0, split),
  options: {
    pages: { type: "string", default: "1000,10000,100000" },
    encoder: { type: "string", default: "none,hash" },
    scratch: { type: "string" },
    out: { type: "string", default: defaultPath("scale") },
    note: { type: "string", default: "" },
  },
});
const options = given.slice(split + 1);
const findling = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
const time = "/usr/bin/time";
if (!existsSync(time))
  throw new Error(
    "GNU time is needed for processor time and memory (Debian: `apt-get install time`)",
  );

const SEED = 1;
const MEANING = { none: "words", hash: "words and hashed meaning", static: "static encoder" };
const N_QUERIES = 100;
/** More vectors than any site has. */
const NO_GRAPH = 2 ** 31;

const scratch = mkdtempSync(join(told.scratch ?? tmpdir(), "findling-scale-"));
const at = (name) => join(scratch, name);

function run(program, args, allowed = [0]) {
  const run = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error || !allowed.includes(run.status))
    throw new Error(`${program} ${args.join(" ")}: ${run.error ?? run.stderr}`);
  return run.stdout;
}

/** Builds a bundle; returns its time and memory. */
function build(site, bundle, encoder) {
  const command = [findling, "build", site, "--output", bundle, "--quiet", "--no-client"].concat([
    "--no-cache",
    "--encoder",
    encoder,
    `--graph-from=${NO_GRAPH}`,
    ...options,
  ]);
  run(time, ["-f", "%e %U %S %M", "-o", at("time"), ...command]);
  const line = readFileSync(at("time"), "utf8").trim().split("\n").at(-1);
  const [wall, user, system, kilobytes] = line.split(" ").map(Number);
  return [wall, Math.round((user + system) * 100) / 100, Math.round(kilobytes / 1024)];
}

function files(bundle) {
  const names = readdirSync(bundle, { recursive: true }).map((name) =>
    statSync(join(bundle, name)),
  );
  const sizes = names.filter((stat) => stat.isFile()).map((stat) => stat.size);
  return { n: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Medians of a reader: bytes of opening with the first query, and requests of that query. */
function reader(bundle) {
  const budget = JSON.parse(run(findling, ["inspect", bundle, "--budget", "--json"]));
  return [budget.firstWithOpening.stored / 1000, budget.first.requests.median];
}

/** The pages that a search by meaning finds, by query. */
function found(bundle, how) {
  const args = ["search", bundle, "--batch", at("queries"), "--mode", "semantic", "--limit", "10"];
  const found = new Map();
  for (const line of run(findling, [...args, ...how])
    .trim()
    .split("\n")) {
    const [query, , name] = line.split(/\s+/);
    found.set(query, [...(found.get(query) ?? []), name]);
  }
  return found;
}

function recall(bundle) {
  const [all, cells] = [found(bundle, []), found(bundle, ["--streamed"])];
  let [hits, n] = [0, 0];
  for (const [query, names] of all) {
    n += names.length;
    hits += names.filter((name) => cells.get(query)?.includes(name)).length;
  }
  return hits / n;
}

const before = load();
const rows = [];
for (const n of told.pages.split(",").map(Number)) {
  const { sections, bytes } = generate(at("site"), n, SEED);
  const every = Math.max(1, Math.floor(n / N_QUERIES));
  const pages = Array.from({ length: Math.min(n, N_QUERIES) }, (_, i) => page(i * every, SEED));
  const texts = pages.map(({ sections, title }) => sections[0]?.heading ?? title);
  const queries = pages.map(({ _id }, i) => ({ _id, text: texts[i] }));
  writeFileSync(at("queries"), queries.map((query) => `${JSON.stringify(query)}\n`).join(""));
  for (const encoder of told.encoder.split(",")) {
    const took = build(at("site"), at("bundle"), encoder);
    const { n: nFiles, bytes: stored } = files(at("bundle"));
    const near = encoder === "none" ? null : recall(at("bundle"));
    const warm = await warmTimes(at("bundle"), texts);
    const [median, most] = [0.5, 0.95].map((share) => warm[Math.floor(share * warm.length)]);
    const sizes = [encoder, n, sections, bytes / 1e6, ...took, stored / 1e6, nFiles];
    rows.push([...sizes, ...reader(at("bundle")), near, median, most]);
    print({ columns: [], rows: rows.slice(-1) });
    rmSync(at("bundle"), { recursive: true });
  }
  rmSync(at("site"), { recursive: true });
}
rmSync(scratch, { recursive: true });

const isNew = ([encoder, n]) => rows.some((row) => row[0] === encoder && row[1] === n);
const kept = existsSync(told.out) ? JSON.parse(readFileSync(told.out, "utf8")).rows : [];
const all = [...kept.filter((row) => !isNew(row)), ...rows];
all.sort((a, b) => a[0].localeCompare(b[0]) * -1 || a[1] - b[1]);
const table = {
  columns: [
    "meaning",
    "pages",
    "sections",
    ...columns(0, "input (MB)", "wall time (s)", "processor time (s)"),
    "peak memory (MB)",
    ...columns(1, "bundle (MB)"),
    "files",
    ...columns(0, "first query (kB)"),
    "requests",
    ...columns(3, "recall@10"),
    ...columns(0, "warm query (ms)", "95% (ms)"),
  ],
  rows: all,
};
print(table);
write(told.out, head("scale", told.note, before), table);

const CURVES = [
  ["processor time (s)", 5],
  ["memory of the build (MB)", 6],
  ["bundle (MB)", 7],
  ["first query (kB)", 9],
  ["requests of a first query", 10],
  ["recall@10 by cells", 11],
];
const encoders = [...new Set(all.map(([encoder]) => encoder))];
const drawn = CURVES.map(([title, column]) => ({
  title,
  of: encoders
    .map((name) => {
      const own = all.filter((row) => row[0] === name && row[column] !== null);
      return { name: MEANING[name] ?? name, points: own.map((row) => [row[1], row[column]]) };
    })
    .filter(({ points }) => points.length > 0),
  ...(title.startsWith("recall") ? { linear: [0, 1] } : {}),
})).filter(({ of }) => of.length > 0);
if (told.out.startsWith(join(root, "bench/results")))
  writeFileSync(join(root, "docs/scale.svg"), chart("Growth with the number of pages", drawn));
