// An application that imports the package by its name, built by a bundler and read in a browser.

import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { expectComplaints } from "../../e2e/lib/browser.mjs";
import { findling, root } from "../../e2e/lib/bundle.mjs";
import { PAGES, writeMarkdown } from "./content.mjs";
import { copy, missing, run } from "./fixture.mjs";
import { host } from "./host.mjs";
import * as reader from "./reader.mjs";
import { Session } from "./session.mjs";

const APPLICATION = join(dirname(fileURLToPath(import.meta.url)), "../bundlers/site");

/** The application in a directory below the fixture, with its bundle in `findling`. */
export function application(fixture) {
  const site = copy(fixture);
  cpSync(APPLICATION, site, { recursive: true });
  writeMarkdown(join(site, "pages"), PAGES.en);
  return site;
}

/** Builds the index of the application's pages beside its files. */
export function index(site, output) {
  // A page in another language, so that the client has the texts of this language.
  const german = join(site, "pages/de.md");
  writeFileSync(german, "---\nlang: de\n---\n# Der Brennofen\n\nDer Deckel bleibt geschlossen.\n");
  const args = ["--quiet", "build", "pages", "--output", join(output, "findling")];
  run(site, findling, [...args, "--client", join(root, "www/dist")]);
}

/** Adds a page to the scripts of a bundler that writes none. */
export function page(site, output, script, type = "module") {
  const html = readFileSync(join(site, "index.html"), "utf8");
  const tag = type === "module" ? `type="module" src="${script}"` : `defer src="${script}"`;
  writeFileSync(join(site, output, "index.html"), html.replace(/type="module" src="[^"]*"/, tag));
}

/** Searches as a reader of the application: with the search box, and with the client alone. */
export async function search(page) {
  await reader.press(page, "Control+k");
  await reader.finds(page, "dunting", /Firing the kiln/);
  const titles = await page.evaluate(() => window.titles("thermocouple"));
  assert.match(titles[0] ?? "nothing", /Error codes/);
}

/**
 * Tests a bundler. `build` builds the application in a directory and returns the directory of its
 * output.
 */
export function testBundler(name, fixture, build) {
  describe(`an application that ${name} builds`, { skip: missing(fixture) }, () => {
    let site;
    let output;
    const session = new Session(async () => {
      site = application(fixture);
      output = join(site, build(site));
      index(site, output);
      return host(output, "/docs/");
    });

    test("finds the client's files beside the bundle", async () => {
      await search(await session.visit());
    });

    test("imports the engine and the texts of a language by their addresses", async () => {
      const page = await session.visit();
      const titles = await page.evaluate(() => window.titles("thermocouple", { worker: false }));
      assert.match(titles[0] ?? "nothing", /Error codes/);
      await page.evaluate(() => {
        const element = document.createElement("findling-search");
        element.setAttribute("bundle", "findling/");
        element.lang = "de";
        document.querySelector("findling-search").replaceWith(element);
      });
      await reader.press(page, "Control+k");
      await page.getByPlaceholder(/[Ss]uch/).waitFor();
    });

    test("says where the client's files are expected", async () => {
      const page = await session.visit();
      expectComplaints(page, /nowhere|404/);
      const { code, advice } = await page.evaluate(() => window.failure());
      assert.equal(code, "wasm");
      assert.match(advice, /nowhere\/findling-worker\.js/);
      assert.match(advice, /`assets`/);
      // The message is about the site, not about the reader's connection.
      await page.evaluate(() => {
        const element = document.createElement("findling-search");
        element.setAttribute("bundle", "nowhere/");
        document.querySelector("findling-search").replaceWith(element);
      });
      await reader.press(page, "Control+k");
      await page.keyboard.type("dunting");
      await page.getByText("Something went wrong on this site").first().waitFor();
    });

    test("has no address of the machine that built it", () => {
      const scripts = readdirSync(output, { recursive: true })
        .map((file) => join(output, file))
        .filter((file) => /\.m?js$/.test(file) && statSync(file).isFile());
      assert.ok(scripts.length > 0);
      for (const file of scripts) {
        const text = readFileSync(file, "utf8");
        assert.ok(!text.includes(root) && !text.includes("file://"), file);
      }
    });
  });
}
