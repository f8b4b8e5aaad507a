// What a build indexes of real documentation, compared with what Chromium shows.
//
//   cargo xtask bench extraction [--cache DIR] [--only NAME,...] [--details DIR] [--archive]
//     [--json FILE]
//
// The sites are listed in tests/peers/extraction-sites.json: `-doc` packages of Debian, downloaded
// with apt-get into DIR (or FINDLING_DOCUMENTATION; default: a directory of the system's temporary
// files) and unpacked there; sites with `built` are built by the generator, which npm or pip
// installs there. A generator's `content` and `without` are CSS selectors, written by hand: the
// area of its pages that is content, and the elements in this area that belong to the frame.
// `title` selects the page's name if it is not the biggest text. `listing` matches paths of pages
// that only list other pages or source code; these pages count for `pages` and `listings` alone.
// Pages are drawn by the hash of their path.
//
// - pages: pages indexed. left out: HTML files that are not indexed.
// - anchors: the share of sections (up to 15 of each of 20 pages) whose anchor exists and, opened
//   in Chromium, scrolls to the section's heading.
// - no anchor: the share of headings without an anchor, on all pages, except first headings.
// - lost: words that the content of 10 pages shows and that are not indexed, as a share of the
//   words shown. surplus: words that are indexed and not shown, as a share of the words indexed.
// - titles: the share of pages with a title that no other page has, and the share of 20 pages whose
//   title is the biggest text of the content.
// - frame: the number of blocks of three or more words that are on more than a fifth of the pages.
// - listings: the share of listing pages among the first three results of 20 headings of the site.
// - own index: pages that the generator's own search has and Findling leaves out, and pages that
//   only Findling has.
// - time, memory: measured for `findling build --encoder none`.
//
// `--details` writes the findings for each site: sections whose anchor fails, titles with the
// biggest text, repeated blocks, and the shown and indexed texts of pages, for a diff.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { launchOptions } from "../e2e/lib/chromium.mjs";
import { endings, runToEnd } from "./lib/browser-bench.mjs";
import {
  filesBelow,
  requireDebian,
  siteBelow,
  unpacked,
} from "./lib/extraction/debian_packages.mjs";
import { built } from "./lib/extraction/generators.mjs";
import { contentOf, openAnchors, prepare } from "./lib/extraction/in_page.mjs";
import { ownPages } from "./lib/extraction/own_index.mjs";
import { excess, repeatedBlocks, sameTitle, wordsOf } from "./lib/extraction/words.mjs";
import { defaultPath, head, load, print, root, write } from "./lib/results.mjs";

const PAGES_FOR_ANCHORS = 20;
const SECTIONS_OF_PAGE = 15;
const PAGES_FOR_TITLES = 20;
const PAGES_FOR_TEXT = 10;
const QUERIES = 20;
const COLUMNS = [
  ...["site", "generator", "pages", "left out", "anchors %", "no anchor %", "lost %", "surplus %"],
  ...["unique titles %", "titles shown %", "frame", "listings %", "own index only"],
  ...["Findling only", "seconds", "MB"],
];

const program = process.env.FINDLING_BIN ?? join(root, "target/release/findling");

function readArguments() {
  const options = {
    cache: { type: "string" },
    only: { type: "string" },
    details: { type: "string" },
    archive: { type: "boolean", default: false },
    json: { type: "string" },
  };
  const { values } = parseArgs({ options });
  const file = JSON.parse(readFileSync(join(root, "tests/peers/extraction-sites.json"), "utf8"));
  const names = values.only?.split(",");
  const sites = file.sites.filter((site) => !names || names.includes(site.name));
  if (sites.length === 0) throw new Error(`--only ${values.only}: no site has this name`);
  const cache =
    values.cache ?? process.env.FINDLING_DOCUMENTATION ?? join(tmpdir(), "findling-documentation");
  return { ...values, sites, generators: file.generators, cache: resolve(cache) };
}

const percent = (n, of) => (of === 0 ? null : ((100 * n) / of).toFixed(1));

/** `n` of these, drawn by the hash of what names each. */
function drawn(items, n, name) {
  const hash = (item) => createHash("sha256").update(name(item)).digest("hex");
  const keyed = items.map((item) => [hash(item), item]);
  return keyed
    .sort((a, b) => (a[0] < b[0] ? -1 : 1))
    .slice(0, n)
    .map(([, item]) => item);
}

