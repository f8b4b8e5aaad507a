// How large is the transformer for browsers, and how long does a query take, compared with
// onnxruntime-web with the same weights?
//
//   cargo xtask bench encoder [--model NAME] [--artefact FILE] [--module DIR] [--rounds N]
//                             [--documents DIR] [--texts N] [--json]
//
// NAME is an installed model (all-minilm-l6-v2). The benchmark runs its artefact from `findling
// models prepare` (or FILE) in the module in www/wasm/encoder (or DIR). onnxruntime-web gets two
// graphs made from the same published weights: one in f32, one in 8 bits with dynamically quantised
// inputs (lib/onnx.mjs).
//
// Queries, in Chromium: each encoder has a worker and one thread. For every number of tokens, each
// encoder first embeds for some seconds until the JavaScript engine has optimised its code. Then
// the encoders run in turn, so that other load affects all of them: N (20) rounds of a quarter of a
// second. Milliseconds are medians. A ratio is the median over the rounds of this project's median
// divided by the other's. Memory is WebAssembly memory, which never shrinks. On Linux, the growth
// of the page's process is measured too, at its peak and after the queries, with compiled code,
// scripts and copies. Sizes are bytes after brotli, which static hosts use for wasm and scripts;
// the size of the model is its file's size, because the file is compressed already.
//
// Opening, in Chromium: from opening a small bundle to its first answer by meaning, in a new
// profile and again in the same profile; the median of five.
//
// The module in workerd, with the memory of the tests: milliseconds of 40 queries in one request,
// minus a request that embeds one query. Skipped if tests/e2e has no wrangler.
//
// Documents, natively on two cores: the passages of DIR (by default the documents of the demo), N
// (400) of them evenly spread, embedded in turn by this project and by onnxruntime from PyPI with
// both graphs, three times each. onnxruntime gets tokenised texts and the fastest of three ways to
// share them among the cores (lib/encoder/native.py). A ratio is this project's sentences per
// second divided by onnxruntime's. Skipped without a Python that has pip.

import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import { chromium } from "playwright-core";
import { executablePath, launchOptions } from "../e2e/lib/chromium.mjs";
import { serve } from "../e2e/lib/server.mjs";
import { dev, node } from "../e2e/lib/worker.mjs";
import { measureMemory } from "./lib/encoder/memory.mjs";
import { measureNative, printNative } from "./lib/encoder/native.mjs";
import { measureOpening, printOpening } from "./lib/encoder/opening.mjs";
import { onnx } from "./lib/onnx.mjs";
import { median } from "./lib/statistics.mjs";

const USAGE =
  "[--model NAME] [--artefact FILE] [--module DIR] [--rounds N] [--documents DIR] [--texts N] " +
  "[--json]";
const TOKENS = [3, 9, 34];
// Memory of a worker, at its peak and after the queries.
const MAX_PEAK_BYTES = 96 * 2 ** 20;
const MAX_STEADY_BYTES = 64 * 2 ** 20;
// https://developers.cloudflare.com/workers/platform/limits/, "CPU time"
const FREE_CPU_MS = 10;
const PAID_CPU_MS = 30_000;
const here = dirname(fileURLToPath(import.meta.url));

function readArguments() {
  const options = {
    model: { type: "string", default: "all-minilm-l6-v2" },
    artefact: { type: "string" },
    module: { type: "string", default: join(here, "../../www/wasm/encoder") },
    rounds: { type: "string", default: "20" },
    documents: { type: "string" },
    texts: { type: "string", default: "400" },
    json: { type: "boolean", default: false },
  };
  let parsed;
  try {
    parsed = parseArgs({ options });
  } catch (error) {
    throw new Error(`${error.message}; expected ${USAGE}`);
  }
  const { values } = parsed;
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds ${values.rounds}: expected a number from 1`);
  if (!existsSync(join(values.module, "findling_encoder_bg.wasm")))
    throw new Error(`${values.module}: there is no module. Build it with \`cargo xtask wasm\`.`);
  if (!executablePath || !existsSync(executablePath))
    throw new Error("Chromium was not found. Install it, or set FINDLING_CHROMIUM.");
  const findling = process.env.FINDLING_BIN ?? join(here, "../../target/release/findling");
  if (!existsSync(findling))
    throw new Error(
      `${findling}: not found. Build it with \`cargo xtask cli\`, or set FINDLING_BIN.`,
    );
  const texts = Number(values.texts);
  if (!Number.isInteger(texts) || texts < 1)
    throw new Error(`--texts ${values.texts}: expected a number from 1`);
  const documents = values.documents
    ? [resolve(values.documents)]
    : (process.env.FINDLING_DOCUMENTS?.split(delimiter) ?? []);
  return { ...values, module: resolve(values.module), rounds, findling, texts, documents };
}

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      [constants.BROTLI_PARAM_LGWIN]: 24,
    },
  }).length;

