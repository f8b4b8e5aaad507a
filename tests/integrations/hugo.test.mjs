// A site of Hugo that imports the module, built and served by Hugo.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { launch, open } from "../e2e/lib/browser.mjs";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, develop, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";

const skip = missingPython("hugo");
/** Where Hugo finds the module: as a directory of themes, so that no Go is needed. */
const THEMES = ["--themesDir", join(root, "www/integrations")];

function sources() {
  const site = copy("hugo");
  const name = (path) => path.replace(/^index$/, "_index");
  for (const language of ["en", "de"])
    writeMarkdown(join(site, "content", language), PAGES[language], { title: "field", name });
  return site;
}

/** Builds the index of a directory, as a site's own script does after `hugo`. */
function index(site, directory, output, ...more) {
  const args = ["build", directory, "--output", output, "--encoder", "static", ...more];
  run(site, findling, ["--quiet", ...args, "--client", join(root, "www/dist")]);
}

describe("a reader of a site of Hugo", { skip }, () => {
  let browser;
  let server;
  let page;
  before(async () => {
    const site = sources();
    run(site, "hugo", THEMES);
    index(site, "public", "public/findling", "--exclude", "de");
    index(site, "public/de", "public/de/findling");
    server = await host(join(site, "public"), "/docs/");
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
    await reader.shoot(page, "hugo-light");
    await reader.choose(page, "Cooling down", "**/docs/guide/firing/#cooling-down");
    await reader.ready(page);
    await reader.press(page, "/");
    assert.match((await reader.search(page, "thermocouple"))[0], /Error codes/);
  });

  test("finds nothing of the menus", async () => {
    page = await reader.visit(browser, server.url);
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    page = await reader.visit(browser, server.url);
    await reader.followsTheme(page, "Control+k", () =>
      page.evaluate(() => document.documentElement.classList.add("dark")),
    );
    await reader.search(page, "dunting");
    await reader.shoot(page, "hugo-dark");
  });

  test("finds pages of the language alone", async () => {
    page = await reader.visit(browser, `${server.url}de/guide/firing/`);
    await reader.press(page, "Control+k");
    assert.match((await reader.search(page, "Deckel"))[0], /Den Ofen brennen/);
    assert.deepEqual(await reader.search(page, '"celadon"'), []);
    await reader.search(page, "Deckel");
    await reader.choose(page, "Abkühlen", "**/docs/de/guide/firing/#**");
  });

  test("is told in the development server that there is no index yet, then finds", async () => {
    const site = sources();
    const args = (port) => ["server", ...THEMES, "--port", port, "--disableLiveReload"];
    const before = await develop(site, "hugo", args, "/docs/");
    page = await open(browser, before.url);
    await page.getByText("The search index is not built yet").waitFor();
    await page.context().close();
    before.close();
    run(site, "hugo", THEMES);
    index(site, "public", "static/findling", "--exclude", "de");
    const dev = await develop(site, "hugo", args, "/docs/");
    try {
      page = await reader.visit(browser, dev.url);
      await reader.press(page, "Control+k");
      assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
    } finally {
      await page.context().close();
      dev.close();
    }
  });
});
