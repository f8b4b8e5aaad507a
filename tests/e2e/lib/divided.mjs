// One corpus as one bundle, and divided into three.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, scratch } from "./bundle.mjs";
import { random } from "./corpus.mjs";

/** No word begins with another one, so that no word has relatives. */
const WORDS = (
  "mutex thread harbour violin oven glacier pepper ladder candle orbit marble tunnel falcon " +
  "basket copper lantern meadow anchor ribbon timber walrus saddle quartz button batton"
).split(" ");

/** The range of pages of each bundle. */
const CORPORA = { whole: [0, 60], one: [0, 17], two: [17, 40], three: [40, 60] };

/** The names of the bundles that the corpus is divided into. */
export const PARTS = ["one", "two", "three"];

/** Queries: words, pairs of words, a misspelling, a phrase, a beginning, and words of no page. */
export const QUERIES = WORDS.flatMap((word, at, all) => [
  word,
  `${word} ${all[(at + 7) % all.length]}`,
]).concat("harbuor violin", '"copper lantern" oven', "glac", "nothing has this");

/** Pages of words. Each has a heading and no code, so that all passages have the same fields. */
function writePages(directory, [from, to]) {
  mkdirSync(directory, { recursive: true });
  for (let page = from; page < to; page++) {
    const next = random(page);
    const text = (n) =>
      Array.from({ length: n }, () => WORDS[Math.floor(next() ** 2 * WORDS.length)]).join(" ");
    const sections = [1, 2].map(() => `## ${text(2)}\n\n${text(8 + Math.floor(next() * 30))}.`);
    writeFileSync(
      join(directory, `page-${page}.md`),
      `---\ntitle: ${text(3)}\n---\n\n${sections.join("\n\n")}\n`,
    );
  }
}

/** The root. The bundles are at `/whole/findling/`, `/one/findling/` and so on. */
export function dividedSite() {
  const root = scratch();
  for (const [name, extent] of Object.entries(CORPORA)) {
    const pages = join(scratch(), "pages");
    writePages(pages, extent);
    run("--quiet", "build", pages, "--output", join(root, name, "findling"), [
      ["--no-client", "--encoder", "hash", "--language", "en"],
    ]);
  }
  return root;
}

/** Pages with their scores, best first, in an order that does not depend on their bundles. */
export function ranking({ results }) {
  const pages = results.map(({ id, score }) => [score, id]);
  return pages.sort(([a, page], [b, other]) => b - a || (page < other ? -1 : 1));
}