function cosine(a, b) {
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** Starts workers in a page, by name. A worker answers a call before the next call. */
async function openWorkers(page, workers) {
  await page.evaluate((workers) => {
    const open = ([name, { script }]) => [name, new Worker(script, { type: "module" })];
    const all = Object.fromEntries(Object.entries(workers).map(open));
    globalThis.ask = (name, message) =>
      new Promise((resolve, reject) => {
        all[name].onmessage = ({ data }) =>
          data.error ? reject(new Error(`${name}: ${data.error}`)) : resolve(data.value);
        all[name].onerror = ({ message }) => reject(new Error(`${name}: ${message}`));
        all[name].postMessage(message);
      });
  }, workers);
  return (name, message) =>
    page.evaluate(([name, message]) => globalThis.ask(name, message), [name, message]);
}

async function measure(browser, origin, workers, rounds) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(origin);
  const ask = await openWorkers(page, workers);
  const names = Object.keys(workers);
  const measured = {};
  for (const name of names)
    measured[name] = {
      load: await ask(name, { call: "load", model: workers[name].model }),
      tokens: {},
    };
  for (const tokens of TOKENS) {
    const medians = Object.fromEntries(names.map((name) => [name, []]));
    let reference;
    for (const name of names) {
      const { values } = await ask(name, { call: "run", tokens, budget: 2500 });
      // The first is onnxruntime-web in f32, the reference of the others.
      reference ??= values;
      measured[name].tokens[tokens] = { cosine: cosine(values, reference) };
    }
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        const { times, bytes } = await ask(name, { call: "run", tokens, budget: 250 });
        medians[name].push(median(times));
        measured[name].load.steady = bytes;
      }
    }
    const ours = medians[names.at(-1)];
    for (const name of names) {
      const ratio = median(ours.map((ms, i) => ms / medians[name][i]));
      Object.assign(measured[name].tokens[tokens], { ms: median(medians[name]), ratio });
    }
  }
  await page.close();
  return measured;
}

/**
 * Milliseconds of the module in workerd: of loading, and by number of tokens, the median of five.
 */
async function measureWorker(scratch, module, model) {
  const [directory, assets] = [join(scratch, "worker"), join(scratch, "assets")];
  for (const path of [directory, assets]) mkdirSync(path);
  copyFileSync(model, join(assets, "model.bin"));
  copyFileSync(join(here, "lib/encoder/worker.mjs"), join(directory, "worker.mjs"));
  for (const name of ["findling_encoder.js", "findling_encoder_bg.wasm"])
    copyFileSync(join(module, name), join(directory, name));
  const config = join(directory, "wrangler.toml");
  const toml = [
    'name = "bench"',
    'main = "worker.mjs"',
    'compatibility_date = "2026-10-01"',
    "[assets]",
    'binding = "ASSETS"',
    'run_worker_first = ["/"]',
  ];
  writeFileSync(config, `${toml.join("\n")}\n`);
  const worker = await dev(assets, {}, undefined, config);
  try {
    const ask = async (tokens, times) => {
      const start = performance.now();
      const response = await fetch(`${worker.url}/?tokens=${tokens}&times=${times}`);
      if (!response.ok)
        throw new Error(`workerd answered ${response.status}: ${await response.text()}`);
      const { bytes } = await response.json();
      return { ms: performance.now() - start, bytes };
    };
    const { ms: load } = await ask(9, 1);
    await ask(9, 400);
    const tokens = {};
    let bytes;
    for (const n of TOKENS) {
      const times = [];
      for (let i = 0; i < 5; i++) {
        const { ms: one } = await ask(n, 1);
        const many = await ask(n, 41);
        times.push((many.ms - one) / 40);
        bytes = many.bytes;
      }
      tokens[n] = median(times);
    }
    if (/runtime crashed|out of memory/i.test(worker.log()))
      throw new Error(`workerd crashed:\n${worker.log()}`);
    return { load, tokens, bytes };
  } finally {
    await worker.stop();
  }
}

