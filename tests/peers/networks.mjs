// How long does a reader wait for the first five results on fast and slow networks, over HTTP/1.1
// and HTTP/2, with a bundle in files, one in packs, and Pagefind?
//
//   cargo xtask bench networks [SITE] [--turns N] [--only HTTP,MBIT,RTT]... [--rangefind DIR]
//                              [--out FILE] [--note TEXT]
//
// SITE is a directory of rendered HTML, by default the six Rust books. Findling (FINDLING_BUNDLE,
// FINDLING_PACKED: bundles with their client, instead of building them with `--host files` and
// `--host plain`) and Pagefind index it with their defaults. `--rangefind DIR` measures Rangefind
// too: DIR has its index of the site, and its `runtime.browser.js`.
//
// A run is one reader: a new browser context, so an empty cache, on an empty page of the site with
// an open connection. The time begins with the import of the tool's client and ends with the data
// of five results; no tool shows its interface. `words` ends with the results by words, which
// Findling gives first where results by meaning take longer. A client's requests and bytes are
// those until the results are there. Queries are headings of the site, the same for all.
//
// The server is Node's own, over TLS: `http2` for HTTP/2, `https` for HTTP/1.1, where browsers open
// up to six connections. Scripts, styles, JSON and WebAssembly come with brotli 11, as from hosts
// that compress in advance. A relay makes the network (lib/relay.mjs): it delays each direction by
// half the round trip, shares the rate among all connections, and each connection starts slowly.
//
// All tools take turns within a setting. The result is written to
// bench/results/DATE-networks.json unless `--out` names another file.

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  build,
  buildIndexes,
  endings,
  launch,
  page,
  readSite,
  runToEnd,
} from "./lib/browser-bench.mjs";
import { serve } from "./lib/cdn.mjs";
import { fromSite } from "./lib/queries.mjs";
import { relayTo } from "./lib/relay.mjs";
import { columns, defaultPath, head, load, print, write } from "./lib/results.mjs";
import { median } from "./lib/statistics.mjs";

const USAGE =
  "[SITE] [--turns N] [--only HTTP,MBIT,RTT]... [--rangefind DIR] [--out FILE] [--note TEXT]";

const HTTPS = [1, 2];
const MBITS = [10, 50];
const ROUND_TRIPS = [20, 50, 150, 300];
/** A run that takes longer has failed. */
const LIMIT_MS = 60_000;

/** In the page: the milliseconds until five results are there, from nothing. */
const ASK = {
  findling: async ([at, query]) => {
    const start = performance.now();
    const { open } = await import(`${at}findling.js`);
    const index = await open(at);
    let words;
    const onWords = () => {
      words = performance.now() - start;
    };
    const { results } = await index.search(query, { limit: 5, onWords });
    const ms = performance.now() - start;
    return { n: results.length, ms, words: words ?? ms };
  },
  pagefind: async ([at, query]) => {
    const start = performance.now();
    const pagefind = await import(`${at}pagefind.js`);
    const { results } = await pagefind.search(query);
    const five = await Promise.all(results.slice(0, 5).map((result) => result.data()));
    const ms = performance.now() - start;
    return { n: five.length, ms, words: ms };
  },
  rangefind: async ([at, query]) => {
    const start = performance.now();
    const { createSearch } = await import(`${at}runtime.browser.js`);
    const engine = await createSearch({ baseUrl: new URL(at, location.href).href });
    const { results } = await engine.search({ q: query, size: 5 });
    const ms = performance.now() - start;
    return { n: results.length, ms, words: ms };
  },
};

function readArguments() {
  const options = {
    turns: { type: "string", default: "5" },
    only: { type: "string", multiple: true },
    rangefind: { type: "string" },
    out: { type: "string", default: defaultPath("networks") },
    note: { type: "string", default: "" },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const turns = Number(values.turns);
  if (!(Number.isInteger(turns) && turns > 0))
    throw new Error(`--turns ${values.turns}: expected a number of turns`);
  const { rangefind } = values;
  if (rangefind !== undefined && !existsSync(join(rangefind, "runtime.browser.js")))
    throw new Error(`--rangefind ${rangefind}: expected a directory with runtime.browser.js`);
  return { ...values, ...readSite(positionals, USAGE), turns, settings: settings(values.only) };
}

function settings(only) {
  if (only === undefined) {
    return HTTPS.flatMap((http) =>
      MBITS.flatMap((mbit) => ROUND_TRIPS.map((rtt) => ({ http, mbit, rtt }))),
    );
  }
  return only.map((given) => {
    const [http, mbit, rtt] = given.split(",").map(Number);
    if (!(HTTPS.includes(http) && mbit > 0 && rtt > 0))
      throw new Error(`--only ${given}: expected HTTP,MBIT,RTT, such as 2,10,50`);
    return { http, mbit, rtt };
  });
}

/** One reader's waiting time, and the bytes that had arrived by then. */
async function run({ browser, servers }, { name, tool }, { http, mbit, rtt }, query) {
  const { cdn, relay } = servers[http];
  relay.set({ rtt, mbit });
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    await tab.goto(`https://127.0.0.1:${relay.port}/`, { waitUntil: "load" });
    await cdn.quiet(rtt + 60);
    const before = { bytes: relay.arrived(), requests: cdn.sent().requests };
    const late = new Promise((_, reject) => {
      const fail = () => reject(new Error(`${name}: no results for \`${query}\``));
      setTimeout(fail, LIMIT_MS).unref();
    });
    const found = await Promise.race([tab.evaluate(ASK[tool], [`/${name}/`, query]), late]);
    const bytes = relay.arrived() - before.bytes;
    return { ...found, bytes, requests: cdn.sent().requests - before.requests };
  } finally {
    await context.close();
  }
}