/** The pages of a site with their sections, as a build reads them. */
function readPages(directory) {
  const options = { encoding: "utf8", maxBuffer: 2 ** 31 - 1 };
  const { stdout, stderr, status } = spawnSync(program, ["sections", directory, "-q"], options);
  if (status !== 0 && status !== 3) throw new Error(`${directory}: ${stderr.trim()}`);
  const pages = new Map();
  for (const line of stdout.split("\n")) {
    if (!line) continue;
    const { page: id, file, title, level, heading, anchor, text } = JSON.parse(line);
    // A page without a title is left out of the bundle, such as a copy of another.
    if (title === null) continue;
    if (!pages.has(id)) pages.set(id, { id, file, title, sections: [] });
    pages.get(id).sections.push({ level, heading, anchor, text });
  }
  return [...pages.values()];
}

/** Builds a bundle; its time in seconds and its largest memory in MB. */
function build(directory, bundle) {
  const args = [
    "-f",
    "%e %M",
    program,
    "build",
    directory,
    "-o",
    bundle,
    "--encoder",
    "none",
    "-q",
  ];
  const { stderr, error } = spawnSync("/usr/bin/time", args, { encoding: "utf8" });
  if (error) throw new Error("GNU time is needed (Debian: `apt-get install time`)");
  const [seconds, kilobytes] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return { seconds, megabytes: Math.round(kilobytes / 1000) };
}

/** The share of listing pages among the first three results of headings of the site. */
function listings(pages, bundle, listing, details) {
  const headings = pages
    .filter((page) => !listing.test(page.file))
    .flatMap((page) => page.sections.filter(({ level }) => level > 0).map(({ heading }) => heading))
    .filter((heading) => /\p{L}{3}/u.test(heading) && wordsOf(heading).length <= 6);
  const queries = drawn([...new Set(headings)], QUERIES, (heading) => heading);
  let [n, all] = [0, 0];
  for (const query of queries) {
    const args = ["search", bundle, "--json", "--limit", "3", "--", query];
    const { stdout } = spawnSync(program, args, { encoding: "utf8" });
    const { results = [] } = stdout.trim() ? JSON.parse(stdout) : {};
    for (const result of results) {
      all += 1;
      if (!listing.test(result.url)) continue;
      n += 1;
      details.listings.push({ query, url: result.url });
    }
  }
  return percent(n, all);
}

/** Opens pages in Chromium: anchors, titles and texts. */
async function inBrowser(context, directory, pages, marks, details) {
  const counts = { anchors: 0, reached: 0, titles: 0, shown: 0, words: 0, lost: 0, indexed: 0 };
  counts.surplus = 0;
  const page = await context.newPage();
  for (const [i, { file, title, sections }] of pages.entries()) {
    const url = pathToFileURL(join(directory, file)).href;
    try {
      await page.goto(url, { waitUntil: "load", timeout: 60_000 });
    } catch (error) {
      console.error(`${file}: ${error.message.split("\n")[0]}`);
      continue;
    }
    await page.evaluate(prepare);
    const anchored = sections.filter(({ anchor, heading }) => anchor && heading);
    const some = drawn(anchored, SECTIONS_OF_PAGE, ({ anchor }) => anchor);
    const opened = await page.evaluate(openAnchors, some);
    for (const [j, { exists, reached }] of opened.entries()) {
      counts.anchors += 1;
      if (reached) counts.reached += 1;
      else details.anchors.push({ file, ...some[j], text: undefined, exists });
    }
    if (i >= PAGES_FOR_TITLES) continue;
    const { text, biggest, selector } = await page.evaluate(contentOf, marks);
    // A page of another template than the generator's, in the middle of its pages.
    if (!selector) {
      details.unmarked.push(file);
      continue;
    }
    counts.titles += 1;
    const same = sameTitle(title, biggest);
    if (same) counts.shown += 1;
    else details.titles.push({ file, title, biggest });
    if (i >= PAGES_FOR_TEXT) continue;
    const shown = wordsOf(text);
    const read = sections.map(({ heading, text }) => `${heading ?? ""}\n${text}`).join("\n\n");
    const indexed = wordsOf(read);
    const [lost, surplus] = [excess(shown, indexed), excess(indexed, shown)];
    counts.words += shown.length;
    counts.indexed += indexed.length;
    counts.lost += lost;
    counts.surplus += surplus;
    details.texts.push({ file, selector, words: shown.length, lost, surplus, text, read });
  }
  await page.close();
  return counts;
}

