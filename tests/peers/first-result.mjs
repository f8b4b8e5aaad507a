// How long does a reader wait from opening the search to the first painted result, by processor and
// network?
//
//   cargo xtask bench first-result SITE [--client NAME=DIR]... [--runs N] [--only CPU,MBIT,RTT]
//                                       [--out FILE] [--note TEXT]
//
// SITE is a directory of rendered HTML. Findling (FINDLING_BUNDLE: a bundle of it, in place of
// building one) and Pagefind index it with their defaults, and each is used with its own interface.
//
// A run is one reader: a new browser context, so an empty cache, on a page that has loaded the
// interface's script and waits. Then the search is opened with a query, and the time ends with the
// frame that paints the first result. Queries are headings of the site, the same for all variants.
//
// The variants differ in how a host compresses scripts and WebAssembly: brotli 11 (in advance),
// brotli 5 (on the fly), gzip, and brotli 5 without WebAssembly. `--client NAME=DIR` adds
// Findling's client of another build, sent with brotli 11; `NAME@ENCODING=DIR` names another
// encoding. All variants take turns within each setting, so that a busy machine slows all alike.
//
// Settings are all combinations of a processor 1, 4 and 6 times slower (lib/slow-cpu.mjs says how),
// 5, 10 and 50 Mbit/s, and round trips of 40 and 150 ms (lib/relay.mjs). The deciding setting, 4
// times slower, 10 Mbit/s, 40 ms, gets four times as many runs. `--only 4,10,40` measures one.
//
// The result is written to bench/results/DATE-first-result.json unless `--out` names another file.

import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { executablePath, launchOptions } from "../e2e/lib/chromium.mjs";
import { serve } from "./lib/cdn.mjs";
import { fromSite } from "./lib/queries.mjs";
import { relayTo } from "./lib/relay.mjs";
import { slowCpu } from "./lib/slow-cpu.mjs";

const USAGE =
  "SITE [--client NAME=DIR]... [--runs N] [--only CPU,MBIT,RTT] [--out FILE] [--note TEXT]";
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");

const CPUS = [1, 4, 6];
const MBITS = [5, 10, 50];
const ROUND_TRIPS = [40, 150];
const DECIDING = { cpu: 4, mbit: 10, rtt: 40 };
/** How many times more runs that setting gets. */
const MORE_RUNS = 4;
const QUERIES = 8;
/** A run that takes longer has failed. */
const LIMIT_MS = 60_000;

function readArguments() {
  const options = {
    client: { type: "string", multiple: true, default: [] },
    runs: { type: "string", default: "2" },
    only: { type: "string" },
    out: { type: "string" },
    note: { type: "string", default: "" },
  };
  const {
    values,
    positionals: [site, ...more],
  } = parseArgs({ options, allowPositionals: true });
  if (!site || more.length > 0) throw new Error(`expected ${USAGE}`);
  if (!existsSync(site) || !statSync(site).isDirectory())
    throw new Error(`${site}: expected a directory of rendered HTML`);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1)
    throw new Error(`--runs ${values.runs}: expected a whole number from 1`);
  const clients = values.client.map((given) => {
    const [name, directory] = given.split("=");
    if (!directory || !existsSync(join(directory, "findling-ui.js"))) {
      throw new Error(`--client ${given}: expected NAME=DIR, where DIR has findling-ui.js`);
    }
    return { name, directory: resolve(directory) };
  });
  const findling = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
  const bundle = process.env.FINDLING_BUNDLE || undefined;
  if (bundle && !existsSync(join(bundle, "findling.idx")))
    throw new Error(`FINDLING_BUNDLE=${bundle}: expected a bundle`);
  if (!bundle && !existsSync(findling))
    throw new Error(`${findling}: build it with \`cargo xtask cli\``);
  if (!executablePath)
    throw new Error("there is no Chromium; install one, or name one in FINDLING_CHROMIUM");
  const out =
    values.out ??
    join(root, "bench/results", `${new Date().toISOString().slice(0, 10)}-first-result.json`);
  return {
    site: resolve(site),
    clients,
    runs,
    settings: settings(values.only),
    out,
    note: values.note,
    findling,
    bundle,
  };
}

