// How long does the engine take for each key that a reader presses, and for the worst queries?
//
//   cargo xtask bench keystrokes BUNDLE QUERIES [--most N] [--mode lexical|hybrid] [--json]
//
// BUNDLE is a bundle's directory; it should have 50,000 sections or more. QUERIES is a file of JSON
// lines with `text`, from which N (50) evenly spread ones are taken. Each query is typed letter by
// letter, and each beginning is searched with `prefix`, in wasm in this process. Shards are read
// from disk when they are first needed. Everything is typed twice: "first" includes reading,
// checking and unpacking shards; "again" has everything in memory; "cpu" is the CPU time of
// "again", which other load affects less. The goal is 95 of 100 keystrokes under 10 ms, again. The
// worst queries follow, each the minimum of five.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { evenly, fromFile } from "./lib/queries.mjs";
import { openBundle } from "./lib/searchers.mjs";
import { quantile } from "./lib/statistics.mjs";

const USAGE = "BUNDLE QUERIES [--most N] [--mode lexical|hybrid] [--json]";
const here = dirname(fileURLToPath(import.meta.url));

function readArguments() {
  const options = {
    most: { type: "string", default: "50" },
    mode: { type: "string", default: "lexical" },
    json: { type: "boolean", default: false },
  };
  const {
    values,
    positionals: [bundle, file, ...more],
  } = parseArgs({ options, allowPositionals: true });
  if (!bundle || !file || more.length > 0) throw new Error(`expected ${USAGE}`);
  if (!existsSync(join(bundle, "findling.idx")))
    throw new Error(`${bundle}: expected the directory of a bundle, but it has no findling.idx`);
  if (!existsSync(file)) throw new Error(`${file}: expected a file of queries`);
  const most = Number(values.most);
  if (!(most >= 1)) throw new Error(`--most ${values.most}: expected a number from 1`);
  const engineDirectory = resolve(
    process.env.FINDLING_ENGINE ?? join(here, "../../www/wasm/engine"),
  );
  return {
    bundle: resolve(bundle),
    queries: evenly(fromFile(file), most),
    mode: values.mode,
    json: values.json,
    engineDirectory,
  };
}

/** The worst queries, by name. `words` come from the queries, so that the bundle has them. */
function worstQueries(words) {
  const many = (n) => Array.from({ length: n }, (_, i) => words[i % words.length]).join(" ");
  return {
    "1,000 words": many(1000),
    "10,000 characters": many(5000).slice(0, 10_000),
    "10,000 letters, one word": "abcdefghij".repeat(1000),
    "1,000 words not there": Array.from({ length: 1000 }, (_, i) => `qz${i}xv`).join(" "),
    "stop words": "to be or not to be that is the of and in a for with this it",
    punctuation: "!?.,;:-_()[]{}<>/\\|@#$%^&*+=~'\" ".repeat(20),
    emoji: "😀👩‍👩‍👧‍👦🏳️‍🌈 ".repeat(100),
    "mixed scripts": "検索 поиск αναζήτηση بحث חיפוש 검색 การค้นหา search ".repeat(20),
    NULs: "a\0b\0".repeat(500),
    "unbalanced quotes": "\"a 'b “c „d «e 「f ".repeat(200),
    phrases: Array.from(
      { length: 40 },
      (_, i) => `"${words[i % words.length]} ${words[(i + 1) % words.length]}"`,
    ).join(" "),
    exclusions: Array.from({ length: 200 }, (_, i) => `-${words[i % words.length]}`).join(" "),
    "combining marks": `e${"\u0301".repeat(9000)}`,
    ...Object.fromEntries([..."aest1_"].map((letter) => [`prefix "${letter}"`, letter])),
    "prefix of two": words[0].slice(0, 2),
  };
}

function timed(act) {
  const start = performance.now(),
    cpuStart = process.cpuUsage();
  const result = act();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuStart);
  return { ms, cpu: (user + system) / 1e3, result };
}

async function main() {
  const { bundle, queries, mode, json, engineDirectory } = readArguments();
  const ask = await openBundle(bundle, engineDirectory);
  const typed = queries.flatMap((query) => {
    const letters = [...query];
    return letters.map((_, i) => ({ text: letters.slice(0, i + 1).join(""), letters: i + 1 }));
  });
  const search = (query) => ask({ query, mode, prefix: true });
  const passes = ["first", "again"].map((name) => ({
    name,
    strokes: typed.map(({ text, letters }) => {
      const { ms, cpu } = timed(() => search(text));
      return { text, letters, ms, cpu };
    }),
  }));
  passes.push({
    name: "cpu",
    strokes: passes[1].strokes.map(({ cpu, ...stroke }) => ({ ...stroke, ms: cpu })),
  });
  const report = { queries: queries.length, keystrokes: typed.length, mode, passes: {}, worst: {} };
  console.log(`${queries.length} queries, ${typed.length} keystrokes, ${mode}`);
  console.log("           p50 ms    p95 ms    p99 ms    max ms  slowest");
  for (const { name, strokes } of passes) {
    const times = strokes.map(({ ms }) => ms);
    const figures = [0.5, 0.95, 0.99, 1].map((share) => quantile(times, share));
    const slowest = strokes.reduce((a, b) => (b.ms > a.ms ? b : a));
    report.passes[name] = {
      p50: figures[0],
      p95: figures[1],
      p99: figures[2],
      max: figures[3],
      slowest: slowest.text,
    };
    console.log(
      name.padEnd(7) +
        figures.map((ms) => ms.toFixed(2).padStart(10)).join("") +
        `  ${JSON.stringify(slowest.text)}`,
    );
  }
  const again = passes[2].strokes;
  console.log("\nby letters typed, cpu: p50 and p95 ms");
  for (const [from, to] of [
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 6],
    [7, 12],
    [13, 24],
    [25, Infinity],
  ]) {
    const times = again
      .filter(({ letters }) => letters >= from && letters <= to)
      .map(({ ms }) => ms);
    if (times.length === 0) continue;
    const label = to === from ? `${from}` : to === Infinity ? `${from}+` : `${from}-${to}`;
    console.log(
      label.padEnd(7) +
        [0.5, 0.95].map((share) => quantile(times, share).toFixed(2).padStart(10)).join(""),
    );
  }
  console.log("\nworst: least ms of five, with pages found");
  const words = [
    ...new Set(
      queries
        .join(" ")
        .split(/\s+/)
        .filter((word) => /^\p{L}{3,}$/u.test(word)),
    ),
  ];
  if (words.length < 2) throw new Error("the queries have no two words to make others of");
  for (const [name, query] of Object.entries(worstQueries(words))) {
    const runs = Array.from({ length: 5 }, () => timed(() => search(query)));
    const ms = Math.min(...runs.map((run) => run.ms));
    const { pages } = runs[0].result.total;
    report.worst[name] = { ms, pages };
    console.log(`${name.padEnd(26)}${ms.toFixed(2).padStart(9)}${String(pages).padStart(8)}`);
  }
  if (json) console.log(JSON.stringify(report));
}

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
