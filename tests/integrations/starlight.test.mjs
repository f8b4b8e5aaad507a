// A site of Starlight, built and served by Astro.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { expectComplaints, launch } from "../e2e/lib/browser.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, develop, missing, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";

const skip = missing("starlight");

function sources() {
  const site = copy("starlight");
  writeMarkdown(join(site, "src/content/docs"), PAGES.en, { title: "field" });
  writeMarkdown(join(site, "src/content/docs/de"), PAGES.de, { title: "field" });
  return site;
}

describe("a reader of a site of Starlight", { skip }, () => {
  let browser;
  let site;
  let server;
  let page;
  before(async () => {
    site = sources();
    run(site, "astro", ["build"]);
    server = await host(join(site, "dist"), "/docs/");
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => page.context().close());

  test("finds the page and the heading, and goes there", async () => {
    page = await reader.visit(browser, server.url);
    await reader.press(page, "Control+k");
    assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
    await reader.shoot(page, "starlight-light");
    await reader.choose(page, "Cooling down", "**/docs/guide/firing/#cooling-down");
    await page.getByRole("heading", { name: "Cooling down" }).waitFor();
    await reader.ready(page);
    await reader.press(page, "/");
    assert.match((await reader.search(page, "thermocouple"))[0], /Error codes/);
    await reader.choose(page, "E17", "**/docs/reference/errors/#e17");
  });

  test("finds nothing of the menus", async () => {
    page = await reader.visit(browser, `${server.url}guide/firing/`);
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    page = await reader.visit(browser, server.url);
    await reader.followsTheme(page, "Control+k", () =>
      page.locator("starlight-theme-select select").first().selectOption("dark"),
    );
    await reader.search(page, "dunting");
    await reader.shoot(page, "starlight-dark");
  });

  test("finds pages of the language alone", async () => {
    page = await reader.visit(browser, `${server.url}de/guide/firing/`);
    await reader.press(page, "Control+k");
    assert.match((await reader.search(page, "Deckel"))[0], /Den Ofen brennen/);
    await reader.choose(page, "Abkühlen", "**/docs/de/guide/firing/#**");
  });

  test("is told in the development server that there is no index yet, then finds", async () => {
    const source = sources();
    const args = (port) => ["dev", "--port", port, "--host", "127.0.0.1"];
    const dev = await develop(source, "astro", args, "/docs/");
    try {
      page = await reader.visit(browser, dev.url);
      expectComplaints(page, /\[vite\] connect/, /findling\.idx/, /\[astro\]/);
      await reader.press(page, "Control+k");
      await reader.search(page, "dunting");
      await page.getByText("The search index is not built yet").first().waitFor();
      cpSync(join(site, "dist"), join(source, "dist"), { recursive: true });
      await page.reload();
      await reader.ready(page);
      await reader.press(page, "Control+k");
      assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
    } finally {
      await page.context().close();
      dev.close();
    }
  });
});
