// How long does a reader wait from opening the search to the first painted result, by processor and
// network?
//
//   cargo xtask bench first-result [SITE] [--client NAME=DIR]... [--bundle NAME=DIR]...
//                                         [--budget SECONDS] [--only CPU,MBIT,RTT]... [--out FILE]
//                                         [--note TEXT]
//
// SITE is a directory of rendered HTML. Findling (FINDLING_BUNDLE: a bundle of it, in place of
// building one) and Pagefind index it with their defaults, and each is used with its own interface.
//
// A run is one reader: a new browser context, so an empty cache, on a page that has loaded the
// interface's script and waits. Then the search is opened with a query, and the time ends with the
// frame that paints the first result. Queries are headings of the site, the same for all variants.
//
// The variants differ in how a host compresses scripts and WebAssembly: brotli 11 (in advance),
// brotli 5 (on the fly), and gzip. `--client NAME=DIR` adds Findling's client of another build,
// sent with brotli 11; `NAME@ENCODING=DIR` names another encoding. `--bundle NAME=DIR` adds the
// client over another bundle of the site, sent with brotli 11. All variants take turns within each
// setting, so that a busy machine slows all alike.
//
// Settings are all combinations of a processor 1, 4 and 6 times slower (lib/slow-cpu.mjs says how),
// 5, 10 and 50 Mbit/s, and round trips of 40 and 150 ms (lib/relay.mjs). `--only 4,10,40` measures
// one; it can be repeated. A setting takes turns for as long as `--budget` allows, 35 seconds
// unless given, but at least two. The deciding setting, 4 times slower, 10 Mbit/s, 40 ms, gets four
// times as long. All of them take less than 15 minutes.
//
// The result is written to bench/results/DATE-first-result-settings.json unless `--out` names
// another file, after each setting. A run that was interrupted goes on after the last setting in
// the file, if it has the same commit, site and variants.

import { existsSync, readdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildIndexes, endings, launch, page, readSite, runToEnd } from "./lib/browser-bench.mjs";
import { serve } from "./lib/cdn.mjs";
import { Archive } from "./lib/first-result-archive.mjs";
import { fromSite } from "./lib/queries.mjs";
import { relayTo } from "./lib/relay.mjs";
import { defaultPath, head, root } from "./lib/results.mjs";

const USAGE =
  "SITE [--client NAME=DIR]... [--bundle NAME=DIR]... [--budget SECONDS] " +
  "[--only CPU,MBIT,RTT]... [--out FILE] [--note TEXT]";

const CPUS = [1, 4, 6];
const MBITS = [5, 10, 50];
const ROUND_TRIPS = [40, 150];
const DECIDING = { cpu: 4, mbit: 10, rtt: 40 };
/** Factor by which that setting is measured longer. */
const LONGER = 4;
/** Least number of turns of a setting. */
const MIN_TURNS = 2;
const ENCODINGS = ["brotli-11", "brotli-5", "gzip"];
const QUERIES = 8;
/** A run that takes longer has failed. */
const LIMIT_MS = 60_000;

