// Documentation of Debian's packages: downloaded by name, unpacked without installing.

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Fails with the reason if this machine cannot download packages of Debian. */
export function requireDebian() {
  for (const program of ["apt-get", "dpkg"]) {
    if (spawnSync(program, ["--version"]).error)
      throw new Error(
        `${program}: not found. The sites of this benchmark are packages of Debian: run it on ` +
          "Debian or in a container of it.",
      );
  }
}

/**
 * The directory with the pages of a package; undefined, with a line on standard error, if this
 * release of Debian has no such package. Archives and unpacked files stay in `cache`.
 */
export function unpacked(name, cache) {
  const into = join(cache, "x", name);
  if (!existsSync(into)) {
    const archive = downloaded(name, join(cache, "packages"));
    if (!archive) return undefined;
    mkdirSync(into, { recursive: true });
    const { status, stderr } = spawnSync("dpkg", ["-x", archive, into], { encoding: "utf8" });
    if (status !== 0) throw new Error(`${archive}: ${stderr.trim()}`);
  }
  return into;
}

function downloaded(name, into) {
  mkdirSync(into, { recursive: true });
  const there = () => readdirSync(into).find((file) => file.startsWith(`${name}_`));
  if (!there()) {
    const options = { cwd: into, encoding: "utf8" };
    const { stderr } = spawnSync("apt-get", ["download", "-q", name], options);
    if (!there()) {
      console.error(`${name} is left out: ${stderr.trim()}`);
      return undefined;
    }
  }
  return join(into, there());
}

/** The files below a directory whose names end in one of these, without links, in their order. */
export function filesBelow(directory, endings) {
  const found = [];
  for (const name of readdirSync(directory).sort()) {
    const path = join(directory, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) found.push(...filesBelow(path, endings));
    else if (stat.isFile() && endings.some((ending) => name.endsWith(ending))) found.push(path);
  }
  return found;
}

/** The deepest directory that holds all pages below a directory. */
export function siteBelow(directory) {
  const pages = filesBelow(directory, [".html", ".htm", ".xhtml"]);
  if (pages.length === 0) return undefined;
  const paths = pages.map((page) => relative(directory, page).split(sep).slice(0, -1));
  let depth = 0;
  while (paths.every((path) => depth < path.length && path[depth] === paths[0][depth])) depth += 1;
  return join(directory, ...paths[0].slice(0, depth));
}
