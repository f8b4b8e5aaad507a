// The bytes that a reader of a static site downloads, and the waiting time, compared with Pagefind
// on the same HTML.
//
//   cargo xtask bench net SITE [QUERIES] [--most N] [--latency MS] [--mbit N] [--compress-all]
//                         [--json]
//
// SITE is a directory of rendered HTML, which both tools index with their defaults. QUERIES is a
// file of JSON lines with `text`; without it, queries are headings of the site. N (20) queries are
// taken, evenly spread.
//
// Each query is the first query of one reader: a new browser context on an empty page of the site,
// with an open connection. The reader opens the index, searches, and gets the data of five results.
// All other queries follow on the same page. 20 queries take some five minutes. Both clients run
// without their UI. The server behaves like a CDN (lib/cdn.mjs), and Chromium emulates the network:
// a round trip of 40 ms (`--latency`) and 10 Mbit/s (`--mbit`) by default; 0 emulates nothing.
//
// Bytes and requests are counted by the server, because the browser does not report the traffic of
// workers. The count is everything written to sockets: bodies, headers, and the framing of HTTP/2
// and TLS. Rounds are the longest chain of requests, each begun after the end of the previous one.
// Without latency, responses overtake requests and the chain seems longer. Milliseconds are
// measured in the page.
//
// FINDLING_BUNDLE is a bundle to measure instead of building one.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { executablePath, launchOptions } from "../e2e/lib/chromium.mjs";
import { serve } from "./lib/cdn.mjs";
import { evenly, fromFile, fromSite } from "./lib/queries.mjs";
import { checkWorkers, read, TOOLS } from "./lib/reader.mjs";
import { quantile } from "./lib/statistics.mjs";

const USAGE = "SITE [QUERIES] [--most N] [--latency MS] [--mbit N] [--compress-all] [--json]";
const here = dirname(fileURLToPath(import.meta.url));

function readArguments() {
  const options = {
    most: { type: "string", default: "20" },
    latency: { type: "string", default: "40" },
    mbit: { type: "string", default: "10" },
    "compress-all": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  };
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Error(`${error.message}; expected ${USAGE}`);
  }
  const {
    values,
    positionals: [site, file, ...more],
  } = parsed;
  if (!site || more.length > 0) throw new Error(`expected ${USAGE}`);
  const number = (name, min) => {
    const value = values[name].trim() === "" ? NaN : Number(values[name]);
    if (!(value >= min && value < Infinity))
      throw new Error(`--${name} ${values[name]}: expected a number from ${min}`);
    return value;
  };
  const most = number("most", 2);
  if (!Number.isInteger(most)) throw new Error(`--most ${most}: expected a whole number`);
  if (!existsSync(site) || !statSync(site).isDirectory())
    throw new Error(`${site}: expected a directory of rendered HTML`);
  if (file !== undefined && !(existsSync(file) && statSync(file).isFile()))
    throw new Error(`${file}: expected a file of queries`);
  const bundle = process.env.FINDLING_BUNDLE || undefined;
  for (const name of bundle
    ? [
        "findling.idx",
        "findling.js",
        "findling-worker.js",
        "findling_engine.wasm",
        "findling_engine_rest.wasm",
      ]
    : []) {
    if (!existsSync(join(bundle, name)))
      throw new Error(
        `FINDLING_BUNDLE=${bundle}: expected a bundle with its client, but it has no ${name}`,
      );
  }
  const findling = process.env.FINDLING_BIN ?? join(here, "../../target/release/findling");
  if (!bundle && !existsSync(findling))
    throw new Error(
      `${findling}: not found. Build it with \`cargo xtask cli\`, or set FINDLING_BIN.`,
    );
  if (!executablePath || !existsSync(executablePath))
    throw new Error("Chromium was not found. Install it, or set FINDLING_CHROMIUM.");
  return {
    site: resolve(site),
    file,
    bundle,
    findling,
    most,
    network: { latency: number("latency", 0), mbit: number("mbit", 0) },
    compressAll: values["compress-all"],
    json: values.json,
  };
}