function settings(only) {
  if (only !== undefined) {
    const [cpu, mbit, rtt] = only.split(",").map(Number);
    if (![cpu, mbit, rtt].every((value) => value > 0))
      throw new Error(`--only ${only}: expected CPU,MBIT,RTT`);
    return [{ cpu, mbit, rtt }];
  }
  return CPUS.flatMap((cpu) =>
    MBITS.flatMap((mbit) => ROUND_TRIPS.map((rtt) => ({ cpu, mbit, rtt }))),
  );
}

/** Runs one build; `made` is a file that it makes. */
function build(name, [program, ...args], made) {
  const { error, signal, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (error || signal || !existsSync(made))
    throw new Error(`${name} could not index the site: ${error ?? stderr.trim()}`);
}

const page = (
  head,
  body,
) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A reader</title>
<link rel="icon" href="data:,">${head}<body>${body}`;

const findlingPage = (client) =>
  page(
    `<script type="module" src="/${client}/findling-ui.js"></script>`,
    `<findling-search bundle="/bundle/" site="/"></findling-search>`,
  );
const PAGEFIND_PAGE = page(
  `<link rel="stylesheet" href="/pagefind/pagefind-ui.css">
  <script src="/pagefind/pagefind-ui.js"></script>`,
  // Its interface waits 300 ms after each key unless told otherwise.
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

/** How many times slower the same work is in a page, measured. */
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

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const COLUMNS = [
  "cpu_slowdown",
  "mbit",
  "rtt_ms",
  "variant",
  "runs",
  "median_ms",
  "min_ms",
  "max_ms",
  "kB",
  "requests",
];

function row({ cpu, mbit, rtt }, name, runs) {
  const times = runs.map(({ ms }) => ms);
  const round = Math.round;
  return [
    cpu,
    mbit,
    rtt,
    name,
    runs.length,
    round(median(times)),
    round(Math.min(...times)),
    round(Math.max(...times)),
    Number((median(runs.map(({ bytes }) => bytes)) / 1000).toFixed(1)),
    median(runs.map(({ requests }) => requests)),
  ];
}

/** Ends what was begun, the last first. */
const endings = [];
async function end() {
  for (let ending = endings.pop(); ending; ending = endings.pop()) {
    await Promise.resolve(ending()).catch((error) =>
      console.error(`while cleaning up: ${error.message}`),
    );
  }
}

async function main() {
  const { site, clients, runs, settings, out, note, findling, bundle } = readArguments();
  const names = readdirSync(site, { recursive: true }).filter((name) => /\.html?$/.test(name));
  const queries = fromSite(site, names, QUERIES);
  const scratch = mkdtempSync(join(tmpdir(), "findling-first-result-"));
  endings.push(async () => rmSync(scratch, { recursive: true, force: true }));
  const built = bundle ? resolve(bundle) : join(scratch, "findling");
  const pagefind = join(scratch, "pagefind");
  if (!bundle)
    build(
      "findling",
      [findling, "build", site, "-o", built, "--quiet"],
      join(built, "findling.idx"),
    );
  build(
    "pagefind",
    [
      join(here, "node_modules/.bin/pagefind"),
      "--site",
      site,
      "--output-path",
      pagefind,
      "--silent",
    ],
    join(pagefind, "pagefind-entry.json"),
  );

  const own = join(root, "www/dist");
  const all = [
    ...clients.map(({ name, directory }) => ({
      name,
      tool: "findling",
      directory,
      // `--client plain@gzip=DIR` is sent with gzip.
      encoding: name.split("@")[1] ?? "brotli-11",
    })),
    ...["brotli-11", "brotli-5", "gzip", "no-wasm"].map((encoding) => ({
      name: encoding,
      tool: "findling",
      directory: own,
      encoding,
    })),
    { name: "pagefind", tool: "pagefind" },
  ].map((variant) => ({ ...variant, path: `/${variant.name}.html` }));
  const ours = all.filter(({ tool }) => tool === "findling");
  const cdn = await serve(
    {
      ...Object.fromEntries(
        ours.map(({ name, directory, encoding }) => [`/${name}/`, { directory, encoding }]),
      ),
      "/bundle/": built,
      "/pagefind/": { directory: pagefind, encoding: "brotli-11" },
    },
    {
      "/": page("", ""),
      "/pagefind.html": PAGEFIND_PAGE,
      ...Object.fromEntries(ours.map(({ name, path }) => [path, findlingPage(name)])),
    },
  );
  endings.push(() => cdn.close());
  const relay = await relayTo(cdn.port);
  endings.push(() => relay.close());
  const server = await chromium.launchServer({
    ...launchOptions(`--ignore-certificate-errors-spki-list=${cdn.pin}`),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  endings.push(() => server.close());
  const browser = await chromium.connect(server.wsEndpoint());
  const cpu = slowCpu(server.process().pid);
  endings.push(() => cpu.close());
  const bench = { browser, cdn, relay, cpu };

  const slowdowns = {};
  for (const factor of new Set(settings.map((setting) => setting.cpu))) {
    if (factor > 1) slowdowns[factor] = Number((await measuredSlowdown(bench, factor)).toFixed(1));
  }
  console.log(`${cpu.how}; measured: ${JSON.stringify(slowdowns)}`);
  const load = loadavg()[0];
  const found = settings.map(() => all.map(() => []));
  // Round after round over all settings, so that what else the machine does falls on each of them.
  for (let turn = 0; turn < MORE_RUNS * runs; turn++) {
    for (const [i, setting] of settings.entries()) {
      const decides = Object.entries(DECIDING).every(([key, value]) => setting[key] === value);
      if (turn >= runs && !decides) continue;
      for (const [j, variant] of all.entries()) {
        found[i][j].push(await run(bench, variant, setting, queries[turn % queries.length]));
        if (cdn.missing.size > 0)
          throw new Error(
            `${variant.name} asked for missing files: ${[...cdn.missing].join(", ")}`,
          );
      }
    }
    process.stderr.write(`turn ${turn + 1} of ${MORE_RUNS * runs}\n`);
  }
  const rows = settings.flatMap((setting, i) =>
    all.map(({ name }, j) => row(setting, name, found[i][j])),
  );
  const git = (...args) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
  const result = {
    name: "first-result",
    date: new Date().toISOString().slice(0, 10),
    machine:
      `${cpus().length} cores, ${cpus()[0].model}; load average ${load.toFixed(1)} before, ` +
      `${loadavg()[0].toFixed(1)} after; Chromium ${browser.version()}; ${cpu.how}; ` +
      `slowdowns measured in a page: ${JSON.stringify(slowdowns)}`,
    commit: git("rev-parse", "HEAD"),
    command: `cargo xtask bench first-result ${process.argv.slice(2).join(" ")}`,
    note: `${names.length} HTML files; ${queries.length} queries. ${note}`.trim(),
    columns: COLUMNS,
    rows,
  };
  mkdirSync(dirname(out), { recursive: true });
  const lines = rows.map((cells) => `    ${JSON.stringify(cells)}`).join(",\n");
  const head = JSON.stringify({ ...result, rows: [] }, null, 2);
  writeFileSync(out, `${head.replace('"rows": []', () => `"rows": [\n${lines}\n  ]`)}\n`);
  console.log(COLUMNS.join("\t"));
  for (const cells of rows) console.log(cells.join("\t"));
  console.log(`written to ${out}`);
}

for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
]) {
  process.once(signal, () => end().finally(() => process.exit(128 + number)));
}
try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
} finally {
  await end();
}
