// The speed of answers in the shell, and whether `findling context` contains the answer.
//
//   cargo xtask bench shell [--only PART,...] [--runs N] [--from DIR] [--sets DIR] [--most N]
//                           [--encoder NAME] [--scale F] [--out FILE] [--note TEXT]
//
// The parts, all of them unless `--only` names some:
//
// - find: `findling find` over 10 collections of 1,000 sections. Each of N (20) searches is a
//   process of its own, with the files in the page cache. Processor time is measured with the same
//   number of further processes.
// - tui: `findling tui` over 100,000 sections, in a terminal of 40 lines and 120 columns, typed key
//   by key (lib/shell/keys.py; needs Python). "query line" is the time from writing a key to the
//   first output that shows it. "answer" is the time until its last answer is shown; "whole screen"
//   is the time until the last change. For "typed quickly", a key follows every 60 ms.
// - mcp: `search` of `findling mcp` over the 10 collections, 50 queries, each asked twice; the
//   second time counts.
// - site: `search` of `findling mcp ADDRESS` over a site of 10,000 pages on a server at 40 ms and
//   10 Mbit/s, HTTP/1.1 without TLS. "start" is the time from the start of the process to the start
//   of the session. All bytes that the server sends until the first answer are counted. Each of N/4
//   first searches has its own data directory. Then 50 queries follow, which fetch the files that
//   they need, and the same queries once more.
// - context: `findling context --tokens 2000` on the judged sets below `--sets`, N of each with
//   `--most N`. Only questions with a relevant page among the first ten results count. Measured are
//   the share of questions for which the context contains a passage of such a page; the share for
//   which it contains a sentence that answers, if queries.jsonl names sentences
//   (tests/quality/answers.py); and the mean share of the page's words.
//
// Pages are generated, the same in each run. find, mcp and site take those below `--from` instead,
// in the order of a hash of their paths; the site has at most 10,000. `--encoder` embeds the
// documents of all parts. Without it, `tui` has no encoder and the other parts have the static one.
// `--scale 0.1` makes everything a tenth as large, to try the benchmark; then goals are not
// checked. Goals for times apply to the 95th percentile: the second slowest of 20 runs, or the
// slowest of fewer. A busy machine affects "fastest" the least.
//
// The result is written to bench/results/DATE-shell.json unless `--out` names another file.

import { execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { evenly } from "./lib/queries.mjs";
import { relayTo } from "./lib/relay.mjs";
import { columns, defaultPath, head, load, print, root, write } from "./lib/results.mjs";
import { measureSet, setsIn } from "./lib/shell/context.mjs";
import { McpSession } from "./lib/shell/mcp.mjs";
import * as pages from "./lib/shell/pages.mjs";
import { serveFiles } from "./lib/shell/site.mjs";

const COLLECTIONS = 10;
const SECTIONS = 1000;
const TUI_SECTIONS = 100_000;
const SITE_PAGES = 10_000;
const QUERIES = 50;
/** The number of queries to type, and the milliseconds between two keys of a fast typist. */
const [TYPED, PACE] = [6, 60];
const NETWORK = { rtt: 40, mbit: 10 };
const TOKENS = 2000;
const SEED = 20_261_126;
const KEYS = join(dirname(fileURLToPath(import.meta.url)), "lib/shell/keys.py");

/** Goals: times in milliseconds, a download in kilobytes, and a share for `context`. */
const GOALS = {
  find: 150,
  line: 30,
  mcp: 50,
  first: 1000,
  firstKilobytes: 350,
  siteWarm: 50,
  context: 0.95,
};

const PARTS = { find, tui, mcp, site, context };

function readArguments() {
  const options = {
    only: { type: "string", default: Object.keys(PARTS).join(",") },
    runs: { type: "string", default: "20" },
    from: { type: "string" },
    sets: { type: "string" },
    most: { type: "string", default: "Infinity" },
    encoder: { type: "string" },
    scale: { type: "string", default: "1" },
    out: { type: "string" },
    note: { type: "string", default: "" },
  };
  const { values } = parseArgs({ options });
  const number = (name, least) => {
    const value = Number(values[name]);
    if (!(value >= least)) throw new Error(`--${name} ${values[name]}: expected at least ${least}`);
    return value;
  };
  const only = values.only.split(",");
  const unknown = only.find((name) => !(name in PARTS));
  if (unknown !== undefined)
    throw new Error(`--only ${unknown}: expected some of ${Object.keys(PARTS).join(", ")}`);
  const program = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
  if (!existsSync(program))
    throw new Error(`${program}: not found. Build it with \`cargo xtask cli\`.`);
  return {
    ...values,
    only,
    program: resolve(program),
    runs: Math.ceil(number("runs", 1)),
    most: number("most", 1),
    scale: number("scale", 0.001),
    from: values.from && resolve(values.from),
    sets: values.sets && resolve(values.sets),
    out: values.out ?? defaultPath("shell"),
  };
}

/** The `q`-quantile: the smallest value with at least a share `q` of the values at or below it. */
function percentile(values, q) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
}

