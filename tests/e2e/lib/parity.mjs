// The same questions to the native engine and to another host's: same results, order and scores, to
// the bit.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, hasModel, MODEL, run, scratch } from "./bundle.mjs";
import { questions, writeCorpus } from "./corpus.mjs";

/** The ways of asking, for the command line and for hosts. */
export const WAYS = [
  { name: "hybrid", args: [], options: {} },
  { name: "hybrid by rank", args: ["--fusion", "rrf"], options: { fusion: "rrf" } },
  { name: "words", args: ["--mode", "lexical"], options: { mode: "lexical" } },
  { name: "meaning", args: ["--mode", "semantic"], options: { mode: "semantic" } },
  { name: "filtered", args: ["--filter", "FILTER"], options: { filter: "FILTER" } },
];

/**
 * The kiln's handbook, small enough for an exact scan, and a generated site with a graph; with a
 * model at hand also the handbook with an encoder in its own shards.
 */
export function bundles() {
  const directory = scratch();
  const corpus = join(directory, "corpus");
  writeCorpus(corpus);
  const harbour = join(directory, "harbour");
  run(
    "--quiet",
    "build",
    corpus,
    "--output",
    join(harbour, "findling"),
    "--no-client",
    "--encoder",
    "hash",
    "--graph-from",
    "200",
  );
  return [
    { name: "handbook", site: build(), filter: "kind:in:guide|faq" },
    { name: "harbour", site: harbour, filter: "shelf=weather,pages:gte:300" },
    ...(hasModel()
      ? [
          {
            name: "handbook with its own encoder",
            site: build({ encoder: MODEL, args: ["--query-encoder", "static"] }),
            filter: "kind:in:guide|faq",
            args: ["--query-encoder", "static"],
          },
        ]
      : []),
  ];
}

/** What the command line answers, one parsed response a question; `more` are further arguments. */
export function native({ site, filter, args: own = [] }, { args }, more = []) {
  const batch = join(scratch(), "questions.jsonl");
  writeFileSync(
    batch,
    questions()
      .map((text, i) => JSON.stringify({ _id: String(i), text }))
      .join("\n"),
  );
  const lines = run(
    "search",
    join(site, "findling"),
    "--batch",
    batch,
    "--format",
    "json",
    ...own,
    ...more,
    ...args.map((arg) => (arg === "FILTER" ? filter : arg)),
  );
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { _id, ...response } = JSON.parse(line);
      return response;
    });
}

/** Compares what both answered, and says which question differs. */
export function same(expect, found, where) {
  assert.equal(found.length, expect.length, where);
  assert.ok(expect.length >= 100, "a golden set has at least 100 questions");
  for (const [i, question] of questions().entries())
    assert.deepEqual(found[i], expect[i], `${where}: ${JSON.stringify(question)}`);
}
