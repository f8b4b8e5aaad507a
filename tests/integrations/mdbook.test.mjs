// A book of mdBook, built and served by mdBook.

import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { launch } from "../e2e/lib/browser.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, develop, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";

const skip = missingPython("mdbook");

/** A chapter whose name begins as that of the bundle's directory. */
const ABOUT_SEARCH = {
  path: "findling-keys",
  title: "Searching the book",
  sections: [["Keys", "Press the slash key for the search."]],
};

function sources() {
  const site = copy("mdbook");
  writeMarkdown(join(site, "src"), [...PAGES.en, ABOUT_SEARCH]);
  // A chapter's name in the menu may be another than its title.
  writeFileSync(
    join(site, "src/SUMMARY.md"),
    "# Summary\n\n[Start](index.md)\n\n- [Zwischenraum](guide/firing.md)\n" +
      "- [Glazes](guide/glazes.md)\n- [Errors](reference/errors.md)\n- [Keys](findling-keys.md)\n",
  );
  return site;
}

describe("a reader of a book of mdBook", { skip }, () => {
  let browser;
  let server;
  let page;
  before(async () => {
    const site = sources();
    run(site, "mdbook", ["build"]);
    server = await host(join(site, "book/html"), "/docs/");
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => page.context().close());

  test("finds the page and the heading, and goes there", async () => {
    page = await reader.visit(browser, server.url);
    await reader.press(page, "s");
    assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
    await reader.shoot(page, "mdbook-light");
    await reader.choose(page, "Cooling down", "**/docs/guide/firing.html#cooling-down");
    await page.getByRole("heading", { name: "Cooling down" }).waitFor();
    await reader.ready(page);
    await reader.press(page, "/");
    assert.match((await reader.search(page, "thermocouple"))[0], /Error codes/);
    await reader.choose(page, "E17", "**/docs/reference/errors.html#e17");
  });

  test("has the search on a page whose name begins as the bundle's does", async () => {
    page = await reader.visit(browser, `${server.url}findling-keys.html`);
    await reader.press(page, "s");
    assert.match((await reader.search(page, "slash"))[0], /Searching the book/);
  });

  test("finds nothing of the menus", async () => {
    page = await reader.visit(browser, `${server.url}reference/errors.html`);
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    page = await reader.visit(browser, server.url);
    await reader.followsTheme(page, "s", async () => {
      await page.locator("#mdbook-theme-toggle").click();
      await page.getByRole("menuitemradio", { name: "Coal" }).or(page.getByText("Coal")).click();
    });
    await reader.search(page, "dunting");
    await reader.shoot(page, "mdbook-dark");
  });

  test("finds what is being written, in the development server", async () => {
    const site = sources();
    const dev = await develop(site, "mdbook", (port) => ["serve", "-p", port]);
    try {
      page = await reader.visit(browser, dev.url);
      await reader.press(page, "s");
      assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
      await page.context().close();
      await reader.rebuilt(`${dev.url}findling/`, () =>
        appendFileSync(join(site, "src/guide/glazes.md"), "\n## Raku\n\nSmoke a raku pot.\n"),
      );
      page = await reader.visit(browser, dev.url);
      await reader.press(page, "s");
      assert.match((await reader.search(page, "raku"))[0], /Mixing glazes/);
    } finally {
      await page.context().close();
      dev.close();
    }
  });
});