/** Measures one site; its row. */
async function measure(context, site, { generators, cache, details: into }) {
  const there = site.built ? built(site.name, cache) : unpacked(site.name, cache);
  const directory = there && siteBelow(site.directory ? join(there, site.directory) : there);
  if (!directory) return undefined;
  const { content, without = [], title = [], listing = "^$" } = generators[site.generator];
  const lists = new RegExp(listing);
  const files = filesBelow(directory, [".html", ".htm", ".xhtml"]);
  const known = new Set(files.map((file) => relative(directory, file).split(sep).join("/")));
  // Links to files are other addresses of pages that are there.
  const pages = readPages(directory).filter(({ file }) => known.has(file.split(sep).join("/")));
  const details = {
    unmarked: [],
    anchors: [],
    titles: [],
    frame: [],
    listings: [],
    texts: [],
    own: [],
  };
  const texts = pages.filter(({ file }) => !lists.test(file));
  const sample = drawn(texts, PAGES_FOR_ANCHORS, ({ id }) => id);
  const counts = await inBrowser(context, directory, sample, { content, without, title }, details);
  details.frame = repeatedBlocks(texts);
  const titles = new Map();
  for (const { title } of texts) titles.set(title, (titles.get(title) ?? 0) + 1);
  const unique = texts.filter(({ title }) => titles.get(title) === 1).length;
  const later = texts.flatMap(({ sections }) => sections.filter(({ level }) => level > 0).slice(1));
  const bundle = mkdtempSync(join(tmpdir(), "findling-extraction-"));
  endings.push(async () => rmSync(bundle, { recursive: true, force: true }));
  const { seconds, megabytes } = build(directory, join(bundle, "b"));
  const listed = listings(pages, join(bundle, "b"), lists, details);
  rmSync(bundle, { recursive: true, force: true });
  const own = ownPages(directory);
  const read = new Set(pages.map(({ file }) => file.split(sep).join("/")));
  const ownOnly = own && [...own].filter((page) => known.has(page) && !read.has(page));
  const oursOnly = own && [...read].filter((page) => !own.has(page));
  details.same = [...titles].filter(([, n]) => n > 1).sort((a, b) => b[1] - a[1]);
  details.own = { only: ownOnly, ours: oursOnly };
  if (into) writeDetails(join(into, site.name), details);
  return [
    ...[site.name, site.generator, pages.length, files.length - pages.length],
    percent(counts.reached, counts.anchors),
    percent(later.filter(({ anchor }) => !anchor).length, later.length),
    percent(counts.lost, counts.words),
    percent(counts.surplus, counts.indexed),
    percent(unique, texts.length),
    percent(counts.shown, counts.titles),
    ...[details.frame.length, listed, ownOnly?.length ?? null, oursOnly?.length ?? null],
    ...[seconds, megabytes],
  ];
}

function writeDetails(into, { texts, ...details }) {
  mkdirSync(into, { recursive: true });
  const lines = (items) => items.map((item) => `\n    ${JSON.stringify(item)}`).join(",");
  const parts = Object.entries(details).map(([name, found]) =>
    Array.isArray(found)
      ? `  "${name}": [${lines(found)}]`
      : `  "${name}": ${JSON.stringify(found)}`,
  );
  const measured = texts.map(({ text, read, ...rest }) => rest);
  parts.push(`  "texts": [${lines(measured)}]`);
  writeFileSync(join(into, "found.json"), `{\n${parts.join(",\n")}\n}\n`);
  for (const [i, { text, read }] of texts.entries()) {
    const words = (one) => `${one.split(/\s+/).filter(Boolean).join("\n")}\n`;
    writeFileSync(join(into, `${i}.shown.txt`), words(text));
    writeFileSync(join(into, `${i}.indexed.txt`), words(read));
  }
}

async function main() {
  const options = readArguments();
  if (options.sites.some(({ built }) => !built)) requireDebian();
  if (!existsSync(program)) throw new Error(`${program}: build it with \`cargo xtask cli\``);
  const loadBefore = load();
  const browser = await chromium.launch(launchOptions("--allow-file-access-from-files"));
  endings.push(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const note = "words and pages as the head of tests/peers/extraction.mjs says";
  const path = options.json ?? (options.archive ? defaultPath("extraction") : undefined);
  const table = { columns: COLUMNS, rows: [] };
  for (const site of options.sites) {
    const row = await measure(context, site, options);
    if (!row) continue;
    table.rows.push(row);
    console.error(row.join("\t"));
    // After each site, since all take long.
    if (path) write(path, head("extraction", note, loadBefore), table);
  }
  print(table);
}

await runToEnd(main);
