// The scripts of docs/analytics.md: what the statistics of a site get when a reader searches.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ask, withSearch } from "../lib/browser.mjs";
import { build, root } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const document = readFileSync(join(root, "docs/analytics.md"), "utf8");

/** The script below a heading. */
const scriptOf = (heading) =>
  /```js\n(.*?)```/s.exec(document.slice(document.indexOf(`## ${heading}\n`)))[1];

/** Stands for the scripts of the statistics: writes down how they are called. */
function stand() {
  window.calls = [];
  const note = (...call) => window.calls.push(call);
  window.plausible = note;
  window._paq = { push: note };
  window.goatcounter = { count: note };
  window.umami = { track: note };
}

const NONE = '"no such phrase"';

/** What each gets of a search, of the choice of its second row, and of a search without answer. */
const EXPECTED = {
  Plausible: (pages, href) => [
    ["Search", { props: { query: "kiln", pages: `${pages}` } }],
    ["Search result", { props: { query: "kiln", href, position: "2" } }],
    ["Search", { props: { query: NONE, pages: "0" } }],
  ],
  Matomo: (pages, href) => [
    [["trackSiteSearch", "kiln", false, pages]],
    [["trackEvent", "Search result", href, "kiln", 2]],
    [["trackSiteSearch", NONE, false, 0]],
  ],
  GoatCounter: (pages, href) => [
    [{ path: "search: kiln", title: `${pages} pages`, event: true }],
    [{ path: "search result: kiln", title: `2: ${href}`, event: true }],
    [{ path: `search without answer: ${NONE}`, title: "0 pages", event: true }],
  ],
  Umami: (pages, href) => [
    ["search", { query: "kiln", pages }],
    ["search-result", { query: "kiln", href, position: 2 }],
    ["search", { query: NONE, pages: 0 }],
  ],
};

describe("a site with statistics", () => {
  const session = new Session(() =>
    serve([build()], {
      "/words": withSearch(`mode="lexical"`),
      "/": withSearch(),
    }),
  );

  /** A page with a script of the document. */
  const visit = async (name, path, options) => {
    const page = await session.visitSearch(path, options);
    await page.evaluate(() => {
      window.told = [];
      addEventListener("findling-settled", ({ detail }) => told.push(detail));
      addEventListener("findling-select", (event) => event.preventDefault());
    });
    await page.addScriptTag({ content: scriptOf(name) });
    return page;
  };
  const told = (page, count) => page.waitForFunction((count) => window.told.length >= count, count);

  /** Searches, pauses, chooses the second page, and searches for what the site does not have. */
  async function read(page) {
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
    await told(page, 1);
    await page.locator("findling-search .page").nth(1).getByRole("option").first().click();
    await told(page, 2);
    await page.keyboard.press("Control+k");
    await ask(page, NONE);
    await page.keyboard.press("Escape");
    await told(page, 3);
    return page.evaluate(() => window.told);
  }

  for (const [name, expected] of Object.entries(EXPECTED)) {
    test(`counts each search and each choice once: ${name}`, async () => {
      const page = await visit(name, "words", { init: stand });
      const [{ pages }, { href }] = await read(page);
      assert.ok(pages > 1);
      const calls = await page.evaluate(() => window.calls);
      assert.deepEqual(calls, expected(pages, href));
    });

    test(`works on where a reader blocks ${name}`, async () => {
      const page = await visit(name, "words");
      assert.equal((await read(page)).length, 3);
    });
  }

  test("counts a search that only far pages are found for as one without answer", async () => {
    const page = await visit("Umami", "", { init: stand });
    await page.evaluate(() => {
      const detail = { query: "zeppelin", pages: 7, answerable: 0.02, href: null, position: null };
      dispatchEvent(new CustomEvent("findling-settled", { detail }));
    });
    const calls = await page.evaluate(() => window.calls);
    assert.deepEqual(calls, [["search", { query: "zeppelin", pages: 0 }]]);
  });

  test("sends each event to a server of its own", async () => {
    const page = await visit("A server of your own", "words", {
      init: () => {
        window.sent = [];
        navigator.sendBeacon = (...sent) => window.sent.push(sent);
      },
    });
    const events = await read(page);
    const sent = await page.evaluate(() => window.sent);
    assert.deepEqual(
      sent.map(([address]) => address),
      ["/searches", "/searches", "/searches"],
    );
    const bodies = sent.map(([, body]) => JSON.parse(body));
    for (const { time } of bodies) assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
    assert.deepEqual(
      bodies.map(({ time: _, ...rest }) => rest),
      events,
    );
  });

  test("gets the members that the document lists, and no others", async () => {
    const page = await visit("Umami", "words");
    const [event] = await read(page);
    const [table] = /\| member of .*?\n\n/s.exec(document);
    const listed = table
      .split("\n")
      .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name))
      .filter((name) => name !== "detail");
    assert.deepEqual(listed.sort(), Object.keys(event).sort());
  });
});
