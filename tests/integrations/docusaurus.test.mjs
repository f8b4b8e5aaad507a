// A site of Docusaurus with two versions and two languages, built and served by Docusaurus.

import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { expectComplaints } from "../e2e/lib/browser.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missing, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missing("docusaurus");

function sources() {
  const site = copy("docusaurus");
  writeMarkdown(join(site, "docs"), PAGES.en);
  writeMarkdown(join(site, "versioned_docs/version-1.0"), [
    ...PAGES.en.filter(({ path }) => path !== "guide/glazes"),
    { path: "wood", title: "Wood", sections: [["Stoking", "Stoke with dry larch every hour."]] },
  ]);
  writeFileSync(join(site, "versions.json"), '["1.0"]\n');
  const german = join(site, "i18n/de/docusaurus-plugin-content-docs");
  writeMarkdown(join(german, "version-1.0"), PAGES.de);
  return site;
}

describe("a reader of a site of Docusaurus", { skip }, () => {
  let site;
  const session = new Session(() => {
    site = sources();
    run(site, "docusaurus", ["build"]);
    return host(join(site, "build"), "/docs/");
  });

  test("finds the page and the heading, and goes there without a reload", async () => {
    const page = await session.visit();
    await reader.mark(page);
    await reader.press(page, "Control+k");
    await reader.finds(page, "larch", /Wood/);
    await reader.shoot(page, "docusaurus-light");
    await reader.choose(page, "Stoking", "**/docs/wood/#stoking");
    await page.getByRole("heading", { name: "Stoking" }).waitFor();
    assert.ok(await reader.isMarked(page));
    await reader.press(page, "/");
    await reader.finds(page, "thermocouple", /Error codes/);
  });

  test("searches the version of the page, then the one that a reader chooses", async () => {
    const page = await session.visit();
    await reader.press(page, "Control+k");
    assert.ok(!(await reader.search(page, "celadon")).some((text) => /Celadon/.test(text)));
    const versions = page.locator("findling-search select");
    assert.deepEqual(await versions.locator("option").allInnerTexts(), [
      "1.0",
      "Next",
      "All versions",
    ]);
    await versions.selectOption("All versions");
    await reader.shoot(page, "docusaurus-versions");
    await reader.finds(page, "celadon", /Celadon/);
    await versions.selectOption("Next");
    await reader.finds(page, "celadon", /Celadon/);
    await reader.choose(page, "Celadon", "**/docs/next/guide/glazes/#celadon");
  });

  test("sees no version beside results of a site that has one", async () => {
    const single = copy("docusaurus");
    writeMarkdown(join(single, "docs"), PAGES.en);
    run(single, "docusaurus", ["build", "--locale", "en"]);
    const { url } = session.keep(await host(join(single, "build"), "/docs/"));
    const page = await session.visit(url);
    await reader.press(page, "Control+k");
    assert.equal(await page.locator("findling-search select").isVisible(), false);
    const [first] = await reader.search(page, "dunting");
    assert.match(first, /Firing the kiln/);
    assert.doesNotMatch(first, /current|Next/);
  });

  test("finds nothing around the pages", async () => {
    const page = await session.visit("wood/");
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    const page = await session.visit();
    await reader.followsTheme(page, "Control+k", async () => {
      while ((await page.locator("html").getAttribute("data-theme")) !== "dark")
        await page.getByRole("button", { name: /dark and light/ }).click();
    });
    await reader.hasTheme(page, "6.4px");
    await reader.search(page, "larch");
    await reader.shoot(page, "docusaurus-dark");
  });

  test("finds pages of the language alone", async () => {
    const page = await session.visit("de/guide/firing/");
    await reader.goesToGerman(page, "**/docs/de/guide/firing/#**");
  });

  test("is told in the development server that there is no index yet, then finds", async () => {
    const source = sources();
    const args = (port) => ["start", "--no-open", "--port", port, "--host", "127.0.0.1"];
    const { url } = await session.develop(source, "docusaurus", args, "/docs/");
    const page = await session.visit(url);
    // The server answers with a page for a file that is not there.
    expectComplaints(page, /React DevTools/, /expected a Findling file/);
    await reader.press(page, "Control+k");
    await reader.search(page, "larch");
    await page.getByText("The search index is not built yet").first().waitFor();
    cpSync(join(site, "build"), join(source, "build"), { recursive: true });
    await page.reload();
    await reader.ready(page);
    await reader.press(page, "Control+k");
    await reader.finds(page, "larch", /Wood/);
  });
});
