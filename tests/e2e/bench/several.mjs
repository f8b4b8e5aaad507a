// Compares the ranking of one bundle with the ranking of several bundles into which the site was
// divided, at the endpoint or in a page.
//
//   node bench/several.mjs --whole BUNDLE --part BUNDLE... [--page] [--beside DIR]
//     [--questions FILE] [--queries N] [--out FILE]
//
// All bundles are below one directory. DIR is another build of the package (a copy of `www/dist`).
// FILE has a question a line, before a tab; by default those about the Rust Book.

import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { head, load, print, write } from "../../peers/lib/results.mjs";
import { launch, withClient } from "../lib/browser.mjs";
import { dist, root } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";

const { values } = parseArgs({
  options: {
    whole: { type: "string" },
    part: { type: "string", multiple: true },
    beside: { type: "string" },
    questions: { type: "string", default: join(root, "tests/quality/rust-book.tsv") },
    queries: { type: "string", default: "50" },
    page: { type: "boolean" },
    out: { type: "string" },
  },
});
/** Pages that are compared. */
const K = 10;

const before = load();
const whole = resolve(values.whole);
const site = dirname(dirname(whole));
const place = (bundle) => `/${relative(site, resolve(bundle))}/`;
const lines = readFileSync(values.questions, "utf8").split("\n");
const all = lines
  .filter((line) => line && !line.startsWith("#"))
  .map((line) => line.split("\t")[0]);
const n = Math.min(Number(values.queries), all.length);
const questions = Array.from({ length: n }, (_, i) => all[Math.floor((i * all.length) / n)]);

/** The endpoint of a build, over the whole bundle or over the parts. */
async function endpoint(build) {
  const { createHandler, directory } = await import(join(build, "findling-edge-server.js"));
  const handler = createHandler({ log: "none" });
  const mounts = { "/whole/": place(whole), "/parts/": values.part.map(place) };
  const env = { ASSETS: directory(site), FINDLING_BUNDLES: JSON.stringify(mounts) };
  const ask = async (name, q, mode) => {
    const parameters = new URLSearchParams({ q, mode, k: String(K) });
    const request = new Request(`http://endpoint/${name}/search?${parameters}`);
    const { results } = await (await handler.fetch(request, env)).json();
    return results.map(({ id }) => id);
  };
  return { ask, end() {} };
}

/** The same in a page of Chromium, where each bundle is in a worker of its own. */
async function page(build) {
  const server = await serve([site, build], { "/": withClient("/findling.js") });
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(server.url);
  const mounts = { whole: [place(whole)], parts: values.part.map(place) };
  await page.evaluate(async (mounts) => {
    const { openAll } = await import("/findling-several.js");
    window.indexes = {};
    for (const [name, urls] of Object.entries(mounts)) window.indexes[name] = await openAll(urls);
  }, mounts);
  const ask = async (name, q, mode) => {
    const { ids, ms } = await page.evaluate(
      async ([name, q, mode, limit]) => {
        const begun = performance.now();
        const { results } = await window.indexes[name].search(q, { mode, limit });
        return { ids: results.map(({ id }) => id), ms: performance.now() - begun };
      },
      [name, q, mode, K],
    );
    times.push([name, ms]);
    return ids;
  };
  const end = async () => {
    await browser.close();
    await server.close();
  };
  return { ask, end };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
/** How long searches took, by bundle or bundles. */
let times = [];

const rows = [];
const beside = values.beside ? [["beside", resolve(values.beside)]] : [];
for (const [name, build] of [["this", dist], ...beside]) {
  const { ask, end } = await (values.page ? page(build) : endpoint(build));
  for (const mode of ["lexical", "hybrid"]) {
    let [same, shown, first] = [0, 0, 0];
    times = [];
    for (const question of questions) {
      const [one, joined] = [
        await ask("whole", question, mode),
        await ask("parts", question, mode),
      ];
      same += joined.filter((id) => one.includes(id)).length;
      shown += one.length;
      first += Number(one[0] === joined[0]);
    }
    const took = ["whole", "parts"].map((name) =>
      median(times.flatMap(([of, ms]) => (of === name ? [ms] : []))).toFixed(0),
    );
    const row = [name, mode, n, (same / shown).toFixed(3), (first / n).toFixed(2)];
    rows.push(values.page ? [...row, ...took] : row);
  }
  await end();
}
const columns = [
  "build",
  "search",
  "queries",
  `of the first ${K}, the same`,
  "the same first page",
  ...(values.page ? ["one bundle (ms)", "the parts (ms)"] : []),
];
const table = { id: "several", columns, rows };
print(table);
if (values.out) {
  const note = `Pages by their ids; ${values.part.length} bundles against one of all.`;
  const command = `node tests/e2e/bench/several.mjs ${process.argv.slice(2).join(" ")}`;
  write(values.out, { ...head("several", note, before), command }, [table]);
}
