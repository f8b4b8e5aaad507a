// Measures the cost of a request to the endpoint, over a large bundle, in the real Workers runtime.
//
//   node bench/edge.mjs BUNDLE... [--queries N] [--beside DIR] [--out FILE]
//
// BUNDLE is a bundle's directory, written by `findling build`. DIR is another build of the package
// (a copy of `www/dist`). Isolates of both builds answer every query alternately, so that both run
// under the same load. Queries are titles of the bundle's pages. An isolate answers each query
// twice: first with files from a store, and then with the files in memory. No cache has the
// answers. Then new isolates answer their first query.
//
// CPU time is the time of workerd's main thread, by the kernel's clock. This thread runs the
// isolate, but also HTTP, the connections to the store and Miniflare's own Worker, which Cloudflare
// does not count. So a Worker that only fetches the same number of files is measured as well.
// Threads of V8 that compile and collect garbage are in "process". The store is a process of its
// own.

import { execFileSync, fork } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { head, load, print, write } from "../../peers/lib/results.mjs";
import { findling } from "../lib/bundle.mjs";
import { start, workerOf } from "../lib/miniflare.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: "string", default: "60" },
    beside: { type: "string" },
    out: { type: "string" },
    as: { type: "string" },
  },
});

/** Serves a bundle's directory, in a separate process. */
function serveStore(directory) {
  const server = createServer((request, response) => {
    try {
      const bytes = readFileSync(join(directory, request.url.replace("/findling/", "")));
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const part = last ? bytes.subarray(Number(first), Number(last) + 1) : bytes;
      const range = last ? { "content-range": `bytes ${first}-${last}/${bytes.length}` } : {};
      response.writeHead(last ? 206 : 200, { "content-length": part.length, ...range });
      response.end(part);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
  process.on("disconnect", () => process.exit());
}

/** Titles of pages that have common words, evenly spread. */
function titles(bundle, most) {
  const words = "how value type function error string read list".split(" ");
  const found = words.flatMap((word) => {
    const args = ["search", bundle, word, "--mode", "lexical", "-k", "40", "--json"];
    const { results } = JSON.parse(execFileSync(findling, args, { maxBuffer: 1 << 28 }));
    return results.map(({ title }) => title);
  });
  const all = [...new Set(found)].filter((title) => title.length < 80);
  const n = Math.min(most, all.length);
  return Array.from({ length: n }, (_, i) => all[Math.floor((i * all.length) / n)]);
}

const percentile = (numbers, share) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
};
const pair = (numbers, decimals = 0) =>
  [0.5, 0.95].map((share) => percentile(numbers, share).toFixed(decimals)).join(", ");

/** A Worker that fetches files and does nothing with them. */
const FETCHING = `
export default {
  async fetch(request, env) {
    const paths = new URL(request.url).searchParams.getAll("path");
    const next = async () => {
      for (let path = paths.pop(); path; path = paths.pop())
        await (await env.ASSETS.fetch("http://store/findling/shards/" + path)).arrayBuffer();
    };
    await Promise.all(Array.from({ length: 6 }, next));
    return Response.json({});
  },
};`;

async function open(address, build, source = workerOf('{ cache: false, log: "none" }')) {
  const worker = await start({
    source,
    ...(build ? { build } : {}),
    serviceBindings: { ASSETS: { external: { address, http: {} } } },
  });
  const pid = execFileSync("pgrep", ["-n", "-P", String(process.pid), "workerd"], {
    encoding: "utf8",
  }).trim();
  const cpu = (task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  return {
    worker,
    main: () => cpu(pid),
    all: () => readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + cpu(task), 0),
    megabytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024,
  };
}

async function ask({ worker, main, all }, parameters) {
  const [mainBefore, allBefore] = [main(), all()];
  const begun = performance.now();
  const response = await fetch(`${worker.url}/search?${parameters}`);
  const answer = await response.json();
  const ms = performance.now() - begun;
  // Work after the answer is part of its cost.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const [, used] = /"(\d+) fetched/.exec(response.headers.get("server-timing") ?? "") ?? [];
  const isWhole = response.ok && !answer.notices?.some(({ code }) => code === "meaning-missing");
  const cost = { main: main() - mainBefore, all: all() - allBefore };
  return { ms, ...cost, used: Number(used ?? 0), isWhole };
}

/** Rows of one bundle. */
async function measure(bundle) {
  const store = fork(import.meta.filename, [bundle, "--as", "store"]);
  const address = `127.0.0.1:${await new Promise((resolve) => store.once("message", resolve))}`;
  const queries = titles(bundle, Number(values.queries)).map((q) => new URLSearchParams({ q }));
  const rows = [];
  const add = (what, asked, megabytes) => {
    const of = (name) => asked.map((one) => one[name]);
    const used = of("used");
    const wholes = asked.filter(({ isWhole }) => isWhole).length;
    rows.push([
      ...[basename(bundle), what, asked.length, pair(of("main"), 1), pair(of("all"), 1)],
      ...[pair(used), Math.max(...used), wholes, pair(of("ms")), megabytes?.toFixed(0) ?? null],
    ]);
    return percentile(used, 0.5);
  };
  const each = async (opened, parameters) => {
    const asked = [];
    for (const one of parameters) asked.push(await ask(opened, one));
    return asked;
  };
  const beside = values.beside ? [["the build beside: ", resolve(values.beside)]] : [];
  const isolates = [];
  for (const [name, build] of [["", undefined], ...beside])
    isolates.push({ name, opened: await open(address, build), asked: [] });
  // The isolate's first request opens the bundle and compiles the engine's functions.
  for (const { opened } of isolates) await ask(opened, "q=the+first+query+of+an+isolate");
  let files = 0;
  for (const what of ["first time", "again", "a third time"]) {
    for (const one of isolates) one.asked = [];
    for (const query of queries)
      for (const { opened, asked } of isolates) asked.push(await ask(opened, query));
    for (const { name, opened, asked } of isolates) {
      const used = add(`${name}${what}`, asked, opened.megabytes());
      if (what === "first time") files = used;
    }
  }
  for (const { opened } of isolates) await opened.worker.stop();

  const fetching = await open(address, undefined, FETCHING);
  const shards = readdirSync(join(bundle, "shards"));
  const some = (i) => {
    const paths = Array.from({ length: files }, (_, at) => (i * 997 + at * 331) % shards.length);
    return new URLSearchParams(paths.map((at) => ["path", shards[at]]));
  };
  await ask(fetching, some(0));
  const manyFiles = queries.map((_, i) => some(i + 1));
  add(`only fetching ${files} files`, await each(fetching, manyFiles));
  add(
    "fetching none",
    await each(
      fetching,
      queries.map(() => new URLSearchParams()),
    ),
  );
  await fetching.worker.stop();

  const firsts = [];
  for (const query of queries.slice(0, 8)) {
    const isolate = await open(address);
    firsts.push(await ask(isolate, query));
    await isolate.worker.stop();
  }
  add("first of an isolate", firsts);
  store.disconnect();
  return rows;
}

async function main() {
  const before = load();
  const rows = [];
  for (const bundle of positionals) rows.push(...(await measure(resolve(bundle))));
  const table = {
    id: "requests",
    columns: [
      ...["bundle", "request", "requests", "main thread, median and 95% (ms)"],
      ...["process, median and 95% (ms)", "subrequests, median and 95%", "most subrequests"],
      ...["whole answers", "time, median and 95% (ms)", "memory of the process (MB)"],
    ],
    rows,
  };
  print(table);
  if (!values.out) return;
  const note = "Cache off, so that every request is answered anew; workerd by Miniflare.";
  const command = `node tests/e2e/bench/edge.mjs ${process.argv.slice(2).join(" ")}`;
  write(values.out, { ...head("edge", note, before), command }, [table]);
}

if (values.as === "store") serveStore(positionals[0]);
else await main();
