// How does typing feel: how soon does a key's answer appear, and does typing ever wait?
//
//   cargo xtask bench felt [SITE] [--cpu N]... [--queries N] [--out FILE] [--note TEXT]
//
// SITE is a directory of rendered HTML; by default the demo's site. Findling (FINDLING_BUNDLE names
// a bundle of it to use instead of building one) and Pagefind index it with their defaults.
// Findling is used by its dialog, Pagefind by its component `<pagefind-searchbox>`. The third is a
// list below a box over MiniSearch, which has all documents in memory. No tool waits between a key
// and a search.
//
// The search is opened and used once, so that the index is warm. Then headings of the site are
// typed in real key presses, on a processor 1 and 4 times slower (lib/slow-cpu.mjs says how), at 10
// Mbit/s and round trips of 40 ms (lib/relay.mjs):
//
// - slowly: the next key is pressed when the list is at rest. "first answer" is the time from the
//   key's event to the frame that paints the first change of the list; "last answer" is the time to
//   the last change. "first row changed" is the share of answers whose first row at the end differs
//   from the first row that was painted.
// - quickly: a key is pressed every 90 ms. "frame after a key" is the browser's own event timing:
//   from the key press to the next frame. "longest task" is the longest time for which the page's
//   main thread was busy, from 50 ms on, which is the shortest that the browser reports.
//
// The result is written to bench/results/DATE-felt.json unless `--out` names another file.

import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import MiniSearch from "minisearch";
import { buildIndexes, endings, launch, page, readSite, runToEnd } from "./lib/browser-bench.mjs";
import { serve } from "./lib/cdn.mjs";
import { observe, rest, take } from "./lib/felt-in-page.mjs";
import { decoded } from "./lib/html.mjs";
import { fromSite } from "./lib/queries.mjs";
import { relayTo } from "./lib/relay.mjs";
import { defaultPath, head, root, write } from "./lib/results.mjs";
import { median, quantile } from "./lib/statistics.mjs";

const USAGE = "SITE [--cpu N]... [--queries N] [--out FILE] [--note TEXT]";
const NETWORK = { rtt: 40, mbit: 10 };
const CPUS = ["1", "4"];
/** Milliseconds between keys that are typed quickly. */
const PACE = 90;
/**
 * The list is at rest when it has not changed for this time, multiplied by the processor's
 * slowness.
 */
const REST_MS = 350;

