// Sites of Sphinx with its common themes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { launch } from "../e2e/lib/browser.mjs";
import { PAGES, writeRst } from "./lib/content.mjs";
import { copy, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";

const skip = missingPython("sphinx-build");

/** What the theme writes to the console of every page, with or without the search. */
const SAYS = { pydata_sphinx_theme: [/theme mode/, /\[PST\]/] };
/** Makes a page dark, where the theme can. */
const TO_DARK = {
  furo: async (page) => {
    reader.expects(page, [/Changed to dark mode/]);
    await page.locator(".theme-toggle:visible").first().click();
  },
  // The attribute that the theme's menu sets.
  pydata_sphinx_theme: (page) =>
    page.evaluate(() => document.documentElement.setAttribute("data-theme", "dark")),
};

for (const theme of ["furo", "sphinx_rtd_theme", "pydata_sphinx_theme", "alabaster"])
  describe(`a reader of a site of Sphinx with the theme ${theme}`, { skip }, () => {
    let browser;
    let server;
    let page;
    before(async () => {
      const site = copy("sphinx");
      writeRst(site, PAGES.en);
      run(site, "sphinx-build", ["-W", "-q", ".", "built"], { FIXTURE_THEME: theme });
      server = await host(join(site, "built"), "/docs/");
      browser = await launch();
    });
    after(async () => {
      await browser?.close();
      await server?.close();
    });
    afterEach(() => page.context().close());

    const visit = async (path) => {
      page = await reader.visit(browser, `${server.url}${path}`);
      reader.expects(page, SAYS[theme] ?? []);
    };

    test("finds the page and the heading, and goes there", async () => {
      await visit("reference/errors.html");
      await reader.press(page, "/");
      assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
      await reader.shoot(page, `sphinx-${theme}-light`);
      await reader.choose(page, "Cooling down", "**/docs/guide/firing.html#cooling-down");
      await page.getByRole("heading", { name: "Cooling down" }).waitFor();
      await reader.ready(page);
      await reader.press(page, "Control+k");
      assert.match((await reader.search(page, "thermocouple"))[0], /Error codes/);
      await reader.choose(page, "E17", "**/docs/reference/errors.html#e17");
    });

    test("finds nothing around the pages", async () => {
      await visit("guide/firing.html");
      await reader.press(page, "/");
      await reader.findsNoFrame(page);
    });

    if (!TO_DARK[theme]) return;
    test("sees the search in the colours of the page", async () => {
      await visit("index.html");
      await reader.followsTheme(page, "Control+k", () => TO_DARK[theme](page));
      await reader.search(page, "dunting");
      await reader.shoot(page, `sphinx-${theme}-dark`);
    });
  });
