// The share of right pages whose snippet contains the sentence that answers the question, compared
// with Pagefind's excerpt.
//
//   cargo xtask bench sentences SET... [--bundles DIR] [--most N] [--resident] [--no-pagefind]
//     [--json FILE]
//   cargo xtask bench sentences --answerable ...    (lib/answerable.mjs)
//
// A SET is made by tests/quality/answers.py: queries.jsonl with `sentences`, qrels.tsv, and
// corpus.jsonl or site/. Findling searches as a browser does by default, streamed and with the
// static encoder for pages and queries; `--resident` reads all vectors. `--bundles` keeps the
// bundles. Pagefind indexes the HTML of a site, or a page for each record with the title as
// heading, and searches with its own client and its defaults.
//
// - found: the share of questions whose right page is among the first ten.
// - first: the share of questions whose right page is the first.
// - sentence: among the questions of `found`, the share whose sentence is in the text shown with
//   the page: Findling's snippet of the best section, Pagefind's excerpt of the page. A sentence is
//   in a text if 70% of its words are there in one run.
// - words: the mean number of words shown.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { answerable } from "./lib/answerable.mjs";
import { contains, readSet, words } from "./lib/judged.mjs";
import { openPagefind } from "./lib/searchers.mjs";

const USAGE = "SET... [--bundles DIR] [--most N] [--resident] [--no-pagefind] [--json FILE]";
const LIMIT = 10;
const here = dirname(fileURLToPath(import.meta.url));

function readArguments() {
  const options = {
    bundles: { type: "string" },
    most: { type: "string" },
    resident: { type: "boolean", default: false },
    "no-pagefind": { type: "boolean", default: false },
    json: { type: "string" },
    answerable: { type: "boolean", default: false },
    fit: { type: "string", multiple: true },
    archive: { type: "boolean", default: false },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals.length === 0) throw new Error(`expected ${USAGE}`);
  const program = process.env.FINDLING_BIN ?? join(here, "../../target/release/findling");
  if (!existsSync(program))
    throw new Error(`${program}: not found. Build it with \`cargo xtask cli\`.`);
  return { ...values, most: Number(values.most ?? Infinity), sets: positionals, program };
}

/** The questions of a set with their sentences and relevant pages. */
function readQuestions(directory, most) {
  const { documents, queries } = readSet(directory);
  const questions = queries.slice(0, most).map(({ text, grades, sentences }) => {
    if (!Array.isArray(sentences))
      throw new Error(
        `${directory}: expected sentences with each query (tests/quality/answers.py)`,
      );
    return { text, pages: new Set(grades.keys()), sentences };
  });
  return { documents, questions };
}

/** Builds the bundle if it is not there, and returns a search. */
function findling(directory, bundle, { program, resident }) {
  const site = join(directory, "site");
  const input = existsSync(site) ? site : join(directory, "corpus.jsonl");
  if (!existsSync(join(bundle, "findling.idx"))) {
    const line = ["build", input, "-o", bundle, "--no-client", "--encoder", "static", "--quiet"];
    const { status, stderr } = spawnSync(program, line, { encoding: "utf8" });
    if (status !== 0) throw new Error(`findling build failed: ${stderr.trim()}`);
  }
  const how = ["--json", "--query-encoder", "static", "--limit", String(LIMIT)];
  if (!resident) how.push("--streamed");
  return (text) => {
    const output = execFileSync(program, ["search", bundle, ...how, "--", text], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return JSON.parse(output).results.map(({ id, sections }) => ({
      id,
      text: sections[0]?.snippet.text ?? "",
    }));
  };
}

/** Pagefind's pages with the text of their excerpts. */
async function pagefind(directory, documents, scratch) {
  const site = join(directory, "site");
  const { client, idOf } = await openPagefind(documents, scratch, existsSync(site) ? site : null);
  return async (text) => {
    const { results } = await client.search(text);
    const pages = await Promise.all(results.slice(0, LIMIT).map((result) => result.data()));
    return pages.map((page) => ({
      id: idOf(page.raw_url),
      text: page.excerpt.replace(/<\/?mark>/g, ""),
    }));
  };
}

async function measure(search, questions) {
  const report = { questions: questions.length, found: 0, first: 0, sentence: 0, words: 0 };
  const missed = [];
  for (const { text, pages, sentences } of questions) {
    let results = [];
    try {
      results = await search(text);
    } catch (error) {
      // A search that finds nothing ends with a status of its own.
      if (error.status !== 1) throw error;
    }
    const right = results.find(({ id }) => pages.has(id));
    if (!right) continue;
    report.found += 1;
    if (pages.has(results[0].id)) report.first += 1;
    report.words += words(right.text).length;
    if (sentences.some((sentence) => contains(right.text, sentence))) report.sentence += 1;
    else missed.push({ text, id: right.id, sentences, shown: right.text });
  }
  return {
    questions: report.questions,
    found: report.found / report.questions,
    first: report.first / report.questions,
    sentence: report.sentence / Math.max(1, report.found),
    words: report.words / Math.max(1, report.found),
    missed,
  };
}

async function main() {
  const args = readArguments();
  if (args.answerable) {
    const most = Number.isFinite(args.most) ? args.most : undefined;
    return answerable({ ...args, most, positionals: args.sets });
  }
  console.log(`${"".padEnd(34)} questions  found  first  sentence  words`);
  const reports = [];
  for (const set of args.sets) {
    const directory = resolve(set);
    const { documents, questions } = readQuestions(directory, args.most);
    const scratch = mkdtempSync(join(tmpdir(), "findling-answers-"));
    try {
      const bundle = join(resolve(args.bundles ?? scratch), basename(directory));
      const searches = { findling: findling(directory, bundle, args) };
      if (!args["no-pagefind"]) searches.pagefind = await pagefind(directory, documents, scratch);
      for (const [tool, search] of Object.entries(searches)) {
        const { missed, ...report } = await measure(search, questions);
        reports.push({ set: basename(directory), tool, ...report, missed });
        const name = `${basename(directory)}, ${tool}`.padEnd(34);
        const shares = ["found", "first", "sentence"].map((key) => report[key].toFixed(3));
        console.log(
          `${name} ${String(report.questions).padStart(9)}  ${shares[0]}  ${shares[1]}` +
            `     ${shares[2]}  ${report.words.toFixed(1).padStart(5)}`,
        );
      }
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  if (args.json) writeFileSync(args.json, JSON.stringify(reports, null, 1));
}

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
