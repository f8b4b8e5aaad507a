// A VitePress site, built and served by VitePress.

import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { expectComplaints, launch } from "../e2e/lib/browser.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, develop, missing, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";

const skip = missing("vitepress");

describe("a reader of a VitePress site", { skip }, () => {
  let browser;
  let site;
  let server;
  let page;
  before(async () => {
    site = copy("vitepress");
    writeMarkdown(site, PAGES.en);
    writeMarkdown(join(site, "de"), PAGES.de);
    run(site, "vitepress", ["build"]);
    server = await host(join(site, ".vitepress/dist"), "/docs/");
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => page.context().close());

  test("finds the page and the heading, and goes there without a reload", async () => {
    page = await reader.visit(browser, server.url);
    await reader.mark(page);
    await reader.press(page, "Control+k");
    const [first] = await reader.search(page, "dunting");
    assert.match(first, /Firing the kiln/);
    await reader.shoot(page, "vitepress-light");
    await reader.choose(page, "Cooling down", "**/docs/guide/firing.html#cooling-down");
    await page.getByRole("heading", { name: "Cooling down" }).waitFor();
    assert.ok(await reader.isMarked(page));
    await reader.press(page, "/");
    assert.match((await reader.search(page, "thermocouple"))[0], /Error codes/);
  });

  test("finds nothing of the menus", async () => {
    page = await reader.visit(browser, `${server.url}guide/firing.html`);
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    page = await reader.visit(browser, server.url, { viewport: { width: 1400, height: 800 } });
    await reader.followsTheme(page, "Control+k", () =>
      page.locator("button.VPSwitchAppearance").first().click(),
    );
    await reader.search(page, "dunting");
    await reader.shoot(page, "vitepress-dark");
  });

  test("finds pages of the language alone, also after changing it", async () => {
    page = await reader.visit(browser, server.url);
    await page.evaluate(() => {
      const link = [...document.querySelectorAll("a")].find((a) => a.pathname === "/docs/de/");
      link.click();
    });
    await page.waitForURL("**/docs/de/");
    await reader.ready(page);
    await reader.press(page, "Control+k");
    assert.match((await reader.search(page, "Deckel"))[0], /Den Ofen brennen/);
    assert.deepEqual(await reader.search(page, `"celadon"`), []);
  });

  test("finds what is being written, in the development server", async () => {
    const source = copy("vitepress");
    writeMarkdown(source, PAGES.en);
    writeMarkdown(join(source, "de"), PAGES.de);
    const dev = await develop(source, "vitepress", (port) => ["dev", "--port", port], "/docs/");
    try {
      page = await reader.visit(browser, dev.url);
      expectComplaints(page, /\[vite\] connect/, /favicon\.ico/);
      await reader.press(page, "Control+k");
      assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
      await reader.choose(page, "Cooling down", "**/docs/guide/firing.html#cooling-down");
      await reader.rebuilt(`${dev.url}findling/`, () =>
        appendFileSync(join(source, "guide/glazes.md"), "\n## Raku\n\nSmoke a raku pot.\n"),
      );
      await page.reload();
      await reader.ready(page);
      await reader.press(page, "Control+k");
      assert.match((await reader.search(page, "raku"))[0], /Mixing glazes/);
    } finally {
      await page.context().close();
      dev.close();
    }
  });
});
