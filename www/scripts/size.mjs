// Prints the bytes of the client after brotli, against their budgets: npm run size

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");

/** Bytes of a built file after brotli; `undefined` if it was not built. */
export function size(name) {
  const path = join(dist, name);
  return existsSync(path) ? brotliCompressSync(readFileSync(path)).length : undefined;
}

/** Budgets in bytes after brotli. `cargo xtask wasm` has the budgets of the engine. */
export const BUDGETS = [
  { what: "client and worker", files: ["findling.js", "findling-worker.js"], budget: 16_000 },
  {
    what: "client, worker and UI",
    files: ["findling.js", "findling-worker.js", "findling-ui.js"],
    // 0.3 kB of it: keys of other scripts, links to `#q=`, and names that a bundle lacks.
    budget: 35_000,
  },
  { what: "page of results", files: ["findling-results.js"], budget: 8_700 },
  { what: "related pages", files: ["findling-related.js"], budget: 1_100 },
  { what: "history", files: ["findling-history.js"], budget: 2_300 },
  { what: "tools of assistants", files: ["findling-assistant.js"], budget: 3_500 },
  { what: "Pagefind's API", files: ["pagefind.js"], budget: 6_600 },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = readdirSync(dist).filter((name) => /\.(js|wasm)$/.test(name));
  for (const name of built.filter((name) => !name.includes("-locale-")))
    console.log(`${name.padEnd(32)} ${String(size(name)).padStart(8)}`);
  let over = false;
  for (const { what, files, budget } of BUDGETS) {
    const bytes = files.reduce((sum, name) => sum + (size(name) ?? 0), 0);
    over ||= bytes > budget;
    const verdict = bytes > budget ? "  OVER" : "";
    console.log(`${what.padEnd(32)} ${String(bytes).padStart(8)} of ${budget}${verdict}`);
  }
  process.exit(over ? 1 : 0);
}
