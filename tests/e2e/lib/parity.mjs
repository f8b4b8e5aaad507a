// The same questions to the native engine and to the engine of another host. The results, their
// order and their scores must be the same, to the bit.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, hasModel, MODEL, run, scratch } from "./bundle.mjs";
import { questions, writeCorpus, writeLog } from "./corpus.mjs";

/** Ways to search, as arguments of the command line and as options of a host. */
export const WAYS = [
  { name: "hybrid", args: [], options: {} },
  { name: "hybrid by rank", args: ["--fusion", "rrf"], options: { fusion: "rrf" } },
  { name: "words", args: ["--mode", "lexical"], options: { mode: "lexical" } },
  { name: "meaning", args: ["--mode", "semantic"], options: { mode: "semantic" } },
  { name: "filtered", args: ["--filter", "FILTER"], options: { filter: "FILTER" } },
];

/**
 * The kiln's handbook, small enough for an exact scan, a generated site with a graph, and one whose
 * filter is on sections. If a model is installed, also the handbook with a static encoder.
 */
export function bundles() {
  const directory = scratch();
  const corpus = join(directory, "corpus");
  writeCorpus(corpus);
  const harbour = join(directory, "harbour");
  run("--quiet", "build", corpus, "--output", join(harbour, "findling"), [
    ["--no-client", "--encoder", "hash", "--graph-from", "200"],
  ]);
  writeLog(join(directory, "log.jsonl"));
  const log = join(directory, "log");
  run("--quiet", "build", join(directory, "log.jsonl"), "--output", join(log, "findling"), [
    ["--no-client", "--encoder", "hash"],
  ]);
  return [
    { name: "handbook", site: build(), filter: "kind:in:guide|faq" },
    { name: "harbour", site: harbour, filter: "shelf=weather,pages:gte:300" },
    { name: "log", site: log, filter: "watch:in:night|dog,depth:lt:50,port=north" },
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

/** The answers of the command line, one for each question. `more` are further arguments. */
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

/** Compares the answers of both; a difference names its question. */
export function same(expect, found, where) {
  assert.equal(found.length, expect.length, where);
  assert.ok(expect.length >= 100, "a golden set has at least 100 questions");
  for (const [i, question] of questions().entries())
    assert.deepEqual(found[i], expect[i], `${where}: ${JSON.stringify(question)}`);
}
