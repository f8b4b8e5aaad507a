// How good and how fast is search compared with MiniSearch, Orama and Pagefind on the same
// documents, and how large is the index?
//
//   cargo xtask bench peers SET... [--most N] [--words] [--json]
//
// A SET is a judged set: a directory with queries.jsonl, qrels.tsv, and corpus.jsonl or site/
// (HTML, of which every tool gets title and text). `--most` takes the first N queries. `--words`
// leaves out hybrid search, for which all documents are embedded once (minutes for thousands;
// cached).
//
// All tools search in this one process of Node: Findling with its wasm engine, streamed as in a
// browser; Pagefind with its own client without a worker, over HTML pages with the title as
// heading. MiniSearch has `boost: { title: 2 }, combineWith: "OR"`, with `fuzzy` off and at .2.
// Orama has BM25 with English stemming and the same boost; its default treats words as beginnings
// of words. All other options are defaults.
//
// - nDCG@10: a query without results counts 0. Queries are given as they are, so Pagefind looks for
//   pages with all of their words.
// - none: the share of queries without a result.
// - ms: of a query with everything in memory (each is asked twice, the second time counts). Only
//   the answers of Findling include ten snippets.
// - index: bytes that a site deploys without code: as written, with gzip -9 of each file, and
//   divided by the bytes of the texts. The indexes of Findling and Pagefind are compressed already.
//   The index of MiniSearch does not contain the texts.

import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { ndcg, readSet } from "./lib/judged.mjs";
import { tools } from "./lib/searchers.mjs";
import { mean, quantile } from "./lib/statistics.mjs";

const USAGE = "SET... [--most N] [--words] [--json]";
const here = dirname(fileURLToPath(import.meta.url));

function readArguments() {
  const options = {
    most: { type: "string" },
    words: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals.length === 0) throw new Error(`expected ${USAGE}`);
  const most = values.most === undefined ? Infinity : Number(values.most);
  if (!(most >= 1)) throw new Error(`--most ${values.most}: expected a number from 1`);
  for (const set of positionals) {
    if (!existsSync(set) || !statSync(set).isDirectory())
      throw new Error(`${set}: expected the directory of a judged set`);
  }
  const program = process.env.FINDLING_BIN ?? join(here, "../../target/release/findling");
  if (!existsSync(program))
    throw new Error(
      `${program}: not found. Build it with \`cargo xtask cli\`, or set FINDLING_BIN.`,
    );
  const engineDirectory = resolve(
    process.env.FINDLING_ENGINE ?? join(here, "../../www/wasm/engine"),
  );
  return {
    sets: positionals,
    most,
    json: values.json,
    toolOptions: { program, engineDirectory, hybrid: !values.words },
  };
}

const total = (files) => files.reduce((sum, { length }) => sum + length, 0);

async function measure(tool, { documents, queries }, textBytes) {
  const scratch = mkdtempSync(join(tmpdir(), "findling-peers-"));
  try {
    const { search, ids, files } = await tool(documents, scratch);
    const found = [];
    for (const { text } of queries) found.push(await ids(await search(text)));
    const times = [];
    for (const { text } of queries) {
      const start = performance.now();
      await search(text);
      times.push(performance.now() - start);
    }
    const bytes = total(files);
    return {
      ndcg: mean(queries.map(({ grades }, i) => ndcg(found[i], grades))),
      none: found.filter((ids) => ids.length === 0).length / queries.length,
      p50: quantile(times, 0.5),
      p95: quantile(times, 0.95),
      bytes,
      gzip: total(files.map((file) => gzipSync(file, { level: 9 }))),
      perTextByte: bytes / textBytes,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const COLUMNS = [
  ["nDCG@10", ({ ndcg }) => ndcg.toFixed(3)],
  ["none %", ({ none }) => (100 * none).toFixed(1)],
  ["p50 ms", ({ p50 }) => p50.toFixed(2)],
  ["p95 ms", ({ p95 }) => p95.toFixed(2)],
  ["index kB", ({ bytes }) => (bytes / 1e3).toFixed(0)],
  ["gzip kB", ({ gzip }) => (gzip / 1e3).toFixed(0)],
  ["per text B", ({ perTextByte }) => perTextByte.toFixed(2)],
];

async function main() {
  const { sets, most, json, toolOptions } = readArguments();
  for (const directory of sets) {
    const set = readSet(directory);
    set.queries = set.queries.slice(0, most);
    const textBytes = set.documents.reduce(
      (sum, { title, text }) => sum + Buffer.byteLength(title) + Buffer.byteLength(text),
      0,
    );
    const name = basename(resolve(directory));
    const { documents, queries } = set;
    const megabytes = (textBytes / 1e6).toFixed(1);
    console.log(
      `${name}: ${documents.length} documents, ${megabytes} MB of text, ${queries.length} queries`,
    );
    console.log(" ".repeat(19) + COLUMNS.map(([title]) => title.padStart(11)).join(""));
    const report = {};
    for (const [label, tool] of Object.entries(tools(toolOptions))) {
      report[label] = await measure(tool, set, textBytes);
      console.log(
        label.padEnd(19) + COLUMNS.map(([, cell]) => cell(report[label]).padStart(11)).join(""),
      );
    }
    if (json) console.log(JSON.stringify({ set: name, tools: report }));
    console.log();
  }
}

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
