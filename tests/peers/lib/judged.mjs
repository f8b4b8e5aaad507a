// Judged sets in the layout of BEIR, and the quality of a ranking on a set.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decoded } from "./html.mjs";

/** The values of a file of JSON lines. */
export function jsonLines(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, i) => {
      if (line.trim() === "") return [];
      try {
        return [JSON.parse(line)];
      } catch (error) {
        throw new Error(`${file}:${i + 1}: expected a line of JSON: ${error.message}`);
      }
    });
}

/** The text of HTML, without its markup. */
function textOf(html) {
  const text = html
    .replace(/<!--.*?-->|<(script|style|head|nav)\b.*?<\/\1\s*>/gis, " ")
    .replace(/<[^>]*>/g, " ");
  return decoded(text).replace(/\s+/g, " ").trim();
}

/** The pages of a rendered site as documents. Every tool gets the same title and text. */
export function readPages(site) {
  const names = readdirSync(site, { recursive: true })
    .filter((name) => /\.html?$/.test(name))
    .sort();
  return names.map((name) => {
    const html = readFileSync(join(site, name), "utf8");
    return {
      _id: name,
      title: textOf(/<title\b[^>]*>(.*?)<\/title/is.exec(html)?.[1] ?? ""),
      text: textOf(html),
    };
  });
}

/**
 * `{ documents, queries: [{ text, grades, sentences }] }` of a directory. Each query has a relevant
 * document; `sentences` are the sentences that answer it, if the set names them.
 */
export function readSet(directory) {
  const file = (name) => {
    const path = join(directory, name);
    if (!existsSync(path))
      throw new Error(
        `${directory}: expected queries.jsonl, qrels.tsv, and corpus.jsonl or site/. ` +
          `There is no ${name}.`,
      );
    return path;
  };
  const site = join(directory, "site");
  const documents = existsSync(site) ? readPages(site) : jsonLines(file("corpus.jsonl"));
  const grades = new Map();
  for (const line of readFileSync(file("qrels.tsv"), "utf8").split(/\r?\n/)) {
    const [query, document, grade] = line.split("\t");
    if (!(Number(grade) > 0)) continue;
    if (!grades.has(query)) grades.set(query, new Map());
    grades.get(query).set(document, Number(grade));
  }
  const judged = jsonLines(file("queries.jsonl")).filter(({ _id }) => grades.has(String(_id)));
  if (judged.length === 0)
    throw new Error(
      `${directory}: no query has a relevant document; do the files belong together?`,
    );
  return {
    documents: documents.map(({ _id, title = "", text = "" }) => ({
      id: String(_id),
      title,
      text,
    })),
    queries: judged.map(({ _id, text, sentences }) => {
      return { text, grades: grades.get(String(_id)), sentences };
    }),
  };
}

const dcg = (grades) =>
  grades.slice(0, 10).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);

/** nDCG@10 as in `findling eval`: the grade itself is the gain. */
export function ndcg(ids, grades) {
  const ideal = [...grades.values()].sort((a, b) => b - a);
  return dcg([...new Set(ids)].map((id) => grades.get(id) ?? 0)) / dcg(ideal);
}

/** The words of a text in lower case. */
export const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** The share of a sentence's words that must be in a text in one run. */
const MIN_SHARE = 0.7;

/** Whether enough of a sentence is in a text in one run. */
export function contains(text, sentence) {
  const run = words(sentence);
  const least = Math.max(1, Math.ceil(MIN_SHARE * run.length));
  const all = ` ${words(text).join(" ")} `;
  for (let at = 0; at + least <= run.length; at++) {
    if (all.includes(` ${run.slice(at, at + least).join(" ")} `)) return true;
  }
  return false;
}