function print({ chromium: version, sizes, measured, memory, workerd }) {
  const columns = [
    "",
    "module kB",
    "brotli kB",
    "model kB",
    "load ms",
    "first ms",
    "memory MB",
    ...TOKENS.flatMap((n) => [`${n} tokens`, "ratio"]),
    "cosine",
  ];
  const rows = Object.entries(measured).map(([name, { load, tokens }]) => {
    const { raw, brotli, model } = sizes[name];
    const kilobytes = [raw, brotli, model].map((bytes) => (bytes / 1e3).toFixed(0));
    const times = TOKENS.flatMap((n) => [tokens[n].ms.toFixed(2), tokens[n].ratio.toFixed(2)]);
    const least = Math.min(...TOKENS.map((n) => tokens[n].cosine));
    return [
      name,
      ...kilobytes,
      load.ms.toFixed(0),
      load.first.toFixed(0),
      (load.steady / 2 ** 20).toFixed(0),
      ...times,
      least.toFixed(4),
    ];
  });
  console.log(
    `Chromium ${version}, one thread each; milliseconds a query; ratios of findling's to a row's\n`,
  );
  const widths = columns.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i].length)),
  );
  for (const row of [columns, ...rows])
    console.log(
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join("  "),
    );
  const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  for (const [name, { peak, steady }] of Object.entries(memory)) {
    const [most, after] = [megabytes(MAX_PEAK_BYTES), megabytes(MAX_STEADY_BYTES)];
    const kept = peak <= MAX_PEAK_BYTES && steady <= MAX_STEADY_BYTES ? "kept" : "OVER";
    const limits = name === "findling" ? ` (limits ${most} and ${after}: ${kept})` : "";
    if (name === Object.keys(memory)[0]) console.log();
    console.log(
      `${name}: the page's process grows by ${megabytes(peak)} at its peak, ` +
        `by ${megabytes(steady)} after the queries${limits}`,
    );
  }
  if (workerd) {
    const times = TOKENS.map((n) => `${workerd.tokens[n].toFixed(2)} ms for ${n} tokens`).join(
      ", ",
    );
    const share = (tokens) => (workerd.tokens[tokens] / FREE_CPU_MS).toFixed(2);
    const first = (workerd.load / PAID_CPU_MS).toFixed(3);
    console.log(
      `\nworkerd, as a share of the platform's CPU time for a request: of the free plan's ` +
        `${FREE_CPU_MS} ms, 9 tokens take ${share(9)} and 34 tokens ${share(34)}; of the paid ` +
        `plans' ${PAID_CPU_MS} ms, the first query of an isolate takes ${first}`,
    );
    console.log(
      `workerd: ${times}; the first query ${workerd.load.toFixed(0)} ms with loading; ` +
        `${megabytes(workerd.bytes)} of WebAssembly memory`,
    );
  }
}

