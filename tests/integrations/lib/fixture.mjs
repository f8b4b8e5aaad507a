// Copies of the fixtures, which the real generators build.

import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findling, root } from "../../e2e/lib/bundle.mjs";
import { freePort } from "../../e2e/lib/server.mjs";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const made = [];
const running = [];
process.on("exit", () => {
  for (const child of running) stop(child);
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/**
 * The place of programs written in Python: next to FINDLING_PYTHON, otherwise the machine's own.
 */
const python = process.env["FINDLING_PYTHON"] ? [dirname(process.env["FINDLING_PYTHON"])] : [];
/** The package's commands, as installed by npm. */
const commands = mkdtempSync(join(tmpdir(), "findling-commands-"));
made.push(commands);
const { bin } = JSON.parse(readFileSync(join(root, "www/package.json"), "utf8"));
for (const [name, file] of Object.entries(bin))
  symlinkSync(join(root, "www", file), join(commands, name));
/** The Python package, with the entry points that its wheel has. */
const wheel = join(commands, "findling-0.dist-info");
mkdirSync(wheel);
writeFileSync(join(wheel, "METADATA"), "Metadata-Version: 2.1\nName: findling\nVersion: 0\n");
const project = readFileSync(join(root, "python/pyproject.toml"), "utf8");
const points = /entry-points\."mkdocs\.plugins"\]\n(\S+) = "(\S+)"/.exec(project);
writeFileSync(join(wheel, "entry_points.txt"), `[mkdocs.plugins]\n${points[1]} = ${points[2]}\n`);
const PYTHONPATH = [join(root, "python/src"), commands].join(delimiter);
const PATH = [commands, ...python, process.env["PATH"]].join(delimiter);

/** The environment of generators: the program that builds, and settings that avoid the network. */
const environment = {
  ...process.env,
  PATH,
  PYTHONPATH,
  PYTHONDONTWRITEBYTECODE: "1",
  FINDLING_BINARY_PATH: findling,
  ASTRO_TELEMETRY_DISABLED: "1",
  NO_UPDATE_NOTIFIER: "1",
  FORCE_COLOR: "0",
};

/** Why a generator of npm cannot run; `undefined` if it can. */
export function missing(name) {
  if (existsSync(join(here, name, "node_modules"))) return undefined;
  return `no tests/integrations/${name}/node_modules: run \`npm ci\` there`;
}

/** Why a program written in Python cannot run; `undefined` if it can. */
export function missingPython(program) {
  const { error } = spawnSync(program, ["--version"], { env: environment });
  return error ? `no ${program}: \`cargo xtask test\` installs it` : undefined;
}

/**
 * A copy of a fixture, or of a part of it. For generators of npm, the copy is below the fixture,
 * where Node finds the packages. The package `findling` is copied to the place where npm installs
 * it, with its published files. It is not a link, because bundlers resolve links to other places.
 * mdBook does not watch files that git ignores, so the other copies are elsewhere.
 */
export function copy(name, part = "") {
  const fixture = join(here, name);
  const modules = join(fixture, "node_modules");
  const inside = existsSync(modules);
  const parent = inside ? join(fixture, "work") : tmpdir();
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, "findling-site-"));
  made.push(directory);
  cpSync(join(fixture, "site", part), directory, { recursive: true });
  if (inside) {
    const installed = join(modules, "findling");
    rmSync(installed, { recursive: true, force: true });
    for (const part of ["package.json", "bin", "dist", "integrations"])
      cpSync(join(root, "www", part), join(installed, part), { recursive: true });
  }
  return directory;
}

/** Runs a program of a generator to its end. Throws with its output if it fails. */
export function run(directory, program, args, env = {}) {
  const done = spawnSync(locate(directory, program), args, {
    cwd: directory,
    env: { ...environment, ...env },
    encoding: "utf8",
  });
  if (done.status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${done.error ?? done.stdout + done.stderr}`);
  return done.stdout + done.stderr;
}

/** Starts a development server; returns its address once it answers. `args` takes the port. */
export async function develop(directory, program, args, path = "/", env = {}) {
  const port = await freePort();
  const child = spawn(locate(directory, program), args(String(port)), {
    cwd: directory,
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      output += text;
    });
  const url = `http://127.0.0.1:${port}${path}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, close: () => stop(child), output: () => output };
}

const answers = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Ends a server and the processes that it started. */
function stop(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** A program of the generator's own packages, or one named by its path. */
function locate(directory, program) {
  const local = join(directory, "../../node_modules/.bin", program);
  return existsSync(local) ? local : program;
}
