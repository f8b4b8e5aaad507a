// The rank of the wanted page while its name is typed, with and without a typo, compared with
// Pagefind and MiniSearch.
//
//   cargo xtask bench half-typed NAME=SITE=BUNDLE... [--most N] [--archive] [--json FILE]
//
// SITE is a directory of HTML, BUNDLE was built from it with `--encoder static --host files`.
// N (80) headings of a site, evenly spread, are typed up to each share of their letters; each
// beginning is searched as while typing. Every page with the heading is wanted. With a typo, one
// letter is replaced, left out, doubled or exchanged with the next in a word of which at least five
// letters have been typed; beginnings without such a word are left out.
//
// - Findling by words, and by words and meaning with the static encoder: wasm, streamed, `prefix`.
// - Pagefind with its own client and its defaults, which match beginnings of words.
// - MiniSearch stands for servers such as Typesense, which search every word with typos and the
//   last as a prefix: `prefix` of the last word, `fuzzy` 0.2, all words, and any word if no page
//   has all; title, headings and text with weights 4, 2, 1.
//
// MRR is the mean of 1 / rank of the first wanted page; it counts 0 if none is among the first ten.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import MiniSearch from "minisearch";
import { random } from "../e2e/lib/corpus.mjs";
import { readPages } from "./lib/judged.mjs";
import { evenly, headings } from "./lib/queries.mjs";
import { defaultPath, head, load, print, write } from "./lib/results.mjs";
import { openBundle, openPagefind } from "./lib/searchers.mjs";
import { mean } from "./lib/statistics.mjs";

const USAGE = "NAME=SITE=BUNDLE... [--most N] [--archive] [--json FILE]";
const SHARES = [20, 30, 40, 50, 60, 70, 80, 90, 100];
const LIMIT = 10;
/** A heading on more pages belongs to the layout of the site. */
const MAX_PAGES = 3;
const MIN_LETTERS = 6;
/** The fewest letters of a word with a typo. */
const MIN_WORD = 5;
/** Pages that list other pages. */
const LISTS = /(^|\/)(bookindex|genindex[^/]*|py-modindex|print|toc|index)\.html$/;
const here = dirname(fileURLToPath(import.meta.url));