const round = (value, decimals) => Number(value.toFixed(decimals));

/** Data that all parts need: the arguments, a directory, and the results of the parts. */
class Bench {
  times = [];
  bytes = [];
  shares = [];
  notes = [];

  constructor(args, scratch, signal) {
    Object.assign(this, { args, scratch, signal });
  }

  /** The environment with a data directory of its own. */
  env(home = "builds") {
    const below = join(this.scratch, home);
    return { ...process.env, FINDLING_HOME: below, FINDLING_CACHE: join(this.scratch, "cache") };
  }

  /** Runs findling, and resolves to its output. */
  async run(args, home) {
    const options = { env: this.env(home), signal: this.signal, maxBuffer: 1 << 28 };
    try {
      return (await promisify(execFile)(this.args.program, args, options)).stdout;
    } catch (error) {
      // Nothing was found.
      if (error.code === 1 && error.stdout) return error.stdout;
      throw error;
    }
  }

  /** The encoder of the documents of a part. */
  encoder(part) {
    return this.args.encoder ?? (part === "tui" ? "none" : "static");
  }

  scaled(n) {
    return Math.max(1, Math.round(n * this.args.scale));
  }

  #met(value, goal, isAtLeast = false) {
    if (goal === undefined || this.args.scale !== 1) return null;
    return (isAtLeast ? value >= goal : value <= goal) ? "yes" : "no";
  }

  addTimes(part, what, values, goal) {
    const [median, last] = [percentile(values, 0.5), percentile(values, 0.95)];
    const cells = [part, what, values.length, round(Math.min(...values), 1)];
    cells.push(round(median, 1), round(last, 1));
    this.times.push([...cells, goal ?? null, this.#met(last, goal)]);
  }

  addBytes(part, what, values, requests, goal) {
    const median = percentile(values, 0.5) / 1000;
    const cells = [part, what, values.length, round(median, 1), percentile(requests, 0.5)];
    this.bytes.push([...cells, goal ?? null, this.#met(median, goal)]);
  }

  addShares({ set, questions, found, passage, sentence, text }) {
    const judged = sentence ?? passage;
    const cells = [set, questions, found, round(passage, 3)];
    cells.push(sentence === null ? null : round(sentence, 3), round(text, 3));
    this.shares.push([...cells, GOALS.context, this.#met(judged, GOALS.context, true)]);
  }

  /** The collections of the parts `find` and `mcp`, made once, and queries for them. */
  collections() {
    this.made ??= this.#makeCollections();
    return this.made;
  }

  async #makeCollections() {
    const names = Array.from({ length: COLLECTIONS }, (_, i) => `part-${i}`);
    const sources = names.map((name) => join(this.scratch, "sources", name));
    const sections = this.scaled(SECTIONS);
    const { from } = this.args;
    const encoder = this.encoder("find");
    if (from) pages.takeSections(from, sources, sections);
    else {
      const n = Math.ceil(sections / pages.SECTIONS_PER_PAGE);
      const directories = sources.map((source) => [source, n]);
      pages.generate(directories, SEED);
    }
    for (const [i, name] of names.entries()) {
      const add = ["collection", "add", name, sources[i], "--encoder", encoder, "--quiet"];
      await this.run(add, "collections");
    }
    const list = JSON.parse(await this.run(["collection", "list", "--json"], "collections"));
    const sizes = list.collections.map((one) => one.sections);
    this.notes.push(`collections: ${sizes.join(", ")} sections`);
    return pages.queriesFor(sources, QUERIES);
  }
}

/**
 * Runs a process to its end, and resolves to the milliseconds. Both exit statuses, found and not
 * found, count as an answer.
 */
function timed(program, args, env) {
  const began = performance.now();
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", env });
  const ms = performance.now() - began;
  if (error || ![0, 1].includes(status))
    throw new Error(`${program} ${args.join(" ")}: ${error ?? stderr}`);
  return { ms, stdout, stderr };
}

/** Lets signals be handled between two processes that are waited for. */
const turn = () => new Promise((next) => setImmediate(next));

async function find(bench) {
  const queries = await bench.collections();
  const { program, runs } = bench.args;
  const env = bench.env("collections");
  const [wall, cpu] = [[], []];
  // The first process fills the page cache.
  for (let i = 0; i <= runs; i++) {
    bench.signal.throwIfAborted();
    const { ms } = timed(program, ["find", queries[i % queries.length]], env);
    if (i > 0) wall.push(ms);
    await turn();
  }
  // The shell reports processor time to a millisecond.
  const script = 'TIMEFORMAT="%U %S"; time "$@"';
  for (let i = 0; i < runs; i++) {
    bench.signal.throwIfAborted();
    const line = ["-c", script, "bash", program, "find", queries[i % queries.length]];
    const [user, system] = timed("bash", line, env).stderr.trim().split("\n").at(-1).split(" ");
    cpu.push(1000 * (Number(user) + Number(system)));
    await turn();
  }
  bench.addTimes("find", "process", wall, GOALS.find);
  bench.addTimes("find", "its processor time", cpu);
}

/** Runs a script of Python with a job as its input, and resolves to its output. */
function python(script, args, job, { env, signal }) {
  // If the script is asked to end, it ends the program that it runs.
  const options = { env, signal, killSignal: "SIGTERM", stdio: ["pipe", "pipe", "pipe"] };
  return new Promise((resolve, reject) => {
    const child = spawn("python3", [script, ...args], options);
    const parts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].on("data", (bytes) => {
        parts[name] += bytes;
      });
    child.on("error", (error) => {
      const isMissing = error.code === "ENOENT";
      reject(isMissing ? new Error("python3: not found. The part `tui` needs it.") : error);
    });
    child.on("close", (status) => {
      if (status === 0) resolve(JSON.parse(parts.stdout));
      else reject(new Error(`${script}: ${parts.stderr.trim() || `status ${status}`}`));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(job));
  });
}

async function tui(bench) {
  const source = join(bench.scratch, "sources/tui");
  const n = Math.ceil(bench.scaled(TUI_SECTIONS) / pages.SECTIONS_PER_PAGE);
  pages.generate([[source, n]], SEED + 1);
  const { program } = bench.args;
  const encoder = bench.encoder("tui");
  const bundle = join(bench.scratch, "tui");
  await bench.run(["build", source, "-o", bundle, "--no-client", "--quiet", "--encoder", encoder]);
  const queries = pages.queriesFor([source], TYPED);
  const job = { queries, pace: PACE };
  const { signal } = bench;
  const found = await python(KEYS, [program, "tui", bundle], job, {
    env: bench.env("tui"),
    signal,
  });
  bench.addTimes("tui", "key to the query line", found.line, GOALS.line);
  bench.addTimes("tui", "the same, typed quickly", found.quick, GOALS.line);
  bench.addTimes("tui", "key to the answer", found.answer);
  bench.addTimes("tui", "key to the whole screen", found.screen);
  bench.notes.push(`tui: ${n} pages, ${n * pages.SECTIONS_PER_PAGE} sections`);
  rmSync(source, { recursive: true });
  rmSync(bundle, { recursive: true });
}

/** The times of searches, one after the other. */
async function searches(session, queries) {
  const times = [];
  for (const query of queries) times.push((await session.search(query)).ms);
  return times;
}

async function mcp(bench) {
  const queries = await bench.collections();
  const { program } = bench.args;
  const session = new McpSession(program, [], bench.env("collections"), bench.signal);
  try {
    await session.begin();
    const first = await searches(session, queries);
    bench.addTimes("mcp", "first search of all", first.slice(0, 1));
    bench.addTimes("mcp", "queries for the first time", first.slice(1));
    bench.addTimes("mcp", "the same again", await searches(session, queries), GOALS.mcp);
  } finally {
    await session.close();
  }
}

/** The first search of a new server over an address, and the searches after it. */
async function askSite(bench, url, home, count, queries) {
  const [before, began] = [count(), performance.now()];
  const session = new McpSession(bench.args.program, [url], bench.env(home), bench.signal);
  try {
    await session.begin();
    const start = performance.now() - began;
    const { ms, found } = await session.search(queries[0]);
    if (found === 0) throw new Error(`${url}: expected pages for ${queries[0]}, found none`);
    const first = count(before);
    const rest = await searches(session, queries.slice(1));
    const all = count(before);
    const again = await searches(session, queries);
    return { start, first: ms, counted: first, rest, all, again };
  } finally {
    await session.close();
  }
}

async function site(bench) {
  const { from, runs } = bench.args;
  const encoder = bench.encoder("site");
  const source = join(bench.scratch, "sources/site");
  const most = bench.scaled(SITE_PAGES);
  if (from) pages.takePages(from, source, most);
  else pages.generate([[source, most]], SEED + 2);
  const bundle = join(bench.scratch, "site/findling");
  await bench.run(["build", source, "-o", bundle, "--no-client", "--quiet", "--encoder", encoder]);
  const { pages: n, sections } = JSON.parse(await bench.run(["inspect", bundle, "--json"]));
  bench.notes.push(`site: ${n} pages, ${sections} sections`);
  const queries = pages.queriesFor([source], QUERIES);
  const server = await serveFiles(bundle);
  const relay = await relayTo(server.port);
  relay.set(NETWORK);
  const count = (before = { bytes: 0, requests: 0 }) => ({
    bytes: relay.arrived() - before.bytes,
    requests: server.requests() - before.requests,
  });
  try {
    const url = `http://127.0.0.1:${relay.port}/`;
    const cold = [];
    const servers = Math.ceil(runs / 4);
    for (const query of evenly(queries, servers)) {
      const home = `site-${cold.length}`;
      const isLast = cold.length === servers - 1;
      cold.push(await askSite(bench, url, home, count, isLast ? [query, ...queries] : [query]));
    }
    const of = (name) => cold.map((one) => one[name]);
    const both = cold.map(({ start, first }) => start + first);
    bench.addTimes("site", "start of the server", of("start"));
    bench.addTimes("site", "first search", of("first"));
    bench.addTimes("site", "start and first search", both, GOALS.first);
    const last = cold.at(-1);
    bench.addTimes("site", "further queries, which fetch", last.rest);
    bench.addTimes("site", "the same again", last.again, GOALS.siteWarm);
    const counted = (name) => of("counted").map((one) => one[name]);
    const until = "until the first answer";
    bench.addBytes("site", until, counted("bytes"), counted("requests"), GOALS.firstKilobytes);
    const further = last.all.bytes - last.counted.bytes;
    const asked = last.all.requests - last.counted.requests;
    bench.addBytes("site", "each further query", [further / QUERIES], [asked / QUERIES]);
  } finally {
    await relay.close();
    await server.close();
  }
  rmSync(source, { recursive: true });
}

async function context(bench) {
  const { sets, most } = bench.args;
  const encoder = bench.encoder("context");
  if (!sets) {
    bench.notes.push("context is left out: `--sets DIR` names a directory of judged sets");
    return;
  }
  const { scratch } = bench;
  const run = (args) => bench.run(args, "sets");
  for (const set of setsIn(sets)) {
    bench.addShares(await measureSet(set, { run, scratch, tokens: TOKENS, encoder, most }));
  }
}

const MILLISECONDS = columns(1, "fastest (ms)", "median (ms)", "95% (ms)");
const KILOBYTES = columns(1, "median (kB)");
const SHARES = columns(3, "passage", "sentence", "words of the page");
const TABLES = {
  times: ["part", "what", "n", ...MILLISECONDS, "goal (ms)", "met"],
  bytes: ["part", "what", "n", ...KILOBYTES, "requests", "goal (kB)", "met"],
  shares: ["set", "questions", "page in ten", ...SHARES, "goal", "met"],
};

async function main() {
  const args = readArguments();
  const abort = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(name, () => abort.abort(new Error(`ended by ${name}`)));
  const scratch = mkdtempSync(join(tmpdir(), "findling-shell-"));
  const bench = new Bench(args, scratch, abort.signal);
  const loadBefore = load();
  try {
    mkdirSync(join(scratch, "sources"));
    for (const name of args.only) {
      console.error(`${name} ...`);
      await PARTS[name](bench);
      abort.signal.throwIfAborted();
    }
  } finally {
    // A process that is being ended may still write.
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  const source = args.from ? "pages of a directory" : "generated pages";
  const encoders = args.only.map((name) => `${name} ${bench.encoder(name)}`).join(", ");
  const texts = [`${source}; encoders: ${encoders}`, ...bench.notes, args.note];
  const note = texts.filter(Boolean).join(". ");
  const tables = Object.entries(TABLES)
    .map(([id, columns]) => ({ id, columns, rows: bench[id] }))
    .filter(({ rows }) => rows.length > 0);
  for (const table of tables) {
    print(table);
    console.log();
  }
  console.log(note);
  if (tables.length === 0) return;
  write(args.out, head("shell", note, loadBefore), tables);
  console.log(`written to ${args.out}`);
}

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
