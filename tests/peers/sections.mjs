// The share of questions whose right page is among ten, and whose right section is shown with it,
// compared with Pagefind.
//
//   cargo xtask bench sections SETS NAME=TREE... [--bundles DIR] [--transformer NAME,...]
//     [--no-pagefind NAME,...] [--split dev|test] [--archive] [--json FILE]
//
// SETS is a directory that tests/quality/sections.py made of the same trees: a directory for each
// NAME with queries.jsonl. Findling searches as a browser does by default, streamed and with the
// static encoder; the sources of `--transformer` are also embedded and asked by the transformer.
// `--bundles` keeps the bundles. Pagefind indexes the HTML, and searches with its own client and
// its defaults; `--no-pagefind` names sources that are not HTML.
//
// A page shows up to three sections: Findling's first three, and Pagefind's three with the most
// words of the query, which its user interface shows. The first of them counts as the section
// shown.
//
// - page: the share of questions whose right page is among ten.
// - section: among these, the share whose right section is the one shown with the page.
// - of three: among these, the share whose right section is among three.
// - MRR: the mean of 1 / rank of the first right page whose right section is shown; 0 if there is
//   none among ten.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pairedDifference } from "./lib/bootstrap.mjs";
import { jsonLines } from "./lib/judged.mjs";
import { defaultPath, head, load, print, write } from "./lib/results.mjs";
import { openPagefind } from "./lib/searchers.mjs";
import { mean } from "./lib/statistics.mjs";

const USAGE =
  "SETS NAME=TREE... [--bundles DIR] [--transformer NAME,...] [--no-pagefind NAME,...] " +
  "[--archive] [--json FILE]";
const LIMIT = 10;
const SHOWN = 3;
const here = dirname(fileURLToPath(import.meta.url));
// Indexes of documentation, which would answer every question.
const INDEXES = ["bookindex.html", "genindex*.html", "py-modindex.html"];

function readArguments() {
  const options = {
    bundles: { type: "string" },
    transformer: { type: "string", default: "" },
    "no-pagefind": { type: "string", default: "" },
    archive: { type: "boolean", default: false },
    json: { type: "string" },
  };
  const {
    values,
    positionals: [sets, ...trees],
  } = parseArgs({ options, allowPositionals: true });
  if (trees.length === 0 || trees.some((tree) => !tree.includes("=")))
    throw new Error(`expected ${USAGE}`);
  const program = process.env.FINDLING_BIN ?? join(here, "../../target/release/findling");
  if (!existsSync(program))
    throw new Error(`${program}: not found. Build it with \`cargo xtask cli\`.`);
  const sources = trees.map((tree) => {
    const [name, path] = tree.split("=");
    const queries = join(sets, name, "queries.jsonl");
    if (!existsSync(queries))
      throw new Error(`${queries}: there is no such file; make it with tests/quality/sections.py`);
    return { name, tree: resolve(path), queries };
  });
  const names = (list) => new Set(list.split(","));
  return {
    ...values,
    program,
    sources,
    transformer: names(values.transformer),
    noPagefind: names(values["no-pagefind"]),
  };
}

