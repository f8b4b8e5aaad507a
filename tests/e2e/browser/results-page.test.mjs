// The view of a reader in <findling-results>.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expectComplaints, focused, resultsAnswered, withResults } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";
import { HOSTILE_TITLE } from "../lib/site.mjs";

/** A page about wood, for values with levels. */
const wood = (name, topic, updated) => ({
  path: `wood/${name}.html`,
  title: `Wood: ${name}`,
  kind: "wood",
  level: 5,
  updated,
  topic,
  sections: [["", "", `Stoke the kiln with ${name}, which burns slowly.`]],
});

const EXTRA = [
  wood("larch", "Fuel > Softwood > Larch", "2021-01-01"),
  wood("spruce", "Fuel > Softwood > Spruce", "2021-02-01"),
  wood("beech", "Fuel > Hardwood", "2021-03-01"),
  wood("axes", "Tools", "2021-04-01"),
];

describe("a reader on a page of results", () => {
  let page;
  const session = new Session(() => {
    const site = build({ extra: EXTRA });
    const facets = `facets="kind, level, topic, updated" hierarchies="topic"`;
    const attributes = `${facets} sorts="level, level:desc"`;
    return serve([site], {
      "/search": withResults(`${attributes} limit="50"`),
      "/paged": withResults(`${attributes} paging="pages" limit="3"`),
      "/few": withResults(`${attributes} limit="3"`),
      "/late": withResults().replace(/<script type="module"[^>]*><\/script>/, ""),
      "/plain": withResults(`facets="none"`),
      "/recent": withResults(`${attributes} order="recent" limit="50"`),
      "/rtl": withResults(attributes).replace('lang="en"', 'lang="ar" dir="rtl"'),
    });
  });

  const visit = async (path, options) => {
    page = await session.visitResults(path, options);
  };
  const answered = () => resultsAnswered(page);
  const titles = () => page.locator("findling-results .list h3 a").allInnerTexts();
  const box = () => page.getByRole("searchbox");
  const summary = () => page.locator("findling-results h2.summary");
  const parameters = () => Object.fromEntries(new URL(page.url()).searchParams);
  const check = async (name) => {
    await page.getByRole("checkbox", { name }).click();
    await answered();
  };
  /** Waits until the list has changed to so many items. */
  const listed = (count) =>
    page.waitForFunction((count) => {
      const { shadowRoot } = document.querySelector("findling-results");
      return (
        shadowRoot.querySelectorAll(".list > li").length === count &&
        shadowRoot.querySelector("[aria-busy=false]")
      );
    }, count);

  test("sees what a link to the page asks for", async () => {
    await visit("search?q=pinholes");
    assert.equal((await titles())[0], "Glazing");
    assert.equal(await box().inputValue(), "pinholes");
    assert.match(await summary().innerText(), /^[1-9]\d* pages?, [1-9]\d* sections?$/);
    const first = page.locator("findling-results .list > li").first();
    for (const text of await first.locator("mark").allInnerTexts())
      assert.match(text, /^pinholes$/i);
  });

  test("types a query, which the address then has, without steps in the history", async () => {
    await visit("search?utm=1");
    const steps = await page.evaluate(() => history.length);
    await box().pressSequentially("thermocouple", { delay: 5 });
    await page.waitForURL(/q=thermocouple/);
    await answered();
    assert.equal((await titles())[0], "Thermocouple");
    assert.deepEqual(parameters(), { utm: "1", q: "thermocouple" });
    assert.equal(await page.evaluate(() => history.length), steps);
  });

  test("filters by values, takes one back by its chip, and goes back and forward", async () => {
    await visit("search?q=kiln");
    const all = await titles();
    const count = (name) =>
      page.getByRole("checkbox", { name }).locator("xpath=..").locator("small").innerText();
    const [faq, guide] = [Number(await count(/^faq/)), Number(await count(/^guide/))];
    await check(/^faq/);
    await listed(faq);
    assert.deepEqual(parameters(), { q: "kiln", "f.kind": "faq" });
    // The counts of other values show the number of pages that each would add.
    assert.equal(Number(await count(/^guide/)), guide);
    await check(/^guide/);
    await listed(faq + guide);
    await page.getByRole("button", { name: "Remove filter: kind: faq" }).click();
    await listed(guide);
    await page.goBack();
    await listed(faq + guide);
    assert.equal(await page.getByRole("checkbox", { name: /^faq/ }).isChecked(), true);
    await page.goBack();
    await page.goBack();
    await listed(all.length);
    assert.deepEqual(await titles(), all);
    await page.goForward();
    await listed(faq);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await listed(all.length);
  });

  test("filters by a range of numbers and by dates", async () => {
    await visit("search?q=kiln");
    const level = page.getByRole("group", { name: "level" });
    assert.equal(await level.getByLabel("From").getAttribute("placeholder"), "1");
    await level.getByLabel("From").fill("5");
    await level.getByLabel("From").press("Enter");
    await listed(EXTRA.length);
    assert.deepEqual(parameters(), { q: "kiln", "f.level": "5.." });
    const updated = page.getByRole("group", { name: "updated" });
    await updated.getByLabel("To").fill("2021-02-15");
    await updated.getByLabel("To").blur();
    await listed(2);
    assert.deepEqual((await titles()).sort(), ["Wood: larch", "Wood: spruce"]);
    await page.getByRole("button", { name: /^Remove filter: level/ }).waitFor();
  });

  test("filters by a branch of values with levels, also from a link", async () => {
    await visit("search?q=kiln");
    const topic = page.getByRole("group", { name: "topic" });
    await topic.getByRole("checkbox", { name: /^Fuel/ }).click();
    await listed(3);
    await topic.getByRole("button", { name: "Fuel" }).click();
    await topic.getByRole("checkbox", { name: /^Softwood/ }).click();
    await listed(2);
    assert.deepEqual(parameters(), { q: "kiln", "f.topic": "Fuel > Softwood" });
    await page.reload();
    await listed(2);
    assert.deepEqual((await titles()).sort(), ["Wood: larch", "Wood: spruce"]);
    assert.equal(await topic.getByRole("checkbox", { name: /^Softwood/ }).isChecked(), true);
  });

  test("gets a whole branch after asking for less, also of values not seen before", async () => {
    await visit("search?q=kiln&f.updated=..2021-02-15");
    await listed(2);
    await page
      .getByRole("group", { name: "topic" })
      .getByRole("checkbox", { name: /^Fuel/ })
      .click();
    await page.waitForURL(/f\.topic=Fuel/);
    await listed(2);
    await page.getByRole("button", { name: /^Remove filter: updated/ }).click();
    await listed(3);
    assert.deepEqual((await titles()).sort(), ["Wood: beech", "Wood: larch", "Wood: spruce"]);
    // A chosen branch without a page in the answer can still be deselected.
    await visit("search?q=glaze&f.topic=Fuel");
    await page.getByRole("checkbox", { name: /^Fuel/ }).click();
    await page.waitForURL((url) => !url.searchParams.has("f.topic"));
    await answered();
    assert.ok((await titles()).includes("Glazing"));
  });

  test("takes back a filter of a link that the site does not have, or has otherwise", async () => {
    for (const [parameter, chip, message] of [
      ["f.colour=red", "colour: red", /unknown-attribute: .*`colour`/],
      ["f.level=high..", "level: \u2265 high", /filter: .*level/],
      ["f.kind=none", "kind: none", undefined],
    ]) {
      await visit(`paged?q=kiln&${parameter}`);
      if (message) {
        // The console has what the site's owner needs to know.
        expectComplaints(page, message);
        await page.locator("findling-results .error").getByText("Filters are set").waitFor();
      }
      assert.deepEqual(await titles(), []);
      const status = await page.getByRole("status").innerText();
      assert.match(status, message ? /Filters are set/ : /No results/);
      await page.getByRole("button", { name: `Remove filter: ${chip}` }).click();
      await listed(3);
      assert.deepEqual(parameters(), { q: "kiln" });
    }
  });

  test("sees no rest of an answer beside an error", async () => {
    await visit("few?q=kiln");
    await page.getByRole("button", { name: "More results" }).waitFor();
    await page.evaluate(() => {
      history.pushState(null, "", "?q=kiln&f.colour=red");
      dispatchEvent(new PopStateEvent("popstate"));
    });
    await page.locator("findling-results .error").waitFor();
    expectComplaints(page, /findling: unknown-attribute: /);
    assert.equal(await page.getByRole("button", { name: "More results" }).isVisible(), false);
    assert.equal(await summary().isVisible(), false);
  });

  test("sees which order the site has, chooses another, and keeps it by the address", async () => {
    const chosen = () =>
      page.getByLabel("Sort by").evaluate((select) => select.selectedOptions[0].textContent);
    await visit("recent?q=kiln");
    const newest = await titles();
    assert.equal(await chosen(), "Newest first");
    await page.getByLabel("Sort by").selectOption("Relevance");
    await page.waitForURL(/sort=relevance/);
    await answered();
    const relevant = await titles();
    assert.notDeepEqual(relevant, newest);
    assert.deepEqual([...relevant].sort(), [...newest].sort());
    await page.reload();
    await answered();
    assert.deepEqual(await titles(), relevant);
    assert.equal(await chosen(), "Relevance");
    await page.getByLabel("Sort by").selectOption("Newest first");
    await page.waitForURL((url) => !url.searchParams.has("sort"));
    await answered();
    assert.deepEqual(await titles(), newest);
    // Later changes by the site are shown as well.
    const order = (name) =>
      page.evaluate((name) => {
        document.querySelector("findling-results").setAttribute("order", name);
      }, name);
    await order("relevance");
    await answered();
    assert.equal(await chosen(), "Relevance");
    assert.deepEqual(await titles(), relevant);
  });

  test("orders by date and by an attribute", async () => {
    await visit("search?q=kiln");
    await page.getByLabel("Sort by").selectOption("Newest first");
    await page.waitForURL(/sort=newest/);
    await answered();
    const newest = await titles();
    for (const title of ["Wood: axes", "Wood: larch"]) assert.ok(newest.includes(title), title);
    assert.ok(newest.indexOf("Wood: axes") < newest.indexOf("Wood: larch"));
    await page.getByLabel("Sort by").selectOption("level, highest first");
    await page.waitForURL(/sort=level/);
    await answered();
    assert.match((await titles())[0], /^Wood/);
  });

  test("sees an item for each section if grouped by section", async () => {
    await visit("search?q=kiln");
    const pages = (await titles()).length;
    await page.getByLabel("Group by").selectOption("Section");
    await page.waitForURL(/group=section/);
    await answered();
    assert.ok((await titles()).length > pages);
    assert.equal(await page.locator("findling-results .subs").count(), 0);
  });

  test("gets more results, the first of which has the focus, and finds them again", async () => {
    await visit("few?q=kiln");
    const before = await titles();
    assert.equal(before.length, 3);
    await page.getByRole("button", { name: "More results" }).click();
    await listed(6);
    const all = await titles();
    assert.deepEqual(all.slice(0, 3), before);
    assert.equal(await focused(page, ({ innerText }) => innerText), all[3]);
    await page.reload();
    await listed(6);
    assert.deepEqual(await titles(), all);
  });

  test("goes to another page of results by its number, and back", async () => {
    await visit("paged?q=kiln");
    const first = await titles();
    const pages = page.getByRole("navigation", { name: "Pages of results" });
    assert.equal(
      await pages.getByRole("link", { name: "Page 1" }).getAttribute("aria-current"),
      "page",
    );
    await pages.getByRole("link", { name: "Page 2" }).click();
    await page.waitForURL(/page=2/);
    await answered();
    await page.waitForFunction(
      (title) =>
        document.querySelector("findling-results").shadowRoot.querySelector("h3 a").innerText !==
        title,
      first[0],
    );
    const second = await titles();
    assert.equal(first.length, 3);
    assert.equal(second.length, 3);
    assert.deepEqual(
      first.filter((title) => second.includes(title)),
      [],
    );
    await page.goBack();
    await page.waitForFunction(
      (title) =>
        document.querySelector("findling-results").shadowRoot.querySelector("h3 a").innerText ===
        title,
      first[0],
    );
    // Another query begins with its first page.
    await pages.getByRole("link", { name: "Next page" }).click();
    await page.waitForURL(/page=2/);
    await box().fill("glaze");
    await box().press("Enter");
    await page.waitForURL(/q=glaze/);
    assert.equal(parameters().page, undefined);
  });

  test("hears how much was found, and that nothing was", async () => {
    await visit("search?q=pinholes");
    const status = page.getByRole("status");
    assert.match(await status.innerText(), /^[1-9]\d* pages?/);
    await box().fill('"no such phrase"');
    await page.getByRole("heading", { name: /no such phrase/ }).waitFor();
    assert.match(await status.innerText(), /no such phrase/);
  });

  test("sees text from the index as text, and no address that is a script", async () => {
    await visit("search?q=quokka");
    assert.ok((await titles()).includes(HOSTILE_TITLE));
    assert.equal(await page.locator("findling-results .list :is(img, script, b)").count(), 0);
    await box().fill("wombat");
    await box().press("Enter");
    await page.locator("findling-results").getByText("Wombat record").first().waitFor();
    assert.equal((await titles())[0], "Wombat record");
    const links = page.locator("findling-results .list a");
    for (const href of await links.evaluateAll((found) => found.map((link) => link.href)))
      assert.doesNotMatch(href, /^javascript:/i);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
  });

  test("opens a result, which the site may do by itself", async () => {
    await visit("search?q=dunting");
    await page.evaluate(() => {
      document.addEventListener(
        "findling-select",
        (event) => {
          event.preventDefault();
          window.chosen = event.detail.href;
        },
        { once: true },
      );
    });
    await page.locator("findling-results .list a").first().click();
    assert.equal(
      await page.evaluate(() => window.chosen),
      session.address("faq/pots.html#dunting"),
    );
    await page.locator("findling-results .list a").first().click();
    await page.waitForURL(/pots\.html/);
    await page.goBack();
    await answered();
    assert.equal(await box().inputValue(), "dunting");
  });

  test("sees nothing jump while the first answer comes", async () => {
    await visit("search?q=kiln", {
      init: () => {
        window.shifts = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            if (!entry.hadRecentInput) shifts.push(entry.value);
        }).observe({ type: "layout-shift", buffered: true });
      },
    });
    await page.waitForTimeout(500);
    const shift = await page.evaluate(() => shifts.reduce((sum, value) => sum + value, 0));
    assert.ok(shift < 0.02, `a layout shift of ${shift}`);
  });

  test("keeps the focus where a chip leads to nothing found, and what is being typed", async () => {
    await visit('search?q="no such phrase"&f.kind=faq');
    await page.getByRole("button", { name: "Remove filter: kind: faq" }).click();
    await page.waitForURL((url) => !url.searchParams.has("f.kind"));
    await answered();
    assert.equal(await focused(page, ({ name }) => name), "q");
    await box().fill("kiln");
    const from = page.getByRole("group", { name: "level" }).getByLabel("From");
    await from.pressSequentially("5");
    await page.waitForURL(/q=kiln/);
    await answered();
    assert.equal(await from.inputValue(), "5");
  });

  test("adds results once, however often the button is clicked", async () => {
    await visit("few?q=kiln");
    await page.getByRole("button", { name: "More results" }).evaluate((more) => {
      more.click();
      more.click();
    });
    await listed(6);
    assert.equal(parameters().page, "2");
    const all = await titles();
    assert.equal(new Set(all).size, all.length);
  });

  test("gets other results if the site names another bundle, or other options", async () => {
    await visit("search?q=kiln");
    const count = (await titles()).length;
    const links = () =>
      page
        .locator("findling-results .list h3 a")
        .evaluateAll((found) => found.map((link) => link.href));
    await page.evaluate(() => {
      document.querySelector("findling-results").options = { site: "https://example.org/moved/" };
    });
    await page.locator('findling-results a[href^="https://example.org/moved/"]').first().waitFor();
    await listed(count);
    await page.evaluate(() => {
      const element = document.querySelector("findling-results");
      element.options = {};
      element.setAttribute("site", "/elsewhere/");
    });
    await page.locator('findling-results a[href*="/elsewhere/"]').first().waitFor();
    await listed(count);
    assert.ok((await links()).every((href) => href.startsWith(session.address("elsewhere/"))));
  });

  test("gets what was set before the script came, and no attribute is a property", async () => {
    page = await session.visit("late?q=kiln");
    await page.evaluate(async () => {
      const element = document.querySelector("findling-results");
      element.options = { site: "https://example.org/early/" };
      element.labels = { search: "Find" };
      await import("/findling/findling-results.js");
    });
    await answered();
    await page.locator('findling-results a[href^="https://example.org/early/"]').first().waitFor();
    assert.equal(await box().getAttribute("aria-label"), "Find");
    // Frameworks set properties as properties, not as attributes.
    const properties = await page.evaluate(async () => {
      await import("/findling/findling-related.js");
      const documented =
        "bundle site encoder theme mode order limit facets placeholder highlight inline shortcut " +
        "keys results history assistants sorts hierarchies paging missing page list";
      return ["search", "results", "related"].flatMap((name) => {
        const element = document.createElement(`findling-${name}`);
        return documented.split(" ").filter((attribute) => attribute in element);
      });
    });
    assert.deepEqual(properties, []);
  });

  test("finds the filters closed above the results on a phone", async () => {
    await visit("search?q=kiln", { viewport: { width: 390, height: 800 } });
    const filters = page.locator("findling-results details");
    assert.equal(await filters.getAttribute("open"), null);
    await filters.locator("summary").click();
    await check(/^faq/);
    await page.getByRole("button", { name: "Remove filter: kind: faq" }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width} pixels wide`);
  });

  test("reads the whole page at a zoom of 200 %", async () => {
    // As wide as a window of 1280 pixels at that zoom.
    await visit("search?q=kiln", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 640, `${width} pixels wide`);
  });

  test("sees no filters where the site wants none", async () => {
    await visit("plain?q=kiln");
    assert.equal(await page.getByRole("checkbox").count(), 0);
    assert.ok((await titles()).length > 3);
  });

  test("prints the results with their addresses and without controls", async () => {
    await visit("search?q=dunting");
    await page.emulateMedia({ media: "print" });
    assert.equal(await box().isVisible(), false);
    assert.equal(await page.getByRole("checkbox", { name: /^faq/ }).isVisible(), false);
    const address = page.locator("findling-results .address").first();
    assert.equal(await address.innerText(), session.address("faq/pots.html#dunting"));
  });

  test("reads the page in the language of the page, mirrored", async () => {
    await visit("rtl?q=kiln");
    await page.getByLabel("ترتيب حسب").waitFor();
    const filters = await page.locator("findling-results details").boundingBox();
    const list = await page.locator("findling-results .list").boundingBox();
    assert.ok(filters.x > list.x, "filters are on the right");
  });
});
