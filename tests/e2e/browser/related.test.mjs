// What a page of the site offers by itself: pages like it, and pages instead of one that is gone.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { launch, open, withResults, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";

const withRelated = (attributes, before = "") =>
  withResults("", "")
    .replace(/<main>.*<\/main>/s, `<main><h1>A page</h1>${before}</main>`)
    .replace("findling-results.js", "findling-related.js")
    .replace("</main>", `<findling-related ${attributes}></findling-related></main>`);

describe("a reader of a page", () => {
  let browser;
  let server;
  let page;
  before(async () => {
    const site = build();
    const far = `<div style="block-size: 300vh"></div>`;
    server = await serve([site], {
      "/guide/glaze.html": withRelated(`limit="3"`),
      "/far": withRelated(`page="guide/glaze.html"`, far),
      "/unknown": withRelated(""),
      "/search": withResults(),
      "/gone/firing-costs.html": withResults(`missing facets="none"`),
    });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => page.context().close());

  const related = () => page.getByRole("navigation", { name: "Related pages" });

  test("finds links to three pages like it, and not to itself", async () => {
    page = await open(browser, `${server.url}guide/glaze.html`);
    await related().waitFor();
    const links = await related()
      .getByRole("link")
      .evaluateAll((found) => found.map(({ href }) => new URL(href).pathname));
    assert.equal(links.length, 3);
    assert.ok(!links.includes("/guide/glaze.html"), links.join(" "));
    await related().getByRole("link").first().click();
    await page.waitForURL(`${server.url}${links[0].slice(1)}`);
  });

  test("fetches nothing for them before they come near", async () => {
    server.log.length = 0;
    page = await open(browser, `${server.url}far`);
    await page.locator("findling-related:defined").waitFor({ state: "attached" });
    await page.waitForTimeout(300);
    const scripts = ["/findling/findling-related.js", "/findling/findling-ui.js"];
    assert.deepEqual(
      server.log.filter((path) => path.startsWith("/findling/")),
      scripts,
    );
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await related().waitFor();
  });

  test("sees nothing where the index does not have the page", async () => {
    page = await open(browser, `${server.url}unknown`);
    await page.waitForTimeout(800);
    assert.equal(await related().count(), 0);
    assert.equal((await page.locator("findling-related").innerText()).trim(), "");
  });

  test("gets pages in place of one that does not exist", async () => {
    page = await open(browser, `${server.url}gone/firing-costs.html`);
    await page.locator("findling-results .answered").waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "gone firing costs");
    const titles = await page.locator("findling-results .list h3 a").allInnerTexts();
    assert.ok(titles.slice(0, 2).includes("What does a firing cost?"), titles.join(", "));
    // The address stays that of the missing page, until something else is searched for.
    assert.equal(page.url(), `${server.url}gone/firing-costs.html`);
  });

  test("shares one index between the elements of a page", async () => {
    server.pages["/both"] = withRelated(`page="guide/glaze.html"`).replace(
      "</main>",
      "<findling-search></findling-search></main>",
    );
    server.log.length = 0;
    page = await open(browser, `${server.url}both`);
    await related().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("pinholes");
    await page.getByRole("option").first().waitFor();
    const engines = server.log.filter((path) => path.endsWith("findling_engine.wasm"));
    assert.equal(engines.length, 1);
  });

  test("keeps its search where a part of it leaves the page", async () => {
    server.pages["/both"] = withRelated(`page="guide/glaze.html"`).replace(
      "</main>",
      "<findling-search></findling-search></main>",
    );
    page = await open(browser, `${server.url}both`);
    await related().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("pinholes");
    await page.getByRole("option").first().waitFor();
    await page.evaluate(() => document.querySelector("findling-related").remove());
    await page.getByRole("combobox").fill("thermocouple");
    await page.getByRole("option").filter({ hasText: "Thermocouple" }).first().waitFor();
  });
});

describe("a page with a strict policy", () => {
  let browser;
  let server;
  before(async () => {
    server = await serve([build()], {
      "/search": withResults(),
      "/box": withSearch(),
      "/related": withRelated(`page="guide/glaze.html"`),
    });
    server.headers = {
      "content-security-policy":
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; " +
        "worker-src 'self'; img-src data:",
    };
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  for (const [path, ready] of [
    ["search?q=kiln", "findling-results .answered .list > li"],
    ["related", "findling-related li"],
    ["box", "findling-search .trigger"],
  ])
    test(`shows /${path} without a violation`, async () => {
      const page = await open(browser, `${server.url}${path}`);
      // A violation would be a complaint of the browser.
      await page.locator(ready).first().waitFor();
      await page.context().close();
    });
});