function run(program, line) {
  const { status, stdout, stderr } = spawnSync(program, line, {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  // Exit status 3 means that some pages could not be read.
  if (status !== 0 && status !== 3) throw new Error(`findling ${line[0]} failed: ${stderr.trim()}`);
  return stdout;
}

/** The bundle of a tree, built if it is not there. */
function built({ name, tree }, encoder, directory, program) {
  const bundle = join(directory, encoder === "static" ? name : `${name}-${encoder}`);
  if (!existsSync(join(bundle, "findling.idx"))) {
    const exclude = INDEXES.flatMap((pattern) => ["--exclude", pattern]);
    // Rows of the static encoder that are fitted to the site have no influence on the transformer.
    const fit = encoder === "static" ? [] : ["--no-fit"];
    const how = ["--no-client", "--encoder", encoder, "--language", "en", "--quiet", ...fit];
    run(program, ["build", tree, "-o", bundle, ...how, ...exclude]);
  }
  return bundle;
}

/** The pages of each query: `{ id, anchors }`, anchors of the sections shown, best first. */
function findling(program, bundle, queries, mode, encoder) {
  const how = ["--mode", mode, "--query-encoder", encoder, "--limit", `${LIMIT}`, "--streamed"];
  const output = run(program, ["search", bundle, "--batch", queries, "--format", "json", ...how]);
  const answers = output.split("\n").filter(Boolean).map(JSON.parse);
  return new Map(
    answers.map(({ _id, results }) => [
      _id,
      results.map(({ id, sections }) => ({
        id,
        anchors: sections.map(({ anchor }) => anchor ?? ""),
      })),
    ]),
  );
}

async function pagefind(tree, queries, scratch) {
  const { client, idOf } = await openPagefind([], scratch, tree);
  const indexes = /(^|\/)(bookindex|genindex[^/]*|py-modindex)\.html$/;
  const found = new Map();
  for (const { _id, text } of queries) {
    const { results } = await client.search(text);
    const pages = [];
    for (const result of results) {
      if (pages.length === LIMIT) break;
      const { raw_url: url, sub_results: sections } = await result.data();
      if (indexes.test(url)) continue;
      const best = [...sections].sort((a, b) => b.locations.length - a.locations.length);
      pages.push({
        id: idOf(url),
        anchors: best
          .slice(0, SHOWN)
          .map((each) => decodeURIComponent(each.url.split("#")[1] ?? "")),
      });
    }
    found.set(_id, pages);
  }
  return found;
}

/** The figures of a search, and the reciprocal rank of each question. */
function measure(queries, found) {
  const each = queries.map(({ _id, sections }) => {
    const pages = found.get(_id) ?? [];
    const isRight = (id, anchor) =>
      sections.some(({ page, anchors }) => page === id && anchors.includes(anchor));
    const first = pages.find(({ id }) => sections.some(({ page }) => page === id));
    const rank = pages.findIndex(({ id, anchors }) => isRight(id, anchors[0]));
    return {
      page: first ? 1 : 0,
      section: first && isRight(first.id, first.anchors[0]) ? 1 : 0,
      three: first?.anchors.slice(0, SHOWN).some((anchor) => isRight(first.id, anchor)) ? 1 : 0,
      reciprocal: rank < 0 ? 0 : 1 / (rank + 1),
    };
  });
  const shares = (key) => mean(each.map((one) => one[key]));
  const page = shares("page");
  return {
    questions: queries.length,
    page,
    section: shares("section") / page,
    three: shares("three") / page,
    mrr: shares("reciprocal"),
    each: each.map(({ reciprocal }) => reciprocal),
  };
}

const sharesOf = (figures) =>
  ["page", "section", "three", "mrr"].map((key) => figures[key].toFixed(3));

async function searches(source, queries, args, scratch) {
  const directory = resolve(args.bundles ?? scratch);
  const bundle = built(source, "static", directory, args.program);
  const by = (mode, encoder) => findling(args.program, bundle, source.queries, mode, encoder);
  const found = {
    "by words": by("lexical", "none"),
    "by words and meaning, static": by("hybrid", "static"),
  };
  if (args.transformer.has(source.name)) {
    const encoder = "all-minilm-l6-v2";
    const other = built(source, encoder, directory, args.program);
    found["by words and meaning, transformer"] = findling(
      args.program,
      other,
      source.queries,
      "hybrid",
      "transformer",
    );
  }
  if (!args.noPagefind.has(source.name))
    found.Pagefind = await pagefind(source.tree, queries, join(scratch, source.name));
  return found;
}

async function main() {
  const args = readArguments();
  const before = load();
  const table = {
    columns: ["source", "questions", "search", "page", "section", "of three", "MRR"],
    rows: [],
  };
  const scratch = mkdtempSync(join(tmpdir(), "findling-sections-"));
  const all = {};
  try {
    for (const source of args.sources) {
      const queries = jsonLines(source.queries);
      const found = await searches(source, queries, args, scratch);
      for (const [search, pages] of Object.entries(found)) {
        const figures = measure(queries, pages);
        all[search] ??= { queries: [], found: new Map(), each: [], sources: 0 };
        all[search].queries.push(...queries);
        for (const [key, pages] of found[search]) all[search].found.set(key, pages);
        all[search].each.push(...figures.each);
        all[search].sources += 1;
        table.rows.push([source.name, queries.length, search, ...sharesOf(figures)]);
        console.error(table.rows.at(-1).join("  "));
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  for (const [search, { queries, found, sources }] of Object.entries(all)) {
    if (sources === args.sources.length)
      table.rows.push(["all", queries.length, search, ...sharesOf(measure(queries, found))]);
  }
  print(table);
  const {
    mean: gain,
    low,
    high,
  } = pairedDifference(all["by words and meaning, static"].each, all["by words"].each);
  const bounds = [gain, low, high].map((value) => value.toFixed(3));
  const [by, from, to] = bounds;
  const note = `MRR of words and meaning less that of words: ${by} (${from} to ${to})`;
  console.log(note);
  if (args.archive)
    write(args.json ?? defaultPath("sections"), head("sections", note, before), table);
  else if (args.json) writeFileSync(args.json, JSON.stringify(table, null, 1));
}

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
