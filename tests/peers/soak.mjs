// Tests that the servers answer without an error and with constant memory while their bundle is
// replaced.
//
//   cargo xtask bench soak [--minutes N] [--every SECONDS] [--pause MS] [--only NAME,...]
//
// `findling serve BUNDLE`, the application (`findling serve`) and the Worker in workerd get
// requests from 200 connections for N minutes each (10). After an answer, a connection waits for
// two seconds (--pause), as a reader does. Every 30 seconds the bundle of 300 generated pages is
// built again with a new page, as a deployment or a sync replaces it. An answer is an error if its
// status is not 200, if it has no results, or if it does not come within 30 seconds. A deployment
// is an error if its page is not found within ten seconds. With `findling serve BUNDLE`, every
// fourth request fetches the entry file; all others search. Memory is the maximum of the server's
// process in each half of the time.
//
// The result is written to bench/results/DATE-soak.json; the exit status is 1 after an error.

import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as later } from "node:timers/promises";
import { promisify } from "node:util";
import { questions, writeCorpus } from "../e2e/lib/corpus.mjs";
import { load } from "../e2e/lib/load.mjs";
import {
  columns,
  defaultPath,
  head,
  load as machineLoad,
  print,
  root,
  write,
} from "./lib/results.mjs";

const CONNECTIONS = 200;
const given = process.argv.slice(2);
const option = (name, otherwise) =>
  given.includes(name) ? given[given.indexOf(name) + 1] : otherwise;
const minutes = Number(option("--minutes", "10"));
const every = Number(option("--every", "30"));
const pause = Number(option("--pause", "2000"));
const only = option("--only", "serve,application,worker").split(",");
if (!(minutes > 0) || !(every > 0) || !(pause >= 0))
  throw new Error("expected [--minutes N] [--every SECONDS] [--pause MS] [--only NAME,...]");

const findling = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
const scratch = mkdtempSync(join(tmpdir(), "findling-soak-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const corpus = join(scratch, "corpus");
const bundle = join(scratch, "site/findling");
const env = {
  ...process.env,
  FINDLING_HOME: join(scratch, "home"),
  FINDLING_CACHE: join(scratch, "cache"),
};
const run = (...args) => promisify(execFile)(findling, ["-q", ...args], { env });
const asked = questions().slice(0, 40);

/** A word of the page that a deployment adds, and of no other page. */
const mark = (n) => `quillwort${"abcdefghij"[n % 10]}${"klmnopqrst"[Math.floor(n / 10) % 10]}x`;

function addPage(n) {
  writeFileSync(join(corpus, `deploy-${n}.md`), `# Deployment\n\nThe plant ${mark(n)} grows.\n`);
}

const build = () =>
  run("build", corpus, "--output", bundle, "--no-client", "--encoder", "hash", "--base-url=/");

/**
 * Replaces the bundle until `ended` is aborted. After each replacement, searches for the page that
 * was added.
 */
function deployments(replace, find) {
  const ended = new AbortController();
  const told = { deploys: 0, wrong: [] };
  const work = (async () => {
    for (let n = 0; ; n++) {
      await later(every * 1000, undefined, { signal: ended.signal }).catch(() => {});
      if (ended.signal.aborted) return;
      addPage(n);
      await replace();
      told.deploys++;
      // A server may keep a bundle for a moment.
      let found = false;
      for (let i = 0; i < 50 && !found; i++) {
        found = await find(mark(n));
        if (!found) await later(200);
      }
      if (!found) told.wrong.push(`deployment ${n}: its page is not found`);
    }
  })().catch((error) => told.wrong.push(String(error)));
  return async () => {
    ended.abort();
    await work;
    return told;
  };
}

function checkResults({ status, body }) {
  if (status !== 200) throw new Error(`status ${status}: ${body.slice(0, 200)}`);
  if (!(JSON.parse(body).results?.length > 0)) throw new Error(`no results: ${body.slice(0, 200)}`);
}

/** A process of the program with its first line. */
async function server(...args) {
  const child = spawn(findling, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const line = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`findling ${args.join(" ")} ended: ${code}`)));
  });
  return { child, line };
}

const search = (url, q) => `${url}/search?${new URLSearchParams({ q, k: "5" })}`;
const finds = async (answer) => {
  const { results } = await (await answer).json();
  return results.some(({ url }) => url.includes("deploy-"));
};

