// Functions that benchmarks in a browser share: indexes that are built once, a browser whose
// processor can be slowed, and an end that leaves nothing running.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { executablePath, launchOptions } from "../../e2e/lib/chromium.mjs";
import { root } from "./results.mjs";
import { slowCpu } from "./slow-cpu.mjs";

/** Functions that end what was begun; the last one runs first. */
export const endings = [];

async function end() {
  for (let ending = endings.pop(); ending; ending = endings.pop()) {
    await Promise.resolve(ending()).catch((error) =>
      console.error(`while cleaning up: ${error.message}`),
    );
  }
}

/** Runs a benchmark, and then ends everything that it began, even if it fails or is interrupted. */
export async function runToEnd(main) {
  for (const [signal, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
    ["SIGHUP", 1],
  ]) {
    process.once(signal, () => end().finally(() => process.exit(128 + number)));
  }
  try {
    await main();
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  } finally {
    await end();
  }
}

/** The site of a benchmark, and its existing bundle or the program that indexes it. */
export function readSite([site, ...more], usage) {
  if (!site || more.length > 0) throw new Error(`expected ${usage}`);
  if (!existsSync(site) || !statSync(site).isDirectory())
    throw new Error(`${site}: expected a directory of rendered HTML`);
  const findling = process.env.FINDLING_BIN ?? join(root, "target/release/findling");
  const bundle = process.env.FINDLING_BUNDLE || undefined;
  if (bundle && !existsSync(join(bundle, "findling.idx")))
    throw new Error(`FINDLING_BUNDLE=${bundle}: expected a bundle`);
  if (!bundle && !existsSync(findling))
    throw new Error(`${findling}: build it with \`cargo xtask cli\``);
  return { site: resolve(site), findling, bundle };
}

/** Indexes the site with further options if no bundle is given, and with Pagefind. */
export function buildIndexes({ site, findling, bundle }, options = []) {
  const scratch = mkdtempSync(join(tmpdir(), "findling-bench-"));
  endings.push(async () => rmSync(scratch, { recursive: true, force: true }));
  const built = bundle ? resolve(bundle) : join(scratch, "findling");
  const pagefind = join(scratch, "pagefind");
  const ours = [findling, "build", site, "-o", built, "--quiet", ...options];
  if (!bundle) build("findling", ours, join(built, "findling.idx"));
  const program = join(root, "tests/peers/node_modules/.bin/pagefind");
  const theirs = [program, "--site", site, "--output-path", pagefind, "--silent"];
  build("pagefind", theirs, join(pagefind, "pagefind-entry.json"));
  return { built, pagefind };
}

/** Runs one build; `made` is a file that it makes. */
export function build(name, [program, ...args], made) {
  const { error, signal, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (error || signal || !existsSync(made))
    throw new Error(`${name} could not index the site: ${error ?? stderr.trim()}`);
}

/** A page with a search. */
export const page = (
  head,
  body,
) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A reader</title>
<link rel="icon" href="data:,">${head}<body>${body}`;

/** Starts a browser that trusts the server, and a way to slow it. */
export async function launch(cdn) {
  if (!executablePath)
    throw new Error("there is no Chromium; install one, or name one in FINDLING_CHROMIUM");
  const server = await chromium.launchServer({
    ...launchOptions(`--ignore-certificate-errors-spki-list=${cdn.pin}`),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  endings.push(() => server.close());
  const browser = await chromium.connect(server.wsEndpoint());
  const cpu = slowCpu(server.process().pid);
  endings.push(() => cpu.close());
  return { browser, cpu };
}