function readArguments() {
  const options = {
    cpu: { type: "string", multiple: true, default: CPUS },
    queries: { type: "string", default: "6" },
    out: { type: "string" },
    note: { type: "string", default: "" },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const cpus = values.cpu.map(Number);
  if (!cpus.every((cpu) => cpu >= 1)) throw new Error(`--cpu ${values.cpu}: expected at least 1`);
  const queries = Number(values.queries);
  if (!(Number.isInteger(queries) && queries > 0))
    throw new Error(`--queries ${values.queries}: expected a whole number from 1`);
  return {
    ...readSite(positionals, USAGE),
    cpus,
    queries,
    out: values.out ?? defaultPath("felt"),
    note: values.note,
  };
}

/** For each tool, how its search is opened, and the places of its box and its rows. */
const TOOLS = {
  findling: {
    html: page(
      `<script type="module" src="/findling/findling-ui.js"></script>`,
      `<findling-search bundle="/bundle/" site="/"></findling-search>`,
    ),
    open: (tab) => tab.evaluate(() => document.querySelector("findling-search").show()),
    rows: { host: "findling-search", row: "[role=option]" },
    box: "findling-search input",
  },
  pagefind: {
    html: page(
      `<link rel="stylesheet" href="/pagefind/pagefind-component-ui.css">
      <script type="module" src="/pagefind/pagefind-component-ui.js"></script>`,
      `<pagefind-config bundle-path="/pagefind/"></pagefind-config>
      <pagefind-searchbox debounce="0"></pagefind-searchbox>`,
    ),
    open: (tab) => tab.focus("pagefind-searchbox input"),
    rows: { list: "pagefind-searchbox", row: "[role=option]" },
    box: "pagefind-searchbox input",
  },
  minisearch: {
    html: page(
      `<script type="module">
        import MiniSearch from "/minisearch/index.js";
        const box = document.querySelector("input");
        const list = document.querySelector("ol");
        let index;
        box.addEventListener("focus", async () => {
          index ??= await fetch("/documents.json")
            .then((response) => response.text())
            .then((json) => MiniSearch.loadJSON(json, { fields: ["title", "text"] }));
          document.body.dataset.ready = "";
        });
        box.addEventListener("input", () => {
          const found = index.search(box.value, { prefix: true, fuzzy: 0.2, boost: { title: 2 } });
          list.replaceChildren(...found.slice(0, 10).map((hit) => {
            const row = document.createElement("li");
            row.setAttribute("role", "option");
            row.append(hit.title, document.createElement("br"), hit.start);
            return row;
          }));
        });
      </script>`,
      `<input type="search"><ol role="listbox"></ol>`,
    ),
    open: async (tab) => {
      await tab.focus("input");
      await tab.waitForSelector("[data-ready]");
    },
    rows: { list: "ol", row: "[role=option]" },
    box: "input",
  },
};

/** The site's pages for MiniSearch: their titles and texts. */
function documents(site, names) {
  const index = new MiniSearch({ fields: ["title", "text"], storeFields: ["title", "start"] });
  for (const name of names) {
    const html = readFileSync(join(site, name), "utf8");
    const [, main = html] = /<main\b[^>]*>(.*)<\/main>/is.exec(html) ?? [];
    const shown = main.replace(/<!--.*?-->|<(script|style)\b.*?<\/\1\s*>/gis, "");
    const text = decoded(shown.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");
    const [, title = name] = /<title>(.*?)<\/title>/is.exec(html) ?? [];
    index.add({ id: name, title: decoded(title), text, start: text.slice(0, 150) });
  }
  return JSON.stringify(index);
}

/** Types a query with a pause after each key. Returns each key's first and last answer. */
async function typeSlowly(tab, query, pause) {
  const answers = [];
  for (const key of query) {
    await tab.evaluate(take);
    await tab.keyboard.press(key === " " ? "Space" : key);
    await tab.evaluate(rest, pause);
    const { keys, paints } = await tab.evaluate(take);
    if (paints.length === 0) continue;
    const [first, last] = [paints[0], paints.at(-1)];
    answers.push({
      first: first.at - keys[0],
      last: last.at - keys[0],
      moved: first.row !== undefined && first.row !== last.row,
    });
  }
  return answers;
}

/** Types a query at a pace. Returns the frames after its keys and the tasks that were long. */
async function typeQuickly(tab, query, pause) {
  await tab.evaluate(take);
  await tab.keyboard.type(query, { delay: PACE });
  await tab.evaluate(rest, pause);
  const { keys, paints, frames, tasks } = await tab.evaluate(take);
  return { frames, tasks, last: (paints.at(-1)?.at ?? keys.at(-1)) - keys.at(-1) };
}

async function emptyBox(tab, box, pause) {
  await tab.focus(box);
  await tab.keyboard.press("Control+a");
  await tab.keyboard.press("Delete");
  await tab.evaluate(rest, pause);
}

/** One reader with a warm index, who types all queries slowly and then quickly. */
async function measure({ browser, relay, cpu }, name, factor, queries) {
  const { open, rows, box } = TOOLS[name];
  const pause = REST_MS * factor;
  relay.set(NETWORK);
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    await tab.goto(`https://127.0.0.1:${relay.port}/${name}.html`, { waitUntil: "load" });
    await open(tab);
    await tab.evaluate(observe, rows);
    await tab.focus(box);
    await tab.keyboard.type("introduction", { delay: PACE });
    await tab.evaluate(rest, 1000);
    const { paints } = await tab.evaluate(take);
    if (paints.length === 0) throw new Error(`${name} answered nothing`);
    await cpu.slow(tab, factor);
    const [answers, quick] = [[], []];
    for (const query of queries) {
      await emptyBox(tab, box, pause);
      answers.push(...(await typeSlowly(tab, query, pause)));
      await emptyBox(tab, box, pause);
      quick.push(await typeQuickly(tab, query, pause));
    }
    return { answers, quick };
  } finally {
    cpu.free();
    await context.close();
  }
}

const COLUMNS = [
  "processor",
  "search",
  "keys",
  { name: "first answer, median (ms)", decimals: 0 },
  { name: "95% (ms)", decimals: 0 },
  { name: "last answer, median (ms)", decimals: 0 },
  { name: "first row changed (%)", decimals: 0 },
  { name: "frame after a key, 95% (ms)", decimals: 0 },
  { name: "slowest (ms)", decimals: 0 },
  { name: "long tasks", decimals: 0 },
  { name: "longest (ms)", decimals: 0 },
];

function row(factor, name, { answers, quick }) {
  const first = answers.map((answer) => answer.first);
  const frames = quick.flatMap((query) => query.frames);
  const tasks = quick.flatMap((query) => query.tasks);
  return [
    factor === 1 ? "1" : `${factor} times slower`,
    name,
    answers.length,
    median(first),
    quantile(first, 0.95),
    median(answers.map((answer) => answer.last)),
    (100 * answers.filter((answer) => answer.moved).length) / answers.length,
    frames.length > 0 ? quantile(frames, 0.95) : 0,
    Math.max(0, ...frames),
    tasks.length,
    Math.max(0, ...tasks),
  ].map((value) => (typeof value === "number" ? Math.round(value) : value));
}

/** Indexes the site, and starts the server, the network and the browser. */
async function start(options, names) {
  const { built, pagefind } = buildIndexes(options);
  const cdn = await serve(
    {
      "/findling/": join(root, "www/dist"),
      "/bundle/": built,
      "/pagefind/": pagefind,
      "/minisearch/": join(root, "tests/peers/node_modules/minisearch/dist/es"),
    },
    {
      ...Object.fromEntries(
        Object.entries(TOOLS).map(([name, { html }]) => [`/${name}.html`, html]),
      ),
      "/documents.json": documents(options.site, names),
    },
  );
  endings.push(() => cdn.close());
  const relay = await relayTo(cdn.port);
  endings.push(() => relay.close());
  return { cdn, relay, ...(await launch(cdn)) };
}

async function main() {
  const options = readArguments();
  const { site, out } = options;
  const names = readdirSync(site, { recursive: true }).filter((name) => /\.html?$/.test(name));
  const queries = fromSite(site, names, options.queries);
  const note = `${names.length} HTML files; ${queries.length} queries. ${options.note}`.trim();
  const load = loadavg()[0].toFixed(1);
  const bench = await start(options, names);
  const rows = [];
  for (const factor of options.cpus)
    for (const name of Object.keys(TOOLS)) {
      rows.push(row(factor, name, await measure(bench, name, factor, queries)));
      console.log(rows.at(-1).join("\t"));
    }
  write(out, head("felt", note, load), { columns: COLUMNS, rows });
  console.log(`written to ${out}`);
}

await runToEnd(main);
