// Builds the bundles of a site with the program `findling`.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { program } from "../../bin/program.mjs";

/** The client's files of this package. They are served while a site has no bundle yet. */
export const client = fileURLToPath(new URL("../../dist", import.meta.url));

/** The directory of a bundle, below the directory of the site or of a language. */
export const BUNDLE = "findling";

/**
 * Builds a bundle. `encoder` is the encoder of the documents; `build` has more arguments for
 * `findling build`. Returns the program's report. Throws if nothing could be built.
 *
 * @param {string} input
 * @param {string} output
 * @param {{ encoder?: string, build?: string[] }} options
 * @param {string[]} more
 */
export async function buildBundle(input, output, { encoder = "static", build = [] }, more = []) {
  const path = program();
  const args = [
    ["--quiet", "build", "--json"],
    ["--output", output, "--encoder", encoder],
    existsSync(join(client, "findling.js")) ? ["--client", client] : [],
    [...more, ...build, "--", input],
  ].flat();
  const { status, stdout, stderr } = await run(path, args);
  // 3: built, but some pages could not be read. The warnings name them.
  if (status !== 0 && status !== 3) throw new Error(message(stdout, stderr));
  if (status === 3) console.warn(stderr.trim());
  return JSON.parse(stdout);
}

/**
 * Arguments that leave out pages whose path matches one of these patterns.
 *
 * @param {string[]} patterns
 */
export const excluding = (patterns) => patterns.map((pattern) => `--exclude=${pattern}`);

/**
 * Builds the bundle of each language of a site. Each language has its own, so that readers find
 * pages of the language they read, and download only the data for that language. `languages` are
 * the directories of languages that are not at the root. Returns the number of pages.
 *
 * @param {string} site
 * @param {string[]} languages
 * @param {{ encoder?: string, build?: string[] }} options
 */
export async function buildSite(site, languages, options) {
  let { pages } = await buildBundle(site, join(site, BUNDLE), options, excluding(languages));
  for (const language of languages) {
    const directory = join(site, language);
    if (!existsSync(directory)) continue;
    pages += (await buildBundle(directory, join(directory, BUNDLE), options)).pages;
  }
  return pages;
}

function run(path, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (text) => {
        output[name] += text;
      });
    child.on("error", (error) => {
      reject(new Error(`${path} cannot be started: ${error.message}`));
    });
    child.on("close", (status) => resolve({ status, ...output }));
  });
}

/** The program's messages: errors are JSON if a report was requested. */
function message(stdout, stderr) {
  try {
    const { message, causes = [] } = JSON.parse(stdout).error;
    return `findling: ${inOptions([message, ...causes].join(": "))}`;
  } catch {
    return `findling: ${inOptions(stderr.trim() || "the program ended without a message")}`;
  }
}

/** A message that names the options of an integration instead of the command line's options. */
export const inOptions = (message) =>
  message
    .replace(/(?<![\w-])--encoder[= ]([a-z0-9][\w.-]*\w)/g, 'encoder: "$1"')
    .replace(/(?<![\w-])--encoder\b/g, "encoder")
    .replace(/(?<![\w-])--[a-z][a-z0-9-]*/g, 'build: ["$&"]');
