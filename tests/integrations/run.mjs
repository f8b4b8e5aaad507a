// Runs the tests of the integrations: `node run.mjs` runs the tests of every run, `node run.mjs
// nightly` runs all others, which take minutes. Further arguments select tests by name.

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runFiles } from "../e2e/lib/run-files.mjs";

const here = dirname(fileURLToPath(import.meta.url));
/** The tests of every run, which build a small site within seconds. */
const QUICK = [
  "package",
  "bundlers",
  "vitepress",
  "wrappers",
  "mkdocs",
  "mdbook",
  "sphinx",
  "hugo",
  "python",
];
const [which, ...rest] = process.argv.slice(2);
const only = which === "nightly" ? rest : [which, ...rest].filter(Boolean);

const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => name.slice(0, -".test.mjs".length))
  .filter((name) =>
    only.length > 0 ? only.includes(name) : QUICK.includes(name) !== (which === "nightly"),
  )
  .map((name) => join(here, `${name}.test.mjs`));
process.exit(runFiles(process.execPath, files, here));
