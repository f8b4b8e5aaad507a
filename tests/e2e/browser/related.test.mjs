// Suggestions on a page of the site: similar pages, and pages instead of a missing one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expectComplaints, withRelated, withResults, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { gate, serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("a reader of a page", () => {
  let page;
  const session = new Session(() => {
    const site = build();
    const far = `<div style="block-size: 300vh"></div>`;
    return serve([site], {
      "/guide/glaze.html": withRelated(`limit="3"`),
      "/far": withRelated(`page="guide/glaze.html"`, far),
      "/unknown": withRelated(),
      "/both": withRelated(`page="guide/glaze.html"`, "", "<findling-search></findling-search>"),
      "/changed": withSearch(`bundle="/nowhere/"`),
      "/again": withSearch(),
      "/search": withResults(),
      "/gone/firing-costs.html": withResults(`missing facets="none"`),
    });
  });

  const related = () => page.getByRole("navigation", { name: "Related pages" });

  test("finds links to three pages like it, and not to itself", async () => {
    page = await session.visit("guide/glaze.html");
    await related().waitFor();
    const links = await related()
      .getByRole("link")
      .evaluateAll((found) => found.map(({ href }) => new URL(href).pathname));
    assert.equal(links.length, 3);
    assert.ok(!links.includes("/guide/glaze.html"), links.join(" "));
    await related().getByRole("link").first().click();
    await page.waitForURL(session.address(links[0].slice(1)));
  });

  test("tells the site of a chosen link, and goes there unless the site does", async () => {
    page = await session.visit("guide/glaze.html");
    const link = related().getByRole("link").first();
    await link.waitFor();
    await page.evaluate(() => {
      window.told = [];
      addEventListener("findling-select", (event) => {
        event.preventDefault();
        const { href, page, section } = event.detail;
        told.push({ href, title: page.title, section });
      });
    });
    await link.click();
    const href = await link.evaluate((link) => link.href);
    assert.deepEqual(await page.evaluate(() => told), [
      { href, title: await link.innerText(), section: undefined },
    ]);
    assert.equal(page.url(), session.address("guide/glaze.html"));
  });

  test("fetches nothing for them before they come near", async () => {
    session.server.log.length = 0;
    page = await session.visit("far");
    await page.locator("findling-related:defined").waitFor({ state: "attached" });
    await page.waitForTimeout(300);
    const scripts = ["/findling/findling-related.js", "/findling/findling-ui.js"];
    assert.deepEqual(
      session.server.log.filter((path) => path.startsWith("/findling/")),
      scripts,
    );
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await related().waitFor();
  });

  test("sees nothing where the index does not have the page", async () => {
    page = await session.visit("unknown");
    await page.waitForTimeout(800);
    assert.equal(await related().count(), 0);
    assert.equal((await page.locator("findling-related").innerText()).trim(), "");
  });

  test("gets pages in place of one that does not exist", async () => {
    page = await session.visitResults("gone/firing-costs.html");
    assert.equal(await page.getByRole("searchbox").inputValue(), "gone firing costs");
    const titles = await page.locator("findling-results .list h3 a").allInnerTexts();
    assert.ok(titles.slice(0, 2).includes("What does a firing cost?"), titles.join(", "));
    // The address of the missing page stays, until something else is searched for.
    assert.equal(page.url(), session.address("gone/firing-costs.html"));
  });

  test("shares one index between the elements of a page", async () => {
    session.server.log.length = 0;
    page = await session.visit("both");
    await related().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("pinholes");
    await page.getByRole("option").first().waitFor();
    const engines = session.server.log.filter((path) => path.endsWith("findling_engine.wasm"));
    assert.equal(engines.length, 1);
  });

  test("keeps the bundle that it asked for last, also if an earlier one fails later", async () => {
    const late = gate((path) => path.startsWith("/nowhere/"));
    session.server.hold = late.hold;
    page = await session.visit("changed");
    expectComplaints(page, /nowhere/);
    await page.evaluate(async () => {
      await customElements.whenDefined("findling-search");
      window.element = document.querySelector("findling-search");
      window.failed = element.index.catch(({ code }) => code);
      element.setAttribute("bundle", "/findling/");
      window.last = await element.index;
    });
    late.open();
    assert.equal(await page.evaluate(() => failed), "not-found");
    const code = await page.evaluate(async () => {
      if ((await element.index) !== last) return "another index";
      element.remove();
      return last.search("kiln").then(
        () => "open",
        ({ code }) => code,
      );
    });
    assert.equal(code, "closed", "the element held one index, which it closed");
  });

  test("shares an index with what came later, also if an earlier opening fails", async () => {
    let held = true;
    const late = gate((path) => held && path === "/findling/findling.idx");
    session.server.hold = late.hold;
    page = await session.visit("again");
    expectComplaints(page, /findling\.idx/);
    await page.evaluate(async () => {
      await customElements.whenDefined("findling-search");
      window.element = document.querySelector("findling-search");
      window.failed = element.index.catch(({ code }) => code);
    });
    while (!session.server.log.includes("/findling/findling.idx")) await page.waitForTimeout(10);
    held = false;
    await page.evaluate(async () => {
      element.remove();
      document.body.append(element);
      window.last = await element.index;
    });
    session.server.missing = /findling\.idx/;
    late.open();
    assert.equal(await page.evaluate(() => failed), "not-found");
    session.server.missing = undefined;
    const isShared = await page.evaluate(async () => {
      const other = document.createElement("findling-search");
      document.body.append(other);
      return (await other.index) === last;
    });
    assert.equal(isShared, true);
  });

  test("keeps its search where a part of it leaves the page", async () => {
    page = await session.visit("both");
    await related().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("pinholes");
    await page.getByRole("option").first().waitFor();
    await page.evaluate(() => document.querySelector("findling-related").remove());
    await page.getByRole("combobox").fill("thermocouple");
    await page.getByRole("option").filter({ hasText: "Thermocouple" }).first().waitFor();
  });
});