function readArguments() {
  const options = {
    client: { type: "string", multiple: true, default: [] },
    bundle: { type: "string", multiple: true, default: [] },
    budget: { type: "string", default: "35" },
    only: { type: "string", multiple: true },
    out: { type: "string" },
    note: { type: "string", default: "" },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const site = readSite(positionals, USAGE);
  const budget = Number(values.budget);
  if (!(budget > 0)) throw new Error(`--budget ${values.budget}: expected a number of seconds`);
  const clients = values.client.map((given) => {
    const [name, directory] = given.split("=");
    if (!directory || !existsSync(join(directory, "findling-ui.js"))) {
      throw new Error(`--client ${given}: expected NAME=DIR, where DIR has findling-ui.js`);
    }
    return { name, directory: resolve(directory) };
  });
  const bundles = values.bundle.map((given) => {
    const [name, directory] = given.split("=");
    if (!directory || !existsSync(join(directory, "findling.idx")))
      throw new Error(`--bundle ${given}: expected NAME=DIR, where DIR has findling.idx`);
    return { name, directory: resolve(directory) };
  });
  const out = values.out ?? defaultPath("first-result-settings");
  return {
    ...site,
    clients,
    bundles,
    budget,
    settings: settings(values.only),
    out,
    note: values.note,
  };
}

function settings(only) {
  if (only !== undefined) {
    return only.map((setting) => {
      const [cpu, mbit, rtt] = setting.split(",").map(Number);
      if (![cpu, mbit, rtt].every((value) => value > 0))
        throw new Error(`--only ${setting}: expected CPU,MBIT,RTT`);
      return { cpu, mbit, rtt };
    });
  }
  return CPUS.flatMap((cpu) =>
    MBITS.flatMap((mbit) => ROUND_TRIPS.map((rtt) => ({ cpu, mbit, rtt }))),
  );
}

const findlingPage = ({ name, bundle }) =>
  page(
    `<script type="module" src="/${name}/findling-ui.js"></script>`,
    `<findling-search bundle="${bundle ? `/bundles/${name}/` : "/bundle/"}" site="/">
    </findling-search>`,
  );
const PAGEFIND_PAGE = page(
  `<link rel="stylesheet" href="/pagefind/pagefind-ui.css">
  <script src="/pagefind/pagefind-ui.js"></script>`,
  // By default, its interface waits 300 ms after each key.
  `<div id="search"></div><script>
    new PagefindUI({
      element: "#search", showImages: false, debounceTimeoutMs: 0, bundlePath: "/pagefind/",
    });
  </script>`,
);

/** In the page: searches, and returns the milliseconds until the first result is painted. */
const OPEN = {
  findling: (query) =>
    new Promise((resolve) => {
      const element = document.querySelector("findling-search");
      const start = performance.now();
      const painted = () =>
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
      const observer = new MutationObserver(() => {
        if (!element.shadowRoot.querySelector("[role=option]")) return;
        observer.disconnect();
        painted();
      });
      observer.observe(element.shadowRoot, { childList: true, subtree: true });
      element.show(query);
    }),
  pagefind: (query) =>
    new Promise((resolve) => {
      const start = performance.now();
      const painted = () =>
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
      const search = document.querySelector("#search");
      const observer = new MutationObserver(() => {
        if (!search.querySelector("a.pagefind-ui__result-link")) return;
        observer.disconnect();
        painted();
      });
      observer.observe(search, { childList: true, subtree: true });
      const input = search.querySelector("input");
      input.focus();
      input.value = query;
      input.dispatchEvent(new Event("input"));
    }),
};

/** In the page: how long a fixed piece of work takes. */
function measureSpeed() {
  const start = performance.now();
  let x = 1;
  for (let i = 0; i < 200_000_000; i++) x = (Math.imul(x, 1664525) + i) | 0;
  return x === 0 ? 0 : performance.now() - start;
}

async function newReader({ browser, cdn, relay }, path, setting) {
  relay.set({ rtt: setting.rtt, mbit: setting.mbit });
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(`https://127.0.0.1:${relay.port}${path}`, { waitUntil: "load" });
  await cdn.quiet(setting.rtt + 60);
  return { context, tab };
}

/** One reader's wait, and the bytes that had arrived by then. */
async function run(bench, variant, setting, query) {
  const { context, tab } = await newReader(bench, variant.path, setting);
  try {
    const before = { bytes: bench.relay.arrived(), requests: bench.cdn.sent().requests };
    await bench.cpu.slow(tab, setting.cpu);
    const late = new Promise((_, reject) => {
      setTimeout(
        () => reject(new Error(`${variant.name}: no result for \`${query}\``)),
        LIMIT_MS,
      ).unref();
    });
    const ms = await Promise.race([tab.evaluate(OPEN[variant.tool], query), late]);
    const bytes = bench.relay.arrived() - before.bytes;
    return { ms, bytes, requests: bench.cdn.sent().requests - before.requests };
  } finally {
    bench.cpu.free();
    await context.close();
  }
}

/** Measured factor by which the same work is slower in a page. */
async function measuredSlowdown(bench, cpu) {
  const { context, tab } = await newReader(bench, "/", { rtt: 0, mbit: 1000 });
  await bench.cpu.slow(tab, 1);
  await tab.evaluate(measureSpeed);
  const free = await tab.evaluate(measureSpeed);
  await bench.cpu.slow(tab, cpu);
  const slow = await tab.evaluate(measureSpeed);
  bench.cpu.free();
  await context.close();
  return slow / free;
}

function allVariants(clients, bundles) {
  const directory = join(root, "www/dist");
  const own = ENCODINGS.map((encoding) => ({ name: encoding, directory, encoding }));
  // `--client plain@gzip=DIR` is sent with gzip.
  const others = clients.map((client) => ({
    ...client,
    encoding: client.name.split("@")[1] ?? "brotli-11",
  }));
  const overOthers = bundles.map((bundle) => ({
    name: bundle.name,
    directory,
    encoding: "brotli-11",
    bundle: bundle.directory,
  }));
  const all = [...others, ...overOthers, ...own];
  const ours = all.map((variant) => ({ ...variant, tool: "findling" }));
  return [...ours, { name: "pagefind", tool: "pagefind" }].map((variant) => ({
    ...variant,
    path: `/${variant.name}.html`,
  }));
}

/** Starts the server, the network and the browser. */
async function start({ built, pagefind }, all) {
  const ours = all.filter(({ tool }) => tool === "findling");
  const files = ours.map(({ name, directory, encoding }) => [`/${name}/`, { directory, encoding }]);
  const bundles = ours.filter(({ bundle }) => bundle);
  const cdn = await serve(
    {
      ...Object.fromEntries(files),
      ...Object.fromEntries(bundles.map(({ name, bundle }) => [`/bundles/${name}/`, bundle])),
      "/bundle/": built,
      "/pagefind/": { directory: pagefind, encoding: "brotli-11" },
    },
    {
      "/": page("", ""),
      "/pagefind.html": PAGEFIND_PAGE,
      ...Object.fromEntries(ours.map((variant) => [variant.path, findlingPage(variant)])),
    },
  );
  endings.push(() => cdn.close());
  const relay = await relayTo(cdn.port);
  endings.push(() => relay.close());
  const { browser, cpu } = await launch(cdn);
  return { browser, cdn, relay, cpu };
}

/** The runs of each variant in one setting: whole turns, until the time is up. */
async function measure(bench, all, setting, queries, budget) {
  const decides = Object.entries(DECIDING).every(([key, value]) => setting[key] === value);
  const end = performance.now() + 1000 * budget * (decides ? LONGER : 1);
  const found = all.map(() => []);
  let longest = 0;
  for (let turn = 0; turn < MIN_TURNS || performance.now() + longest < end; turn++) {
    const began = performance.now();
    for (const [j, variant] of all.entries()) {
      found[j].push(await run(bench, variant, setting, queries[turn % queries.length]));
      const missing = [...bench.cdn.missing];
      if (missing.length > 0)
        throw new Error(`${variant.name} asked for missing files: ${missing.join(", ")}`);
    }
    longest = Math.max(longest, performance.now() - began);
  }
  return found;
}

async function main() {
  const options = readArguments();
  const { site, settings, out } = options;
  const names = readdirSync(site, { recursive: true }).filter((name) => /\.html?$/.test(name));
  const queries = fromSite(site, names, QUERIES);
  const all = allVariants(options.clients, options.bundles);
  const note = `${names.length} HTML files; ${queries.length} queries. ${options.note}`.trim();
  const archive = new Archive(out, {
    ...head("first-result", note),
    variants: all.map(({ name }) => name),
  });
  const left = settings.filter((setting) => !archive.has(setting));
  if (left.length < settings.length)
    console.log(`${settings.length - left.length} settings are in ${out}; ${left.length} are left`);
  if (left.length === 0) return;
  const bench = await start(buildIndexes(options), all);
  const slowdowns = {};
  for (const factor of new Set(left.map((setting) => setting.cpu))) {
    if (factor > 1) slowdowns[factor] = Number((await measuredSlowdown(bench, factor)).toFixed(1));
  }
  const measured = `${bench.cpu.how}; slowdowns measured in a page: ${JSON.stringify(slowdowns)}`;
  archive.describe(`Chromium ${bench.browser.version()}; ${measured}`);
  console.log(measured);
  for (const [i, setting] of left.entries()) {
    const load = loadavg()[0];
    const found = await measure(bench, all, setting, queries, options.budget);
    archive.add(setting, found, load);
    const { cpu, mbit, rtt } = setting;
    console.log(
      `${i + 1} of ${left.length}: ${cpu}x, ${mbit} Mbit/s, ${rtt} ms: `,
      ...archive.line(),
    );
  }
  console.log(`written to ${out}`);
}

await runToEnd(main);