/** Runs one build, which must make the file `made`. */
function build(name, command, made) {
  const { error, status, signal, stderr } = spawnSync(command[0], command.slice(1), {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  // Exit status 1: the build is complete, but some pages could not be read.
  if (error || signal || !existsSync(made)) {
    const reason = error ?? (stderr.trim() || signal || `exit status ${status}`);
    throw new Error(`${name} could not index the site: ${reason}`);
  }
}

/** The language with most pages. Pagefind searches the pages in the language of the page. */
function mainLanguage(pagefind) {
  const { languages } = JSON.parse(readFileSync(join(pagefind, "pagefind-entry.json"), "utf8"));
  const [first] = Object.entries(languages).sort(([, a], [, b]) => b.page_count - a.page_count);
  if (!first) throw new Error("Pagefind found no pages");
  return first[0];
}

/** The median and the 95th percentile of every measurement. */
function summary(steps) {
  return Object.fromEntries(
    ["bytes", "requests", "rounds", "ms"].map((key) => {
      const values = steps.map((step) => step[key]);
      return [key, { median: quantile(values, 0.5), p95: quantile(values, 0.95) }];
    }),
  );
}

/** The sum of two steps. */
const together = (a, b) =>
  Object.fromEntries(["bytes", "requests", "rounds", "ms"].map((key) => [key, a[key] + b[key]]));

/** Measures readers of both tools in turn, so that other load affects both. */
async function measure(browser, cdn, queries, network) {
  const readers = Object.fromEntries(Object.keys(TOOLS).map((name) => [name, []]));
  for (const i of queries.keys()) {
    const order = [...queries.slice(i), ...queries.slice(0, i)];
    for (const [name, tool] of Object.entries(TOOLS)) {
      readers[name].push(await read(browser, cdn, tool, order, network));
      if (cdn.missing.size > 0)
        throw new Error(`${name} asked for what is not there: ${[...cdn.missing].join(", ")}`);
    }
  }
  return Object.fromEntries(
    Object.entries(readers).map(([name, all]) => [
      name,
      {
        searches: all[0].opening.result,
        fewer: all.filter(({ answers: [first] }) => first.result < 5).length,
        opening: summary(all.map(({ opening }) => opening)),
        first: summary(all.map(({ answers: [first] }) => first)),
        cold: summary(all.map(({ opening, answers: [first] }) => together(opening, first))),
        later: summary(all.flatMap(({ answers: [, ...later] }) => later)),
      },
    ]),
  );
}

const STEPS = {
  opening: "opening",
  first: "first query",
  cold: "both (cold)",
  later: "later query",
};

function print({ pages, queries, network, compressAll, chromium: version, tools }) {
  const emulated = [
    network.latency > 0 && `a round trip of ${network.latency} ms`,
    network.mbit > 0 && `${network.mbit} Mbit/s`,
  ].filter(Boolean);
  const compressed = compressAll ? "everything" : "scripts, wasm, json, html and css";
  const net = emulated.join(" and ") || "no emulated network";
  console.log(
    `${pages} HTML files; ${queries.length} queries, each the first query of one reader and a ` +
      `later query of ${queries.length - 1} readers`,
  );
  console.log(`${net}; HTTP/2; brotli for ${compressed}; Chromium ${version}`);
  for (const [name, { searches, fewer }] of Object.entries(tools)) {
    const few = `fewer than five results for ${fewer} of ${queries.length} queries`;
    console.log(`${name} searches ${searches}; ${few}`);
  }
  const columns = [
    ["kB", (v) => (v.bytes / 1e3).toFixed(1)],
    ["requests", (v) => v.requests],
    ["rounds", (v) => v.rounds],
    ["ms", (v) => v.ms.toFixed(0)],
  ];
  const widths = [10, 8];
  const titles = columns.map(([title]) => title.padStart(widths[0]) + "p95".padStart(widths[1]));
  console.log(`\n${" ".repeat(21)}${titles.join("")}`);
  for (const [step, title] of Object.entries(STEPS)) {
    for (const [i, [name, tool]] of Object.entries(tools).entries()) {
      const at = (which) =>
        Object.fromEntries(Object.entries(tool[step]).map(([key, value]) => [key, value[which]]));
      const cells = columns.map(
        ([, cell]) =>
          String(cell(at("median"))).padStart(widths[0]) +
          String(cell(at("p95"))).padStart(widths[1]),
      );
      console.log((i === 0 ? title : "").padEnd(12) + name.padEnd(9) + cells.join(""));
    }
  }
}

/** Functions that clean up. They run once, the last first. */
const endings = [];
let stopped = false;
async function end() {
  for (let ending = endings.pop(); ending; ending = endings.pop()) {
    await Promise.resolve(ending()).catch((error) =>
      console.error(`while cleaning up: ${error.message}`),
    );
  }
}

async function main() {
  const { site, file, bundle, findling, most, network, compressAll, json } = readArguments();
  const names = readdirSync(site, { recursive: true }).filter((name) => /\.html?$/.test(name));
  if (names.length === 0) throw new Error(`${site}: there is no HTML in it`);
  const queries = file === undefined ? fromSite(site, names, most) : evenly(fromFile(file), most);
  if (queries.length < 2)
    throw new Error(`${file ?? site}: expected at least two queries, found ${queries.length}`);

  const scratch = mkdtempSync(join(tmpdir(), "findling-peers-"));
  endings.push(() => rmSync(scratch, { recursive: true, force: true }));
  const out = {
    findling: bundle ? resolve(bundle) : join(scratch, "findling"),
    pagefind: join(scratch, "pagefind"),
  };
  if (!bundle)
    build(
      "findling",
      [findling, "build", site, "-o", out.findling, "--quiet"],
      join(out.findling, "findling.idx"),
    );
  build(
    "pagefind",
    [
      join(here, "node_modules/.bin/pagefind"),
      "--site",
      site,
      "--output-path",
      out.pagefind,
      "--silent",
    ],
    join(out.pagefind, "pagefind-entry.json"),
  );

  // The page has an icon, so that the browser does not ask for one.
  const language = mainLanguage(out.pagefind);
  const empty =
    `<!doctype html><html lang="${language}"><meta charset="utf-8">` +
    `<title>A reader</title><link rel="icon" href="data:,">`;
  const cdn = await serve(
    { "/findling/": out.findling, "/pagefind/": out.pagefind },
    { "/": empty },
    { compressAll },
  );
  endings.push(() => cdn.close());
  const browser = await chromium.launch({
    ...launchOptions(`--ignore-certificate-errors-spki-list=${cdn.pin}`),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  endings.push(() => browser.close());
  await checkWorkers(browser, cdn, network);
  const tools = await measure(browser, cdn, queries, network);
  const report = {
    pages: names.length,
    queries,
    network,
    compressAll,
    chromium: browser.version(),
    tools,
  };
  print(report);
  if (json) console.log(JSON.stringify(report));
}

for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
]) {
  process.once(signal, () => {
    stopped = true;
    end().finally(() => process.exit(128 + number));
  });
}
try {
  await main();
} catch (error) {
  // After an interruption, errors of the closed browser are expected.
  if (!stopped) console.error(`error: ${error.message}`);
  process.exitCode = 1;
} finally {
  await end();
}