async function main() {
  const { model, artefact, module, rounds, findling, documents, texts, json } = readArguments();
  const scratch = mkdtempSync(join(tmpdir(), "findling-encoder-"));
  const endings = [() => rmSync(scratch, { recursive: true, force: true })];
  try {
    const list = JSON.parse(
      execFileSync(findling, ["models", "status", model, "--json"], { encoding: "utf8" }),
    );
    const directory = list[0]?.path;
    if (!directory)
      throw new Error(`the model ${model} is not installed: findling models install ${model}`);
    const ours = join(scratch, "model.bin");
    if (artefact) writeFileSync(ours, readFileSync(artefact));
    else
      execFileSync(findling, ["models", "prepare", model, "--output", ours, "--quiet"], {
        stdio: ["ignore", "ignore", "inherit"],
      });
    const int8 = onnx(directory, true);
    const f32 = onnx(directory, false);
    writeFileSync(join(scratch, "int8.onnx"), int8);
    writeFileSync(join(scratch, "f32.onnx"), f32);

    const ort = join(here, "node_modules/onnxruntime-web/dist");
    const server = await serve([join(here, "lib/encoder"), module, ort, scratch], {
      "/": "<!doctype html><title>bench</title><link rel=icon href=data:,>",
    });
    endings.push(() => server.close());
    const browser = await chromium.launch(launchOptions());
    endings.push(() => browser.close());
    const workers = {
      "onnxruntime-web f32": { script: "/ort.mjs", model: "/f32.onnx" },
      "onnxruntime-web int8": { script: "/ort.mjs", model: "/int8.onnx" },
      findling: { script: "/ours.mjs", model: "/model.bin" },
    };
    const wasm = readFileSync(join(module, "findling_encoder_bg.wasm"));
    const peer = readFileSync(join(ort, "ort-wasm-simd-threaded.wasm"));
    const peerBrotli = brotli(peer);
    const sizes = {
      "onnxruntime-web f32": { raw: peer.length, brotli: peerBrotli, model: f32.length },
      "onnxruntime-web int8": { raw: peer.length, brotli: peerBrotli, model: int8.length },
      findling: { raw: wasm.length, brotli: brotli(wasm), model: readFileSync(ours).length },
    };
    const memory = {};
    for (const [name, worker] of Object.entries(workers)) {
      const found = await measureMemory(browser, server.url, worker);
      if (found) memory[name] = found;
    }
    const measured = await measure(browser, server.url, workers, rounds);
    const hasWorkerd = node !== undefined && existsSync(join(here, "../e2e/node_modules/wrangler"));
    if (!hasWorkerd)
      console.warn("workerd is skipped: it needs wrangler (npm ci in tests/e2e) and Node 22");
    const workerd = hasWorkerd ? await measureWorker(scratch, module, ours) : undefined;
    const opening = existsSync(join(here, "../../www/dist/findling_encoder.js"))
      ? await measureOpening(browser, model, 5)
      : undefined;
    if (!opening) console.warn("opening is skipped: it needs the client (cargo xtask client)");
    await browser.close();
    const embed = process.env.FINDLING_EMBED;
    const hasNative = embed && existsSync(embed) && documents.length > 0;
    if (!hasNative)
      console.warn(
        "native embedding is skipped: it needs the example `embed` and documents, which " +
          "`cargo xtask bench encoder` provides",
      );
    const graphs = {
      "onnxruntime f32": join(scratch, "f32.onnx"),
      "onnxruntime int8": join(scratch, "int8.onnx"),
    };
    const tokenizer = join(directory, "tokenizer.json");
    const native = hasNative
      ? await measureNative({
          embed,
          model,
          tokenizer,
          documents,
          texts,
          rounds: 3,
          graphs,
          scratch,
        })
      : undefined;
    const report = {
      chromium: browser.version(),
      sizes,
      measured,
      memory,
      workerd,
      opening,
      native,
    };
    print(report);
    if (opening) printOpening(opening);
    if (native) printNative(native);
    if (json) {
      const ratio = (name, suffix) =>
        Object.fromEntries(
          TOKENS.map((n) => [`ratio_${n}_tokens${suffix}`, measured[name].tokens[n].ratio]),
        );
      console.log(
        JSON.stringify({
          ...ratio("onnxruntime-web f32", ""),
          ...ratio("onnxruntime-web int8", "_int8"),
          ...Object.fromEntries(
            TOKENS.map((n) => [`ms_${n}_tokens`, measured.findling.tokens[n].ms]),
          ),
          wasm_brotli_bytes: sizes.findling.brotli,
          model_brotli_bytes: sizes.findling.model,
          load_ms: measured.findling.load.ms,
          memory_bytes: measured.findling.load.steady,
          peak_bytes: memory.findling?.peak,
          steady_bytes: memory.findling?.steady,
          cosine_9_tokens: measured.findling.tokens[9].cosine,
          first_semantic_cold_ms: opening?.cold.semantic,
          first_semantic_warm_ms: opening?.warm.semantic,
          native_texts_per_second: native?.measured.findling.texts,
          native_tokens_per_second: native?.measured.findling.tokens,
          native_ratio_onnxruntime_f32: native?.measured["onnxruntime f32"]?.ratio,
          native_ratio_onnxruntime_int8: native?.measured["onnxruntime int8"]?.ratio,
          ...report,
        }),
      );
    }
  } finally {
    for (const ending of endings.reverse()) await ending();
  }
}

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
