// How good are the results on judged sets: by words, with the static encoder, with the transformer?
//
//   cargo xtask bench quality SETS [--encoder NAME] [--table FILE] [--only SET] [--out FILE]
//                             [--note TEXT]
//
// SETS is a directory with judged sets, each a directory with corpus.jsonl (or site/),
// queries.jsonl and qrels.tsv. Each set is built once, with the encoder's vectors (the default
// model's unless given). Its queries are embedded by the static encoder, by the transformer as it
// is, and by the transformer as `findling models prepare` makes it for readers ("prepared").
// "streamed" uses only the vectors of the cells that a browser would fetch. With `--encoder static`
// there is no transformer.
//
// The tables have nDCG@10, and differences of it with the interval of 95% confidence by the paired
// bootstrap over the queries. The result is written to bench/results/DATE-quality.json unless
// `--out` names another file.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pairedDifference } from "./lib/bootstrap.mjs";
import { columns, defaultPath, head, load, print, root, write } from "./lib/results.mjs";
import { mean } from "./lib/statistics.mjs";

const USAGE = "SETS [--encoder NAME] [--table FILE] [--only SET] [--out FILE] [--note TEXT]";
const MODEL = "all-minilm-l6-v2";

/** The measured searches: a name, the queries' encoder with its options, and the mode. */
const STATIC = [
  { name: "words", options: ["--query-encoder", "none"], mode: "lexical" },
  { name: "meaning, static", options: ["--query-encoder", "static"], mode: "semantic" },
  { name: "both, static", options: ["--query-encoder", "static"], mode: "hybrid" },
  {
    name: "both, static, streamed",
    options: ["--query-encoder", "static", "--streamed"],
    mode: "hybrid",
  },
];
const withTransformer = (prepared) => [
  ...STATIC,
  { name: "meaning, transformer", options: ["--query-encoder", "transformer"], mode: "semantic" },
  { name: "both, transformer", options: ["--query-encoder", "transformer"], mode: "hybrid" },
  { name: "both, prepared", options: ["--query-encoder", prepared], mode: "hybrid" },
];
/** The differences that are shown: the first minus the second. */
const COMPARED = [
  ["both, static", "words"],
  ["both, static, streamed", "both, static"],
  ["meaning, static", "meaning, transformer"],
  ["both, static", "both, transformer"],
  ["both, prepared", "both, transformer"],
];

function readArguments() {
  const options = {
    encoder: { type: "string", default: MODEL },
    table: { type: "string" },
    only: { type: "string", multiple: true },
    out: { type: "string", default: defaultPath("quality") },
    note: { type: "string", default: "" },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals.length !== 1) throw new Error(`expected ${USAGE}`);
  const [directory] = positionals;
  const sets = readdirSync(directory)
    .filter((name) => values.only === undefined || values.only.includes(name))
    .map((name) => join(resolve(directory), name))
    .filter((path) => existsSync(join(path, "qrels.tsv")))
    .sort();
  if (sets.length === 0)
    throw new Error(`${directory}: expected directories with qrels.tsv, found none`);
  const findling = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
  return { ...values, sets, findling };
}

/** The nDCG@10 of each query, by the names of the measured searches. */
function measure(run, set, bundle, measured) {
  const judged = ["--queries", join(set, "queries.jsonl"), "--qrels", join(set, "qrels.tsv")];
  return Object.fromEntries(
    measured.map(({ name, options, mode }) => {
      const args = ["eval", bundle, ...judged, "--mode", mode, "--json", "--per-query", ...options];
      const [{ queries }] = JSON.parse(run(...args)).modes;
      return [name, queries.map((query) => query["ndcg@10"])];
    }),
  );
}

const round = (value) => Number(value.toFixed(4));
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;

const { encoder, table, sets, findling, out, note } = readArguments();
const scratch = mkdtempSync(join(tmpdir(), "findling-quality-"));
const run = (...args) =>
  execFileSync(findling, ["--quiet", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 28,
  });
const loadBefore = load();
const measured = encoder === "static" ? STATIC : withTransformer(join(scratch, "prepared"));
const found = new Map();
try {
  if (encoder !== "static")
    run("models", "prepare", encoder, "--output", join(scratch, "prepared"));
  for (const set of sets) {
    const input = [join(set, "site"), join(set, "corpus.jsonl")].find(existsSync);
    if (!input) throw new Error(`${set}: expected site/ or corpus.jsonl, found neither`);
    const bundle = join(scratch, basename(set));
    const rows = table ? ["--table", resolve(table)] : [];
    run("build", input, "--output", bundle, "--no-client", "--encoder", encoder, ...rows);
    found.set(basename(set), measure(run, set, bundle, measured));
    rmSync(bundle, { recursive: true, force: true });
    console.error(`measured ${basename(set)}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const names = measured.map(({ name }) => name);
const ndcg = [...found].map(([set, by]) => [
  set,
  by[names[0]].length,
  ...names.map((name) => round(mean(by[name]))),
]);
ndcg.push(["mean", null, ...names.map((_, i) => round(mean(ndcg.map((cells) => cells[i + 2]))))]);
const differences = [...found].flatMap(([set, by]) =>
  COMPARED.filter((pair) => pair.every((name) => by[name])).map(([a, b]) => {
    const { mean: difference, low, high } = pairedDifference(by[a], by[b]);
    return [set, `${a} − ${b}`, signed(difference), `${signed(low)} to ${signed(high)}`];
  }),
);
const tables = [
  {
    id: "ndcg",
    columns: ["set", "queries", ...columns(4, ...names)],
    rows: ndcg,
  },
  {
    id: "differences",
    columns: ["set", "difference of nDCG@10", "mean", "95%"],
    rows: differences,
  },
];
write(out, head("quality", `Documents by ${encoder}. ${note}`.trim(), loadBefore), tables);
for (const table of tables) print(table);
console.log(`written to ${out}`);