/** The tools, each with its directory on a site. */
function indexes(options) {
  const { built, pagefind } = buildIndexes(options, ["--host", "files"]);
  const scratch = mkdtempSync(join(tmpdir(), "findling-networks-"));
  endings.push(async () => rmSync(scratch, { recursive: true, force: true }));
  const given = process.env.FINDLING_PACKED || undefined;
  const packs = given ? resolve(given) : join(scratch, "packs");
  const line = [options.findling, "build", options.site, "-o", packs, "--quiet", "--host", "plain"];
  if (!given) build("findling", line, join(packs, "findling.idx"));
  const tools = [
    { name: "findling", tool: "findling", directory: built },
    { name: "packs", tool: "findling", directory: packs },
    { name: "pagefind", tool: "pagefind", directory: pagefind },
  ];
  const { rangefind } = options;
  if (rangefind)
    tools.push({ name: "rangefind", tool: "rangefind", directory: resolve(rangefind) });
  return tools;
}

async function start(tools) {
  const directories = Object.fromEntries(
    tools.map(({ name, directory }) => [`/${name}/`, { directory, encoding: "brotli-11" }]),
  );
  const servers = {};
  let first;
  for (const http of HTTPS) {
    const cdn = await serve(directories, { "/": page("", "") }, { http, lazy: true });
    endings.push(() => cdn.close());
    const relay = await relayTo(cdn.port);
    endings.push(() => relay.close());
    servers[http] = { cdn, relay };
    first ??= cdn;
  }
  const { browser } = await launch(first);
  return { browser, servers };
}

/** Rows of one setting: the medians of each tool. */
async function measure(bench, tools, setting, queries, turns) {
  const found = new Map(tools.map(({ name }) => [name, []]));
  for (let turn = 0; turn < turns; turn++) {
    for (const tool of tools) {
      found.get(tool.name).push(await run(bench, tool, setting, queries[turn % queries.length]));
      const missing = [...bench.servers[setting.http].cdn.missing];
      if (missing.length > 0)
        throw new Error(`${tool.name} asked for missing files: ${missing.join(", ")}`);
    }
  }
  return [...found].map(([name, runs]) => {
    const of = (key) => median(runs.map((run) => run[key]));
    const numbers = ["ms", "words", "requests"].map(of);
    return [setting.http, setting.mbit, setting.rtt, name, ...numbers, of("bytes") / 1000, of("n")];
  });
}

async function main() {
  const options = readArguments();
  const { site, turns } = options;
  const before = load();
  const names = readdirSync(site, { recursive: true }).filter((name) => /\.html?$/.test(name));
  const queries = fromSite(site, names, turns);
  const tools = indexes(options);
  const bench = await start(tools);
  const table = {
    columns: [
      ...columns(0, "HTTP", "Mbit/s", "round trip (ms)"),
      "tool",
      ...columns(0, "ms", "ms, words", "requests"),
      ...columns(1, "kB"),
      ...columns(0, "results"),
    ],
    rows: [],
  };
  // The first readers pay for starting the browser and for compressing files.
  for (const http of HTTPS)
    for (const tool of tools) await run(bench, tool, { http, mbit: 1000, rtt: 1 }, queries[0]);
  for (const setting of options.settings) {
    const rows = await measure(bench, tools, setting, queries, turns);
    const round = (value) => (typeof value === "number" ? Math.round(value * 10) / 10 : value);
    table.rows.push(...rows.map((row) => row.map(round)));
    print({ ...table, rows: table.rows.slice(-rows.length) });
  }
  const note =
    `${names.length} HTML files, ${queries.length} queries, medians of ${turns} readers; ` +
    `Chromium ${bench.browser.version()}. ${options.note}`;
  write(options.out, head("networks", note.trim(), before), table);
  console.log(`written to ${options.out}`);
}

await runToEnd(main);
