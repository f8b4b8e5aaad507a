// Time and memory of the site's playground for indexing a folder, compared with the tool on one
// thread.
//
//   cargo xtask bench playground DIRECTORY... [--json [FILE]]
//
// Each directory is indexed by words alternately by the WebAssembly module in a separate process of
// Node, and by `findling build --encoder none --jobs 1`. Times are medians of three runs, from the
// files in memory, or on disk, to the bundle. Memory is the module's memory afterwards. The size of
// the module is that after brotli at its best.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { defaultPath, head, load, print, root, write } from "./lib/results.mjs";

const RUNS = 3;

const module = join(root, "www/wasm/playground");
const wasm = join(module, "findling_playground_bg.wasm");
async function inModule(directory) {
  const { Indexer, initSync, isTaken } = await import(
    pathToFileURL(join(module, "findling_playground.js"))
  );
  const files = readdirSync(directory, { recursive: true })
    .filter((path) => statSync(join(directory, path)).isFile())
    .map((path) => [path, readFileSync(join(directory, path))]);
  const { memory } = initSync({ module: readFileSync(wasm) });
  const taken = files.filter(([path]) => isTaken(path));
  const bytes = taken.reduce((sum, [, { length }]) => sum + length, 0);
  const start = performance.now();
  const indexer = new Indexer("");
  for (const [path, contents] of taken) indexer.add(path, contents);
  const total = indexer.begin();
  for (let done = 0; done < total; done++) indexer.step();
  const { pages } = indexer.build();
  return { ms: performance.now() - start, bytes, pages, memory: memory.buffer.byteLength };
}

function measure(args) {
  const at = args.indexOf("--json");
  const directories = at < 0 ? args : args.slice(0, at);
  const before = load();
  const rows = directories.map((directory) => {
    const [inTool, here] = [[], []];
    let last;
    for (let run = 0; run < RUNS; run++) {
      inTool.push(tool(directory));
      const self = fileURLToPath(import.meta.url);
      last = JSON.parse(execFileSync(process.execPath, [self, "--one", directory]));
      here.push(last.ms);
    }
    const [native, wasm] = [median(inTool), median(here)];
    const { bytes, pages, memory } = last;
    return [
      basename(directory),
      pages,
      round(bytes / 1e6, 1),
      round(wasm / 1000, 2),
      round(native / 1000, 2),
      round(memory / 1e6, 0),
    ];
  });
  const columns = ["site", "pages", "MB", "module (s)", "tool, 1 thread (s)", "memory (MB)"];
  const contents = readFileSync(wasm);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  params[constants.BROTLI_PARAM_LGWIN] = 24;
  const sent = brotliCompressSync(contents, { params }).length;
  const size = {
    columns: ["module", "raw (kB)", "brotli (kB)"],
    rows: [["playground", Math.round(contents.length / 1000), Math.round(sent / 1000)]],
  };
  const sites = { columns, rows };
  print(size);
  print(sites);
  if (at < 0) return;
  const path = args[at + 1] ?? defaultPath("playground");
  const note = `Medians of ${RUNS} runs in turns, in Node ${process.versions.node}.`;
  write(path, head("playground", note, before), [
    { id: "module", ...size },
    { id: "sites", ...sites },
  ]);
}

function tool(directory) {
  const out = mkdtempSync(join(tmpdir(), "findling-playground-"));
  const args = ["--quiet", "build", directory, "--encoder", "none", "--jobs", "1", "--no-client"];
  const start = performance.now();
  execFileSync(process.env.FINDLING_BIN, [...args, "--output", join(out, "bundle")]);
  const ms = performance.now() - start;
  rmSync(out, { recursive: true });
  return ms;
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const round = (value, digits) => Number(value.toFixed(digits));

const [first, ...rest] = process.argv.slice(2);
if (first === "--one") console.log(JSON.stringify(await inModule(rest[0])));
else measure([first, ...rest]);
