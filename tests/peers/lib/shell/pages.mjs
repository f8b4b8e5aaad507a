// Markdown pages to search: generated ones that are the same in each run, or files of a directory.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import { random } from "../../../e2e/lib/corpus.mjs";
import { evenly } from "../queries.mjs";

/** Sections of a generated page. */
export const SECTIONS_PER_PAGE = 5;

const VOCABULARY = 20_000;
const TOPICS = 400;
const WORDS_OF_TOPIC = 60;
/** The share of a text's words that belong to its page's topic. */
const TOPICAL = 0.35;
const SENTENCES_OF_SECTION = 4;
const [MIN_OF_SENTENCE, MAX_OF_SENTENCE] = [7, 15];
const [MIN_OF_HEADING, MAX_OF_HEADING] = [2, 4];

/** Words of a query that is taken from a text. */
const WORDS_OF_QUERY = 4;
/** Bytes of the largest file that is taken from a directory. */
const MAX_BYTES = 1 << 20;
const PAGES = new Set([".md", ".mdx", ".markdown", ".html", ".htm"]);

const ONSETS = "b,br,c,ch,d,dr,f,g,gr,h,j,k,l,m,n,p,pl,qu,r,s,sh,st,t,tr,v,w".split(",");
const VOWELS = "a,e,i,o,u,ai,ea,ou".split(",");
const CODAS = ",,,l,m,n,nd,r,rt,s,st,t,x".split(",");

/** Texts of made-up words, with the uneven frequencies of real words (Zipf, 1935). */
class Writer {
  #next;
  #vocabulary;
  #sums;
  #topics;

  constructor(seed) {
    this.#next = random(seed);
    const known = new Set();
    while (known.size < VOCABULARY) known.add(this.#newWord());
    this.#vocabulary = [...known];
    let sum = 0;
    this.#sums = this.#vocabulary.map((_, rank) => {
      sum += 1 / (rank + 2);
      return sum;
    });
    this.#topics = Array.from({ length: TOPICS }, () =>
      Array.from({ length: WORDS_OF_TOPIC }, () => this.#of(this.#vocabulary)),
    );
  }

  #of(list) {
    return list[Math.floor(this.#next() * list.length)];
  }

  #between(least, most) {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  #newWord() {
    const syllables = Array.from({ length: this.#between(1, 3) }, () => {
      return this.#of(ONSETS) + this.#of(VOWELS) + this.#of(CODAS);
    });
    return syllables.join("");
  }

  #word(topic) {
    if (this.#next() < TOPICAL) return this.#of(topic);
    const wanted = this.#next() * this.#sums.at(-1);
    let [low, high] = [0, this.#sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#vocabulary[low];
  }

  #words(n, topic) {
    const words = Array.from({ length: n }, () => this.#word(topic)).join(" ");
    return words[0].toUpperCase() + words.slice(1);
  }

  /** A page of Markdown. */
  page() {
    const topic = this.#of(this.#topics);
    const section = (_, place) => {
      const level = place === 0 ? "#" : "##";
      const heading = this.#words(this.#between(MIN_OF_HEADING, MAX_OF_HEADING), topic);
      const sentences = Array.from({ length: SENTENCES_OF_SECTION }, () => {
        return `${this.#words(this.#between(MIN_OF_SENTENCE, MAX_OF_SENTENCE), topic)}.`;
      });
      return `${level} ${heading}\n\n${sentences.join(" ")}\n`;
    };
    return Array.from({ length: SECTIONS_PER_PAGE }, section).join("\n");
  }
}

/** Writes generated pages into directories, `[directory, number of pages]` each. */
export function generate(directories, seed) {
  const writer = new Writer(seed);
  for (const [directory, n] of directories) {
    for (let i = 0; i < n; i++) {
      const file = join(directory, `part-${i % 50}`, `page-${i}.md`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, writer.page());
    }
  }
}

/** The pages below a directory, in the order of a hash of their paths. */
function pagesOf(from) {
  const order = (path) => createHash("sha256").update(relative(from, path)).digest("hex");
  return readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && PAGES.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => statSync(path).size <= MAX_BYTES)
    .map((path) => [order(path), path])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, path]) => path);
}

/** About how many sections a page has: its headings. */
function countSections(path) {
  const text = readFileSync(path, "utf8");
  return Math.max(1, (text.match(/^#{1,6} |<h[1-6][\s>]/gm) ?? []).length);
}

/** Copies pages of a directory into others until each has so many sections. */
export function takeSections(from, directories, sections) {
  const paths = pagesOf(from);
  for (const directory of directories) {
    for (let n = 0; n < sections; ) {
      const path = paths.shift();
      if (!path)
        throw new Error(
          `${from}: expected Markdown or HTML with ${directories.length} times ${sections} ` +
            `sections, found fewer; name a larger directory, or leave out --from`,
        );
      n += countSections(path);
      cpSync(path, join(directory, relative(from, path)));
    }
  }
}

/** Copies the first pages of a directory, at most `most`. */
export function takePages(from, directory, most) {
  const paths = pagesOf(from).slice(0, most);
  if (paths.length === 0)
    throw new Error(`${from}: expected Markdown or HTML, found none; name another directory`);
  for (const path of paths) cpSync(path, join(directory, relative(from, path)));
}

/** Queries for the pages below directories: every other one a heading, or words of a text. */
export function queriesFor(directories, n) {
  const paths = evenly(directories.flatMap(pagesOf), 3 * n);
  const plain = (line) => line.replace(/<[^>]*>|[^\p{L}\p{N}' ]+/gu, " ").trim();
  const queries = paths.flatMap((path, i) => {
    const lines = readFileSync(path, "utf8").split("\n");
    const wanted = i % 2 === 0 ? /^#{1,6} |<h[1-6][\s>]/ : /^[\p{L}<].*[.:]/u;
    const words = lines.filter((line) => wanted.test(line)).map((line) => plain(line).split(/ +/));
    const long = words.filter((line) => line.length >= 2);
    if (long.length === 0) return [];
    const line = long[i % long.length];
    const start = i % Math.max(1, line.length - WORDS_OF_QUERY);
    return [line.slice(start, start + WORDS_OF_QUERY).join(" ")];
  });
  const found = evenly([...new Set(queries)], n);
  if (found.length === 0) throw new Error(`${directories}: expected pages with text, found none`);
  return found;
}
