// The time of a warm query in a browser. Shards are in memory, so this is the time of the engine
// and of the worker's messages.

import { join } from "node:path";
import { chromium } from "playwright-core";
import { launchOptions } from "../../e2e/lib/chromium.mjs";
import { page } from "./browser-bench.mjs";
import { serve } from "./cdn.mjs";
import { root } from "./results.mjs";

/** Searches for every query; returns the milliseconds of each. Runs in the page. */
async function ask(queries) {
  const times = [];
  for (const query of queries) {
    const start = performance.now();
    await globalThis.index.search(query, { limit: 10 });
    times.push(performance.now() - start);
  }
  return times;
}

/** Opens the bundle. Runs in the page. */
async function open() {
  const { open } = await import("/client/findling.js");
  globalThis.index = await open("/findling/");
}

/**
 * Milliseconds of queries, ascending. Each query is searched twice in a row, and the second time
 * counts, because the shards of a whole session would not stay in memory.
 */
export async function warmTimes(bundle, queries) {
  const directories = { "/findling/": bundle, "/client/": join(root, "www/dist") };
  const cdn = await serve(directories, { "/": page("", "") }, { lazy: true });
  const trusting = `--ignore-certificate-errors-spki-list=${cdn.pin}`;
  const browser = await chromium.launch(launchOptions(trusting));
  try {
    const reader = await browser.newPage();
    await reader.goto(cdn.url);
    await reader.evaluate(open);
    const times = [];
    for (const query of queries) times.push((await reader.evaluate(ask, [query, query]))[1]);
    return times.sort((a, b) => a - b);
  } finally {
    await browser.close();
    await cdn.close();
  }
}
