// node report.mjs NOW [BASE]: the report of a build as Markdown, compared with an earlier one.
//
// A directory has `build.json` (`findling build --json`) and `budget.json`
// (`findling inspect --budget --json`). BASE may be missing.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [now, base] = process.argv.slice(2).map(read);
if (!now) {
  console.error("expected the directory of a build's reports, found none: node report.mjs NOW");
  process.exit(1);
}

const rows = [
  ["pages", ({ build }) => build.pages],
  ["sections", ({ build }) => build.sections],
  ["bundle (kB)", ({ build }) => kilobytes(build.bundleBytes)],
  ["opening and first query (kB)", ({ budget }) => kilobytes(budget.firstWithOpening.brotli)],
];
console.log("### Search of the site\n");
console.log(base ? "| | before | now | change |\n|---|---|---|---|" : "| | now |\n|---|---|");
for (const [name, value] of rows) {
  const after = value(now);
  if (!base) {
    console.log(`| ${name} | ${after} |`);
    continue;
  }
  const before = value(base);
  const change = after - before;
  console.log(`| ${name} | ${before} | ${after} | ${change > 0 ? "+" : ""}${change} |`);
}
if (now.build.unreadable > 0) console.log(`\n${now.build.unreadable} files could not be read.`);

function read(directory) {
  const [build, budget] = ["build.json", "budget.json"].map((name) => join(directory, name));
  if (!existsSync(build) || !existsSync(budget)) return undefined;
  return {
    build: JSON.parse(readFileSync(build, "utf8")),
    budget: JSON.parse(readFileSync(budget, "utf8")),
  };
}

function kilobytes(bytes) {
  return Math.round(bytes / 1000);
}
