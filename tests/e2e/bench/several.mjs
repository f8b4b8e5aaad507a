// Do bundles that a site was divided into rank its pages as one bundle of it does, at the endpoint?
//
//   node bench/several.mjs --whole BUNDLE --part BUNDLE... [--beside DIR] [--questions FILE]
//     [--queries N] [--out FILE]
//
// All bundles lie below one directory. DIR is another build of the package (a copy of `www/dist`).
// FILE has a question a line, before a tab; by default those about the Rust Book.

import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { head, load, print, write } from "../../peers/lib/results.mjs";
import { dist, root } from "../lib/bundle.mjs";

const { values } = parseArgs({
  options: {
    whole: { type: "string" },
    part: { type: "string", multiple: true },
    beside: { type: "string" },
    questions: { type: "string", default: join(root, "tests/quality/rust-book.tsv") },
    queries: { type: "string", default: "50" },
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

/** The endpoint of a build: what it finds in the whole bundle, or in the parts. */
async function endpoint(build) {
  const { createHandler, directory } = await import(join(build, "findling-edge-server.js"));
  const handler = createHandler({ log: "none" });
  const mounts = { "/whole/": place(whole), "/parts/": values.part.map(place) };
  const env = { ASSETS: directory(site), FINDLING_BUNDLES: JSON.stringify(mounts) };
  return async (name, q, mode) => {
    const parameters = new URLSearchParams({ q, mode, k: String(K) });
    const request = new Request(`http://endpoint/${name}/search?${parameters}`);
    const { results } = await (await handler.fetch(request, env)).json();
    return results.map(({ id }) => id);
  };
}

const rows = [];
const beside = values.beside ? [["beside", resolve(values.beside)]] : [];
for (const [name, build] of [["this", dist], ...beside]) {
  const ask = await endpoint(build);
  for (const mode of ["lexical", "hybrid"]) {
    let [same, shown, first] = [0, 0, 0];
    for (const question of questions) {
      const [one, joined] = [
        await ask("whole", question, mode),
        await ask("parts", question, mode),
      ];
      same += joined.filter((id) => one.includes(id)).length;
      shown += one.length;
      first += Number(one[0] === joined[0]);
    }
    rows.push([name, mode, n, (same / shown).toFixed(3), (first / n).toFixed(2)]);
  }
}
const columns = [
  "build",
  "search",
  "queries",
  `of the first ${K}, the same`,
  "the same first page",
];
const table = { id: "several", columns, rows };
print(table);
if (values.out) {
  const note = `Pages by their ids; ${values.part.length} bundles against one of all.`;
  const command = `node tests/e2e/bench/several.mjs ${process.argv.slice(2).join(" ")}`;
  write(values.out, { ...head("several", note, before), command }, [table]);
}
