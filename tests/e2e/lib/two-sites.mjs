// Two sites below one root, each with a bundle: the kiln's handbook, and a harbour's.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { build, run, scratch } from "./bundle.mjs";
import { writeCorpus } from "./corpus.mjs";

/** The root. The bundles are at `/kiln/findling/` and `/harbour/findling/`. */
export function twoSites() {
  const root = scratch();
  cpSync(build(), join(root, "kiln"), { recursive: true });
  const corpus = join(scratch(), "corpus");
  writeCorpus(corpus, 60);
  run("--quiet", "build", corpus, "--output", join(root, "harbour/findling"), [
    ["--no-client", "--encoder", "hash"],
  ]);
  return root;
}