/** Sends requests to a server while its bundle is replaced; returns a row of the table. */
async function soak(name, { pid, request, check, replace, find }) {
  const end = deployments(replace, find);
  const seconds = minutes * 60;
  const connections = CONNECTIONS;
  const result = await load({ connections, seconds, pid, address: request, check, pause });
  const { deploys, wrong } = await end();
  const all = [...result.wrong, ...wrong];
  for (const text of all) console.error(`${name}: ${text}`);
  const errors = result.nWrong + wrong.length;
  const { requests, perSecond, p50, p99, memory } = result;
  return [name, seconds, deploys, requests, perSecond, p50, p99, ...memory, errors];
}

async function serve() {
  await build();
  const { child, line } = await server("serve", bundle, "--port=0", "--log=none");
  const url = line.replace(/\/$/, "");
  try {
    return await soak("findling serve BUNDLE", {
      pid: child.pid,
      request: (n) => (n % 4 ? search(url, asked[n % asked.length]) : `${url}/findling.idx`),
      check(answer, n) {
        if (n % 4) checkResults(answer);
        else if (answer.status !== 200) throw new Error(`the entry file: ${answer.status}`);
      },
      replace: build,
      find: (word) => finds(fetch(search(url, word), { signal: AbortSignal.timeout(30_000) })),
    });
  } finally {
    child.kill();
  }
}

async function application() {
  await run("collection", "add", "soak", corpus, "--encoder", "hash");
  const { child, line } = await server("serve", "--port=0");
  const [address, token] = line.split("#token=");
  const url = `${address}api/search`;
  const asks = (query) => ({
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ query, limit: 5 }),
  });
  try {
    return await soak("the application", {
      pid: child.pid,
      request: (n) => ({ url, ...asks(asked[n % asked.length]) }),
      check: checkResults,
      replace: () => run("sync", "soak"),
      find: (word) => finds(fetch(url, { ...asks(word), signal: AbortSignal.timeout(30_000) })),
    });
  } finally {
    child.kill();
  }
}

/** The Worker, if workerd and the client are installed. */
async function worker() {
  const dist = join(root, "www/dist");
  if (!existsSync(join(root, "tests/e2e/node_modules/miniflare")) || !existsSync(dist)) {
    console.error(
      "the Worker is left out: it needs `npm ci` in tests/e2e and `cargo xtask client`",
    );
    return undefined;
  }
  const { Response: ServiceResponse } = await import(
    join(root, "tests/e2e/node_modules/miniflare/dist/src/index.js")
  );
  const { serveFiles, start, workerOf } = await import("../e2e/lib/miniflare.mjs");
  await build();
  const { url, stop } = await start({
    // Otherwise an isolate asks for a new build once a minute.
    source: workerOf('{ cache: false, log: "none", revisionCheck: 1000 }'),
    serviceBindings: { ASSETS: serveFiles(join(scratch, "site"), ServiceResponse) },
    bindings: { FINDLING_SUBREQUESTS: "1000" },
  });
  const pid = execFileSync("pgrep", ["-n", "-P", String(process.pid), "workerd"])
    .toString()
    .trim();
  try {
    return await soak("the Worker, in workerd", {
      pid,
      request: (n) => search(url, asked[n % asked.length]),
      check: checkResults,
      replace: build,
      find: (word) => finds(fetch(search(url, word), { signal: AbortSignal.timeout(30_000) })),
    });
  } finally {
    await stop();
  }
}

mkdirSync(corpus, { recursive: true });
const before = machineLoad();
const rows = [];
for (const [name, work] of Object.entries({ serve, application, worker })) {
  if (!only.includes(name)) continue;
  rmSync(corpus, { recursive: true, force: true });
  writeCorpus(corpus);
  const row = await work();
  if (row) rows.push(row);
}
const table = {
  id: "soak",
  columns: [
    "server",
    ...columns(0, "seconds"),
    "deployments",
    "requests",
    ...columns(0, "a second", "median (ms)", "99% (ms)"),
    ...columns(0, "memory, first half (MB)", "second half (MB)"),
    "errors",
  ],
  rows: rows.map((row) => row.map((cell) => (typeof cell === "number" ? Math.round(cell) : cell))),
};
print(table);
const note =
  `${CONNECTIONS} connections, each with ${pause / 1000} seconds between an answer and its next ` +
  `request; the bundle is replaced every ${every} seconds. An answer without ` +
  "results, or a deployment whose page is not found within 10 seconds, is an error.";
write(defaultPath("soak"), head("soak", note, before), [table]);
process.exitCode = rows.some((row) => row.at(-1) > 0) ? 1 : 0;
