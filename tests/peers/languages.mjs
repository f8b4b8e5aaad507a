// Ranked pages of a peer over a site in one language, for tests/quality/languages.py.
//
//   node languages.mjs pagefind SITE LANGUAGE QUERIES.jsonl SCRATCH
//
// Prints an object: the paths of the first ten pages by the id of the query.

import { readFileSync } from "node:fs";

import { openPagefind } from "./lib/searchers.mjs";

const LIMIT = 10;

const [tool, site, language, file, scratch] = process.argv.slice(2);
if (tool !== "pagefind" || scratch === undefined) {
  throw new Error(`expected pagefind SITE LANGUAGE QUERIES SCRATCH, found ${tool} and so on`);
}
const { client, idOf } = await openPagefind([], scratch, site, language);
const answers = {};
for (const line of readFileSync(file, "utf8").trim().split("\n")) {
  const { _id, text } = JSON.parse(line);
  const { results } = await client.search(text);
  const pages = await Promise.all(results.slice(0, LIMIT).map((result) => result.data()));
  answers[_id] = pages.map(({ raw_url: url }) => idOf(url));
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
