// What do sites of 3, 50, 300 and 1,000 pages cost beside Pagefind: the build's time, the bytes and
// files that it writes, and what a reader's browser requests while a query is typed?
//
//   cargo xtask bench sizes SITE... [--pages N,...] [--runs N] [--out FILE]
//
// SITE is a directory of rendered HTML. Of the pages of all SITEs in English, those with a heading
// in their main part, as many as each size needs are copied, evenly spread by their paths. Both
// tools index them with their defaults; Findling embeds them with its static table and uses no
// cache of earlier builds.
//
// - build: the least wall time of N (3) runs in turn.
// - data: what depends on the site. The rest is the client, of which pages load what they use.
// - requests: each of four readers, who has nothing cached, opens the search box of a tool and
//   types a heading of the site, a key every 120 ms. The server counts the requests and bytes of
//   opening, until the network is quiet, and of typing, until the list is at rest. Brotli, no
//   emulated network; the median of the readers.
//
// The result is written to bench/results/DATE-sizes.json unless `--out` names another file.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { endings, launch, page, runToEnd } from "./lib/browser-bench.mjs";
import { serve } from "./lib/cdn.mjs";
import { evenly, headings } from "./lib/queries.mjs";
import { columns, defaultPath, head, load, print, root, write } from "./lib/results.mjs";
import { median } from "./lib/statistics.mjs";

const USAGE = "SITE... [--pages N,...] [--runs N] [--out FILE]";
/** Milliseconds between two keys. */
const PACE = 120;
/** The network is quiet after this time without a request. Both tools wait less for a key. */
const QUIET_MS = 1_000;
const READERS = 4;
/** Pages that every book of the same program has. */
const NOT_PAGES = ["print.html", "toc.html", "404.html"];

