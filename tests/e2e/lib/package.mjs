// The npm package, packed as npm publishes it.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root, scratch } from "./bundle.mjs";

const www = join(root, "www");

function pack(...args) {
  const output = execFileSync("npm", ["pack", "--json", "--ignore-scripts", ...args], {
    cwd: www,
    encoding: "utf8",
  });
  return JSON.parse(output)[0];
}

/** Paths of the files in the package. */
export const packageFiles = () => pack("--dry-run").files.map(({ path }) => path);

/** Unpacks the package into `node_modules/findling` of a directory. */
export function installPackage(directory) {
  const into = scratch();
  const { filename } = pack("--pack-destination", into);
  const place = join(directory, "node_modules/findling");
  mkdirSync(place, { recursive: true });
  execFileSync("tar", ["-xzf", join(into, filename), "-C", place, "--strip-components=1"]);
}
