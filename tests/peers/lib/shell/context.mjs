// Measures whether `findling context` contains the answer to a question, on judged sets.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { contains, readSet, words } from "../judged.mjs";
import { evenly } from "../queries.mjs";

/** Pages of a ranking in which the relevant one must be. */
const FIRST = 10;

/** The judged sets below a directory, or the directory itself. */
export function setsIn(directory) {
  const isSet = (path) => existsSync(join(path, "queries.jsonl"));
  const below = existsSync(directory)
    ? readdirSync(directory).map((name) => join(directory, name))
    : [];
  const found = [directory, ...below.sort()].filter(isSet);
  if (found.length === 0)
    throw new Error(
      `--sets ${directory}: expected directories with queries.jsonl, qrels.tsv, and corpus.jsonl ` +
        "or site/, found none",
    );
  return found;
}

/** The share of a text's words that passages have. */
function shareOf(text, passages) {
  const wanted = new Set(words(text));
  const had = new Set(passages.flatMap((passage) => words(passage.text)));
  return wanted.size === 0 ? 1 : [...wanted].filter((word) => had.has(word)).length / wanted.size;
}

/**
 * The parts of the answer in the context of a question; `undefined` if no relevant page is among
 * the first ten.
 */
async function judge(run, bundle, { text, grades, sentences }, texts, tokens) {
  const search = ["search", bundle, "--json", "--limit", String(FIRST), "--", text];
  const { results } = JSON.parse(await run(search));
  const right = results.flatMap(({ id }, i) => (grades.has(id) ? [{ id, rank: i + 1 }] : []));
  if (right.length === 0) return undefined;
  const ask = ["context", "--tokens", String(tokens), "--json", "--", text, bundle];
  const { passages } = JSON.parse(await run(ask));
  const of = (rank) => passages.filter((passage) => passage.rank === rank);
  const shares = right.map(({ id, rank }) => shareOf(texts.get(id), of(rank)));
  const relevant = right.flatMap(({ rank }) => of(rank));
  return {
    passage: relevant.length > 0,
    text: Math.max(...shares),
    sentence: sentences?.some((one) => relevant.some((passage) => contains(passage.text, one))),
  };
}

/**
 * Measures a set. `run(args)` runs findling and resolves to its output. The shares are among the
 * questions of which a relevant page is among the first ten.
 */
export async function measureSet(directory, { run, scratch, tokens, encoder, most }) {
  const { documents, queries } = readSet(directory);
  const texts = new Map(documents.map(({ id, text }) => [id, text]));
  const site = join(directory, "site");
  const input = existsSync(site) ? site : join(directory, "corpus.jsonl");
  const bundle = join(scratch, "set");
  await run(["build", input, "-o", bundle, "--no-client", "--encoder", encoder, "--quiet"]);
  const asked = evenly(queries, most);
  const judged = [];
  for (const query of asked) {
    const held = await judge(run, bundle, query, texts, tokens);
    if (held) judged.push(held);
  }
  rmSync(bundle, { recursive: true });
  const share = (of) => judged.filter(of).length / judged.length;
  const hasSentences = judged.some(({ sentence }) => sentence !== undefined);
  return {
    set: basename(directory),
    questions: asked.length,
    found: judged.length,
    passage: share(({ passage }) => passage),
    sentence: hasSentences ? share(({ sentence }) => sentence) : null,
    text: judged.reduce((sum, { text }) => sum + text, 0) / judged.length,
  };
}