function readArguments() {
  const options = {
    most: { type: "string", default: "80" },
    archive: { type: "boolean", default: false },
    json: { type: "string" },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const sites = positionals.map((text) => {
    const [name, site, bundle] = text.split("=");
    if (!bundle || !existsSync(join(bundle, "findling.idx")))
      throw new Error(`${text}: expected ${USAGE}, with a directory of a bundle`);
    return { name, site: resolve(site), bundle: resolve(bundle) };
  });
  if (sites.length === 0) throw new Error(`expected ${USAGE}`);
  const most = Number(values.most);
  if (!(most >= 1)) throw new Error(`--most ${values.most}: expected a number from 1`);
  return { ...values, most, sites };
}

/** Headings without their numbers, each with the pages that have it. */
function namesOf(site, most) {
  const pages = new Map();
  const files = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html"));
  for (const name of files.sort()) {
    if (LISTS.test(name)) continue;
    for (const heading of headings(readFileSync(join(site, name), "utf8"))) {
      const text = heading.replace(/^(?:Chapter |Appendix )?[\dA-Z.]*[\d.]+\s+/, "");
      if (!pages.has(text)) pages.set(text, new Set());
      pages.get(text).add(name);
    }
  }
  const usable = [...pages].filter(
    ([text, on]) => on.size <= MAX_PAGES && text.length >= MIN_LETTERS && text.length <= 60,
  );
  return evenly(usable, most).map(([text, wanted]) => ({ text, wanted }));
}

/** The text with one typo, or null if no word is long enough. */
function withTypo(text, next) {
  const words = [...text.matchAll(/[A-Za-z]+/g)].filter(([word]) => word.length >= MIN_WORD);
  if (words.length === 0) return null;
  const draw = (n) => Math.floor(next() * n);
  const { 0: word, index } = words[draw(words.length)];
  const at = 1 + draw(word.length - 2);
  const [a, b] = [word[at], word[at + 1]];
  const other = "etaoinsrhl"[draw(10)];
  const typed = [a === other ? "" : other, "", a + a, a === b ? a : b + a][draw(4)];
  const rest = typed === b + a && a !== b ? at + 2 : at + 1;
  return (
    text.slice(0, index) +
    word.slice(0, at) +
    typed +
    word.slice(rest) +
    text.slice(index + word.length)
  );
}

/** Searches by name: from a typed text to the ids of pages. */
async function searchersOf({ site, bundle }, engineDirectory, scratch) {
  const ask = await openBundle(bundle, engineDirectory);
  const findling = (mode) => (query) =>
    ask({ query, mode, prefix: true, limit: LIMIT }).results.map(({ id }) => id);
  const { client, idOf } = await openPagefind([], scratch, site);
  const pagefind = async (text) => {
    const { results } = await client.search(text);
    const ids = [];
    for (const result of results) {
      if (ids.length === LIMIT) break;
      const { raw_url: url } = await result.data();
      if (!LISTS.test(url)) ids.push(idOf(url));
    }
    return ids;
  };
  return {
    "Findling, words": findling("lexical"),
    "Findling, words and meaning": findling("hybrid"),
    Pagefind: pagefind,
    MiniSearch: miniSearch(site),
  };
}

function miniSearch(site) {
  const index = new MiniSearch({ fields: ["title", "headings", "text"] });
  const documents = readPages(site).filter(({ _id }) => !LISTS.test(_id));
  index.addAll(
    documents.map(({ _id, title, text }) => ({
      id: _id,
      title,
      headings: headings(readFileSync(join(site, _id), "utf8")).join("\n"),
      text,
    })),
  );
  const options = {
    boost: { title: 4, headings: 2 },
    prefix: (_term, at, terms) => at === terms.length - 1,
    fuzzy: 0.2,
  };
  return (text) => {
    const all = index.search(text, { ...options, combineWith: "AND" });
    const found = all.length > 0 ? all : index.search(text, { ...options, combineWith: "OR" });
    return found.slice(0, LIMIT).map(({ id }) => id);
  };
}

/** The reciprocal rank of the first wanted page. */
function reciprocal(ids, wanted) {
  const at = ids.findIndex((id) => wanted.has(id));
  return at < 0 ? 0 : 1 / (at + 1);
}

/** MRR and the share of firsts at each share of letters, for every search. */
async function measure(names, searchers, hasTypo) {
  const next = random(7);
  const rows = [];
  for (const share of SHARES) {
    const typed = names.flatMap(({ text, wanted }) => {
      const letters = [...text];
      const beginning = letters.slice(0, Math.max(1, Math.round((letters.length * share) / 100)));
      const said = beginning.join("");
      const query = hasTypo ? withTypo(said, next) : said;
      return query === null ? [] : [{ query, wanted }];
    });
    const cells = [];
    for (const search of Object.values(searchers)) {
      const ranks = [];
      for (const { query, wanted } of typed) ranks.push(reciprocal(await search(query), wanted));
      const first = ranks.filter((rank) => rank === 1).length / ranks.length;
      cells.push(`${mean(ranks).toFixed(3)}, ${Math.round(100 * first)}%`);
    }
    rows.push([share, typed.length, ...cells]);
    console.error(rows.at(-1).join("  "));
  }
  return rows;
}

async function main() {
  const args = readArguments();
  const before = load();
  const engineDirectory = resolve(
    process.env.FINDLING_ENGINE ?? join(here, "../../www/wasm/engine"),
  );
  const tables = [];
  for (const site of args.sites) {
    const scratch = mkdtempSync(join(tmpdir(), "findling-typed-"));
    try {
      const names = namesOf(site.site, args.most);
      const searchers = await searchersOf(site, engineDirectory, scratch);
      const columns = ["letters typed (%)", "names", ...Object.keys(searchers)];
      for (const hasTypo of [false, true]) {
        const rows = await measure(names, searchers, hasTypo);
        const id = hasTypo ? `${site.name}-typo` : site.name;
        tables.push({ id, columns, rows });
        console.log(id);
        print({ columns, rows });
      }
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  const note = "MRR@10 of the wanted page, and the share that is first.";
  if (args.archive || args.json)
    write(args.json ?? defaultPath("half-typed"), head("half-typed", note, before), tables);
}

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
