// What benchmarks in a browser share: indexes that are built once, a browser whose processor can be
// slowed, and an end that leaves nothing running.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { executablePath, launchOptions } from "../../e2e/lib/chromium.mjs";
import { slowCpu } from "./slow-cpu.mjs";

/** What was begun, and how it ends; the last is ended first. */
export const endings = [];

async function end() {
  for (let ending = endings.pop(); ending; ending = endings.pop()) {
    await Promise.resolve(ending()).catch((error) =>
      console.error(`while cleaning up: ${error.message}`),
    );
  }
}

/** Runs a benchmark, and ends what it began, also when it fails or is interrupted. */
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