function readArguments() {
  const options = {
    pages: { type: "string", default: "3,50,300,1000" },
    runs: { type: "string", default: "3" },
    out: { type: "string" },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const whole = (name, text) => {
    const number = Number(text);
    if (!(Number.isInteger(number) && number > 0))
      throw new Error(`--${name} ${values[name]}: expected whole numbers from 1`);
    return number;
  };
  if (positionals.length === 0) throw new Error(`expected ${USAGE}`);
  for (const site of positionals)
    if (!existsSync(site) || !statSync(site).isDirectory())
      throw new Error(`${site}: expected a directory of rendered HTML`);
  const findling = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
  if (!existsSync(findling)) throw new Error(`${findling}: build it with \`cargo xtask cli\``);
  return {
    findling,
    sites: positionals.map((site) => resolve(site)),
    sizes: values.pages.split(",").map((text) => whole("pages", text)),
    runs: whole("runs", values.runs),
    out: values.out ?? defaultPath("sizes"),
  };
}

/** The contents of the main part of a page in English; nothing for others. */
function mainOf(file) {
  const html = readFileSync(file, "utf8");
  const [, main = ""] = /<main\b[^>]*>(.*)<\/main>/is.exec(html) ?? [];
  return /<html\b[^>]*\slang="en/i.test(html) ? main : "";
}

/** The pages of a site: their files, and their paths below the directory with its name. */
function pagesOf(site) {
  return readdirSync(site, { recursive: true })
    .filter((name) => name.endsWith(".html") && !NOT_PAGES.includes(basename(name)))
    .map((name) => ({ file: join(site, name), path: join(basename(site), name) }))
    .filter(({ file }) => headings(mainOf(file)).length > 0);
}

function copyPages(pages, into) {
  for (const { file, path } of pages) {
    mkdirSync(join(into, dirname(path)), { recursive: true });
    copyFileSync(file, join(into, path));
  }
}

const PEER = join(root, "tests/peers/node_modules/.bin/pagefind");

/** Headings of two to ten words in the main parts of pages that are evenly spread. */
function queriesOf(site, names) {
  const found = [...names].sort().map((name) => headings(mainOf(join(site, name))));
  const of = (pattern) =>
    found.map((page) => page.filter((text) => pattern.test(text))).filter(({ length }) => length);
  // A site of three pages may have no such heading.
  const long = of(/^\S+( \S+){1,9}$/);
  const usable = long.length > 0 ? long : of(/\S/);
  return evenly(usable, READERS).map((page, i) => page[i % page.length]);
}

/** For each tool, its build, which of its files depend on the site, and its search box. */
const TOOLS = {
  Findling: {
    command: ({ findling }, site, out) => [
      ...[findling, "build", site, "-o", out],
      ...["--quiet", "--no-cache", "--encoder", "static"],
    ],
    isData: (path) => path === "findling.idx" || path.startsWith("shards/"),
    html: page(
      `<script type="module" src="/findling/findling-ui.js"></script>`,
      `<findling-search bundle="/findling/" site="/"></findling-search>`,
    ),
    open: (tab) => tab.evaluate(() => document.querySelector("findling-search").show()),
    rows: "findling-search [role=option]",
    box: "findling-search input",
  },
  "Pagefind 1.6": {
    command: (_, site, out) => [PEER, "--site", site, "--output-path", out, "--silent"],
    isData: (path) => path === "pagefind-entry.json" || /\.pf_\w+$/.test(path),
    html: page(
      `<link rel="stylesheet" href="/pagefind/pagefind-component-ui.css">
      <script type="module" src="/pagefind/pagefind-component-ui.js"></script>`,
      `<pagefind-config bundle-path="/pagefind/"></pagefind-config>
      <pagefind-searchbox></pagefind-searchbox>`,
    ),
    open: (tab) => tab.focus("pagefind-searchbox input"),
    rows: "pagefind-searchbox [role=option]",
    box: "pagefind-searchbox input",
  },
};

/** The seconds of one build. */
function time(name, command, out) {
  rmSync(out, { recursive: true, force: true });
  const [program, ...args] = command;
  const start = performance.now();
  const { error, signal, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  const seconds = (performance.now() - start) / 1e3;
  if (error || signal || !existsSync(out))
    throw new Error(`${name} could not index the site: ${error ?? stderr.trim()}`);
  return seconds;
}

function written(out, isData) {
  const sums = { bytes: 0, files: 0, dataBytes: 0, dataFiles: 0 };
  for (const name of readdirSync(out, { recursive: true })) {
    const stat = statSync(join(out, name));
    if (!stat.isFile()) continue;
    sums.bytes += stat.size;
    sums.files++;
    if (isData(name)) {
      sums.dataBytes += stat.size;
      sums.dataFiles++;
    }
  }
  return sums;
}

/** A reader who opens a search box and types. Returns the requests and bytes of both. */
async function typeOnce(browser, cdn, { open, rows, box }, path, query) {
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    await tab.goto(new URL(path, cdn.url).href, { waitUntil: "load" });
    await cdn.quiet(QUIET_MS);
    const arrived = cdn.sent();
    await open(tab);
    await tab.locator(box).waitFor();
    await cdn.quiet(QUIET_MS);
    const opened = cdn.sent();
    await tab.locator(box).focus();
    await tab.keyboard.type(query, { delay: PACE });
    await tab.locator(rows).first().waitFor({ state: "attached" });
    await cdn.quiet(QUIET_MS);
    const typed = cdn.sent();
    return {
      opening: opened.requests - arrived.requests,
      typing: typed.requests - opened.requests,
      bytes: typed.bytes - arrived.bytes,
    };
  } finally {
    await context.close();
  }
}

/** The browser of all readers; all servers have one certificate. */
let browser;

async function measureReaders(outs, queries) {
  const cdn = await serve(
    { "/findling/": outs.Findling, "/pagefind/": outs["Pagefind 1.6"] },
    Object.fromEntries(Object.values(TOOLS).map(({ html }, i) => [`/${i}.html`, html])),
  );
  endings.push(() => cdn.close());
  browser ??= (await launch(cdn)).browser;
  const found = {};
  for (const query of queries)
    for (const [i, [name, tool]] of Object.entries(TOOLS).entries()) {
      found[name] ??= [];
      found[name].push(await typeOnce(browser, cdn, tool, `/${i}.html`, query));
    }
  return found;
}

async function measure(options, site, scratch) {
  const outs = Object.fromEntries(
    Object.keys(TOOLS).map((name, i) => [name, join(scratch, `out-${i}`)]),
  );
  const seconds = {};
  for (let run = 0; run < options.runs; run++)
    for (const [name, { command }] of Object.entries(TOOLS)) {
      const took = time(name, command(options, site, outs[name]), outs[name]);
      seconds[name] = Math.min(seconds[name] ?? Infinity, took);
    }
  const names = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html"));
  const queries = queriesOf(site, names);
  const readers = await measureReaders(outs, queries);
  return Object.entries(TOOLS).map(([name, { isData }]) => {
    const { bytes, files, dataBytes, dataFiles } = written(outs[name], isData);
    const of = (key) => median(readers[name].map((reader) => reader[key]));
    const kilobytes = (bytes) => Math.round(bytes / 100) / 10;
    return [
      names.length,
      name,
      Math.round(100 * seconds[name]) / 100,
      kilobytes(dataBytes),
      dataFiles,
      kilobytes(bytes),
      files,
      of("opening"),
      of("typing"),
      kilobytes(of("bytes")),
    ];
  });
}

const COLUMNS = [
  "pages",
  "tool",
  ...columns(2, "build (s)"),
  ...columns(0, "data (kB)", "files", "data and client (kB)", "files of both"),
  ...columns(1, "requests to open", "requests while typing"),
  ...columns(0, "kB of both"),
];

async function main() {
  const options = readArguments();
  const pages = options.sites.flatMap(pagesOf).sort((a, b) => (a.path < b.path ? -1 : 1));
  const scratch = mkdtempSync(join(tmpdir(), "findling-sizes-"));
  endings.push(async () => rmSync(scratch, { recursive: true, force: true }));
  const before = load();
  const rows = [];
  for (const size of options.sizes) {
    if (pages.length < size)
      throw new Error(`--pages ${size}: expected so many pages, found ${pages.length}`);
    const site = join(scratch, `site-${size}`);
    copyPages(evenly(pages, size), site);
    rows.push(...(await measure(options, site, join(scratch, `of-${size}`))));
  }
  const names = options.sites.map((site) => basename(site)).join(", ");
  const note = `${pages.length} pages in ${names}`;
  const described = head("sizes", note, before);
  const { sizes, runs } = options;
  described.command = `cargo xtask bench sizes SITE... --pages ${sizes} --runs ${runs}`;
  print({ columns: COLUMNS, rows });
  write(options.out, described, { columns: COLUMNS, rows });
  console.log(`written to ${options.out}`);
}

await runToEnd(main);
