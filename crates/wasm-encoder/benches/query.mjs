// Measures how long the module takes to load a model and to embed a query, and how much memory it
// uses.
//
//   node crates/wasm-encoder/benches/query.mjs ARTEFACT [MODULE_DIR]
//
// Prints the module's size, load time and memory, and milliseconds for queries of several lengths.
// For each length, queries run for a second; the median and the least time are printed, and the
// least processor time, which other work on the machine disturbs less.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants, inflateSync } from "node:zlib";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const [artefactPath, moduleDir = join(root, "www/wasm/encoder")] = process.argv.slice(2);
if (!artefactPath) throw new Error("expected ARTEFACT [MODULE_DIR]");

const brotli = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
const bytes = readFileSync(join(moduleDir, "findling_encoder_bg.wasm"));
console.log(`module: ${bytes.length} bytes, ${brotli(bytes)} brotli`);
const file = readFileSync(artefactPath);
const artefact = file.subarray(0, 7).toString() === "FNDLENC" ? file : inflateSync(file);
console.log(`model: ${file.length} bytes, ${artefact.length} inflated`);

const { initSync, TransformerEncoder } = await import(
  pathToFileURL(join(resolve(moduleDir), "findling_encoder.js"))
);
let start = performance.now();
const module = new WebAssembly.Module(bytes);
console.log(`compile: ${(performance.now() - start).toFixed(0)} ms`);
const { memory } = initSync({ module });
start = performance.now();
const cpuStart = process.cpuUsage();
const encoder = new TransformerEncoder(artefact);
const { user, system } = process.cpuUsage(cpuStart);
console.log(
  `load: ${(performance.now() - start).toFixed(0)} ms, ` +
    `${((user + system) / 1000).toFixed(0)} ms cpu`,
);
console.log(`wasm memory: ${(memory.buffer.byteLength / 2 ** 20).toFixed(1)} MiB`);

// At first, a new module runs code that the engine compiles quickly, while the optimising compiler
// works in the background. Only a reader's first queries are affected. The table has the times
// after that.
start = performance.now();
encoder.encode("water ".repeat(7));
console.log(`first query, 9 tokens: ${(performance.now() - start).toFixed(0)} ms`);
while (performance.now() - start < 8000) encoder.encode("water ".repeat(7));

console.log("| tokens | median ms | least ms | least cpu ms |\n|---|---|---|---|");
for (const tokens of [3, 4, 6, 8, 9, 16, 17, 24, 34, 114]) {
  const text = "water ".repeat(tokens - 2);
  const times = [],
    cpuTimes = [];
  const until = performance.now() + 1000;
  for (let i = 0; i < 3; i++) encoder.encode(text);
  while (performance.now() < until || times.length < 5) {
    const start = performance.now(),
      cpuStart = process.cpuUsage();
    const { nTokens } = encoder.encode(text);
    times.push(performance.now() - start);
    const { user, system } = process.cpuUsage(cpuStart);
    cpuTimes.push((user + system) / 1000);
    if (nTokens !== tokens) throw new Error(`${nTokens} tokens instead of ${tokens}`);
  }
  times.sort((a, b) => a - b);
  const least = Math.min(...cpuTimes);
  console.log(
    `| ${tokens} | ${times[times.length >> 1].toFixed(2)} | ${times[0].toFixed(2)} ` +
      `| ${least.toFixed(2)} |`,
  );
}
