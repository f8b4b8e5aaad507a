// Sites of MkDocs, with Material and with the theme that MkDocs brings.

import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { launch } from "../e2e/lib/browser.mjs";
import { freePort } from "../e2e/lib/server.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, develop, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";

const skip = missingPython("mkdocs");

function sources() {
  const site = copy("mkdocs");
  writeMarkdown(join(site, "docs"), PAGES.en);
  writeMarkdown(join(site, "docs/de"), PAGES.de);
  return site;
}

for (const { theme, key, toDark } of [
  { theme: "material", key: "s", toDark: (page) => page.locator("[title='To dark']").click() },
  {
    theme: "mkdocs",
    key: "s",
    // As the theme's own menu does, which needs files of another host.
    toDark: (page) =>
      page.evaluate(() => document.documentElement.setAttribute("data-bs-theme", "dark")),
  },
  { theme: "readthedocs", key: "s" },
])
  describe(`a reader of a site of MkDocs with the theme ${theme}`, { skip }, () => {
    let browser;
    let server;
    let page;
    before(async () => {
      const site = sources();
      const port = await freePort();
      const env = { SITE_URL: `http://127.0.0.1:${port}/docs/` };
      run(site, "mkdocs", ["build", "--strict", "-f", `${theme}.yml`], env);
      server = await host(join(site, "built"), "/docs/", port);
      browser = await launch();
    });
    after(async () => {
      await browser?.close();
      await server?.close();
    });
    afterEach(() => page.context().close());

    test("finds the page and the heading, and goes there", async () => {
      page = await reader.visit(browser, server.url);
      await reader.mark(page);
      await reader.press(page, key);
      assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
      await reader.shoot(page, `mkdocs-${theme}-light`);
      await reader.choose(page, "Cooling down", "**/docs/guide/firing/#cooling-down");
      await page.getByRole("heading", { name: "Cooling down" }).waitFor();
      // Material's instant navigation keeps the window.
      assert.equal(await reader.isMarked(page), theme === "material");
      await reader.ready(page);
      await reader.press(page, "/");
      assert.match((await reader.search(page, "thermocouple"))[0], /Error codes/);
      await reader.choose(page, "E17", "**/docs/reference/errors/#e17");
    });

    test("finds nothing of the menus", async () => {
      page = await reader.visit(browser, `${server.url}reference/errors/`);
      await reader.press(page, "Control+k");
      await reader.findsNoFrame(page);
    });

    test("searches from the page for addresses that do not exist", async () => {
      page = await reader.visit(browser, `${server.url}404.html`);
      await reader.press(page, key);
      assert.match((await reader.search(page, "thermocouple"))[0], /Error codes/);
    });

    if (!toDark) return;
    test("sees the search in the colours of the page", async () => {
      page = await reader.visit(browser, server.url);
      await reader.followsTheme(page, "Control+k", () => toDark(page));
      await reader.search(page, "dunting");
      await reader.shoot(page, `mkdocs-${theme}-dark`);
    });
  });

describe("a site of MkDocs", { skip }, () => {
  let browser;
  let page;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());
  afterEach(() => page.context().close());

  test("has an index for each language", async () => {
    const site = sources();
    run(site, "mkdocs", ["build", "--strict", "-f", "material.yml"]);
    const server = await host(join(site, "built"), "/docs/");
    try {
      page = await reader.visit(browser, `${server.url}de/`);
      await reader.press(page, "Control+k");
      assert.match((await reader.search(page, "Deckel"))[0], /Den Ofen brennen/);
      assert.deepEqual(await reader.search(page, '"celadon"'), []);
      await reader.search(page, "Deckel");
      await reader.choose(page, "Abkühlen", "**/docs/de/guide/firing/#**");
    } finally {
      await page.context().close();
      await server.close();
    }
  });

  test("is searched as it is written, in the development server", async () => {
    const site = sources();
    const args = (port) => ["serve", "-f", "material.yml", "-a", `127.0.0.1:${port}`];
    const dev = await develop(site, "mkdocs", args, "/docs/");
    try {
      page = await reader.visit(browser, dev.url);
      reader.expects(page, [/Enabled live reload/]);
      await reader.press(page, "Control+k");
      assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
      await page.context().close();
      await reader.rebuilt(`${dev.url}findling/`, () =>
        appendFileSync(join(site, "docs/guide/glazes.md"), "\n## Raku\n\nSmoke a raku pot.\n"),
      );
      page = await reader.visit(browser, dev.url);
      reader.expects(page, [/Enabled live reload/]);
      await reader.press(page, "Control+k");
      assert.match((await reader.search(page, "raku"))[0], /Mixing glazes/);
    } finally {
      await page.context().close();
      dev.close();
    }
  });
});
