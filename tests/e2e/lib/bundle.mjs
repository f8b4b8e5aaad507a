// Bundles of the small site, built by `findling`.

import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeRecords, writeSite } from "./site.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const dist = join(root, "www/dist");
export const MODEL = "all-minilm-l6-v2";

/** The command-line tool: FINDLING_BIN, or the newest that cargo has built. */
export const findling =
  process.env.FINDLING_BIN ??
  newest(["release", "debug"].map((profile) => join(root, "target", profile, "findling")));

function newest(paths) {
  const built = paths.filter((path) => existsSync(path));
  return built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

/** Why the tests cannot run; `undefined` if they can. */
export function missing() {
  if (!findling)
    return "no `findling`: build it with `cargo build --release -p findling`, or set FINDLING_BIN";
  if (!existsSync(join(dist, "findling.js")))
    return "no www/dist: build it with `cargo xtask client`";
  return undefined;
}

const scratches = [];
process.on("exit", () => {
  for (const directory of scratches) rmSync(directory, { recursive: true, force: true });
});

/** A directory that is removed when the process ends. */
export function scratch() {
  const directory = mkdtempSync(join(tmpdir(), "findling-e2e-"));
  scratches.push(directory);
  return directory;
}

/** Runs the tool with arguments, which may be nested in arrays, and returns its output. */
export function run(...args) {
  return execFileSync(findling, args.flat(Infinity), {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  });
}

/**
 * Writes the site, builds its bundle with the records into `findling/`, and returns the site's
 * directory. `extra` are further pages, `args` further options. Each shard is a file of its own, so
 * that tests can hold back or damage one, unless `host` is another.
 */
export function build({
  encoder = "hash",
  extra = [],
  args = [],
  host = "files",
  into = scratch(),
} = {}) {
  const site = join(into, "site");
  const records = join(into, "records.jsonl");
  mkdirSync(site, { recursive: true });
  writeSite(site, { extra });
  writeRecords(records);
  const pages = join(into, "pages");
  rmSync(pages, { recursive: true, force: true });
  cpSync(site, pages, { recursive: true, filter: (path) => path !== join(site, "findling") });
  run(
    "--quiet",
    "build",
    pages,
    records,
    "--root",
    pages,
    "--output",
    join(site, "findling"),
    "--client",
    dist,
    "--encoder",
    encoder,
    "--host",
    host,
    ...args,
  );
  return site;
}

/** Kinds of shards, by the number in their fifth byte (`crates/bundle/src/manifest.rs`). */
const KINDS = { spelling: 11, sentences: 13 };

/** File names of a bundle's shards of one kind. */
export function shardsOfKind(bundle, kind) {
  const shards = join(bundle, "shards");
  return readdirSync(shards).filter((name) => readFileSync(join(shards, name))[4] === KINDS[kind]);
}

/** Whether tool and client have the transformer, and the model is installed. */
export function hasModel() {
  const { status, stdout } = spawnSync(findling, ["models", "status", MODEL, "--json"], {
    encoding: "utf8",
  });
  return (
    status === 0 &&
    !/"installed":\s*false/.test(stdout) &&
    existsSync(join(dist, "findling_encoder_bg.wasm"))
  );
}
