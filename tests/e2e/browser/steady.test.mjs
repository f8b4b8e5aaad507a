// Rows that a reader looks at stay where they are when a later part of the answer arrives.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { answered, still, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("when meaning joins the words, a reader", () => {
  let page;
  const session = new Session(() => serve([build()], { "/": withSearch() }));
  beforeEach(async () => {
    page = await session.visitSearch();
  });

  /**
   * Requests the whole answer, which waits until `join` is called. With `turned`, its pages are in
   * the reverse order of the answer by words, so that rows would move if they could.
   */
  const askWords = async (turned) => {
    await page.evaluate(async (turned) => {
      const element = document.querySelector("findling-search");
      element.show();
      const index = await element.index;
      const search = index.search.bind(index);
      let words = [];
      const joined = new Promise((resolve) => {
        window.join = resolve;
      });
      index.search = async (query, options) => {
        if (options.mode === "lexical") {
          const response = await search(query, options);
          words = response.results;
          return response;
        }
        await joined;
        const response = await search(query, options);
        const ids = new Set(words.map(({ id }) => id));
        const others = response.results.filter(({ id }) => !ids.has(id));
        const pages = [...(turned ? words.toReversed() : words), ...others];
        // The first is clearly better than the others.
        const results = pages.map((page, i) => ({ ...page, score: 1 / (i + 1) }));
        return { ...response, results };
      };
    }, turned);
    await page.getByRole("combobox").fill("kiln");
    await page.getByRole("option").first().waitFor();
    // Longer than the pause after the last key.
    await page.waitForTimeout(400);
    await still(page);
  };
  const join = async () => {
    await page.evaluate(() => window.join());
    await answered(page);
    await page.waitForTimeout(400);
    await still(page);
  };
  /** The rows of the words: their pages, where they are, and whether they are the same elements. */
  const rows = () =>
    page.locator("findling-search .page").evaluateAll((found) =>
      found.slice(0, 5).map((row) => {
        row.known ??= Math.random();
        const { top } = row.getBoundingClientRect();
        return {
          known: row.known,
          top: Math.round(top),
          title: row.querySelector("span").innerText,
        };
      }),
    );
  const active = () =>
    page.getByRole("combobox").evaluate((box) => box.getAttribute("aria-activedescendant"));
  const third = () => page.locator("findling-search .page").nth(2);
  const TOUCHES = {
    "has pointed at": async () => {
      const { x, y } = await third().boundingBox();
      await page.mouse.move(x + 40, y + 20);
      await page.mouse.move(x + 45, y + 22);
      await third().locator("[aria-selected=true]").waitFor();
    },
    "is pressing": async () => {
      await third().locator(".hit").first().dispatchEvent("pointerdown", { pointerType: "touch" });
    },
    "has moved in by a key": () => page.keyboard.press("ArrowDown"),
    "has scrolled": () => third().dispatchEvent("wheel", { deltaY: 1 }),
  };
  for (const [how, touch] of Object.entries(TOUCHES))
    test(`finds the rows that the reader ${how} where they were`, async () => {
      await askWords(true);
      await touch();
      const [before, selected] = [await rows(), await active()];
      await join();
      assert.equal(before.length, 5);
      assert.deepEqual(await rows(), before);
      assert.equal(await active(), selected);
    });

  test("finds the rows where they were once they are read, and a button", async () => {
    await askWords(true);
    // Longer than the time for which rows count as unread.
    await page.waitForTimeout(300);
    const before = await rows();
    await join();
    assert.deepEqual(await rows(), before);
    await page.getByRole("button", { name: "Show better matches" }).click();
    await page.waitForTimeout(400);
    const now = await rows();
    assert.deepEqual(
      now.map(({ title }) => title),
      before.map(({ title }) => title).reverse(),
    );
    assert.equal(await page.getByRole("button", { name: "Show better matches" }).count(), 0);
  });

  test("is offered no other order where the first rows are the same", async () => {
    await askWords(false);
    await page.waitForTimeout(300);
    await join();
    assert.equal(await page.getByRole("button", { name: "Show better matches" }).count(), 0);
  });

  test("sees the filters take no more room when their values change", async () => {
    await askWords(true);
    await page.waitForTimeout(300);
    const place = () =>
      page.locator("findling-search .scroll").evaluate((list) => list.getBoundingClientRect().top);
    const before = await place();
    await join();
    assert.equal(await place(), before);
  });

  test("keeps the rows that look the same, and hears the first one no second time", async () => {
    await askWords(false);
    const [before, selected] = [await rows(), await active()];
    await page.getByRole("combobox").evaluate((box) => {
      window.moves = 0;
      new MutationObserver(() => window.moves++).observe(box, {
        attributeFilter: ["aria-activedescendant"],
      });
    });
    await join();
    assert.deepEqual(await rows(), before);
    assert.equal(await active(), selected);
    assert.equal(await page.evaluate(() => window.moves), 0);
  });
});
