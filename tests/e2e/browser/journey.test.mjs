// Help for a reader during a search: the way back, the keyboard, small screens, other languages.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ask, focused, options, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

describe("a reader who searches again and again", () => {
  let page;
  const session = new Session(() =>
    serve([build()], {
      "/": withSearch(),
      "/off": withSearch(`history="none"`),
      "/with-results": withSearch(`results="/search?kept=1"`),
      "/guide/start.html": withSearch(),
    }),
  );

  const visit = async (path = "", contextOptions) => {
    page = await session.visitSearch(path, contextOptions);
  };
  const show = async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
  };
  const open = async (query) => {
    await show();
    await ask(page, query);
    await page.getByRole("option").first().click();
    await page.waitForURL(/\.html/);
  };
  const back = async () => {
    await page.goto(session.address());
    await page.locator("findling-search:defined").waitFor();
    await show();
  };
  const idle = () => page.locator("findling-search .history");
  const rows = (name) => idle().getByRole("list", { name }).locator(".hit").allInnerTexts();
  const focusedText = () => focused(page, ({ innerText }) => innerText);
  const selected = () => page.locator("findling-search [aria-selected=true]").getAttribute("id");

  test("finds searches and pages again below the empty box", async () => {
    await visit();
    await open("dunting");
    await back();
    await idle().getByRole("list", { name: "Recent searches" }).waitFor();
    assert.deepEqual(await rows("Recent searches"), ["dunting"]);
    assert.match((await rows("Recently opened"))[0], /^Why do pots break\? \u203A Cracks after/);
    await idle().getByRole("button", { name: "dunting", exact: true }).click();
    await page.getByRole("option").filter({ hasText: "Why do pots break?" }).first().waitFor();
    assert.equal(await page.getByRole("combobox").inputValue(), "dunting");
    assert.equal(await idle().isVisible(), false);
  });

  test("keeps a page as a favourite, and forgets the rest", async () => {
    await visit();
    await open("dunting");
    await back();
    await idle()
      .getByRole("button", { name: /^Add .* to favourites$/ })
      .click();
    assert.match((await rows("Favourites"))[0], /^Why do pots break\?/);
    await idle().getByRole("button", { name: "Remove \u201Cdunting\u201D from the list" }).click();
    assert.deepEqual(await rows("Recent searches"), []);
    await idle().getByRole("button", { name: "Clear the history" }).click();
    await back();
    await idle().getByRole("list", { name: "Favourites" }).waitFor();
    assert.deepEqual(await rows("Recently opened"), []);
    await idle().getByRole("list", { name: "Favourites" }).getByRole("link").click();
    await page.waitForURL(/faq\/pots\.html#dunting/);
  });

  test("goes through the history by the keyboard", async () => {
    await visit();
    await open("dunting");
    await back();
    await idle().getByRole("list", { name: "Recent searches" }).waitFor();
    await page.keyboard.press("ArrowDown");
    assert.match(await focusedText(), /^Why do pots break\?/);
    await page.keyboard.press("End");
    assert.equal(await focusedText(), "dunting");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(page, (element) => element.getAttribute("role")), "combobox");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/faq\/pots\.html#dunting/);
  });

  test("leaves no trace where the site keeps no history", async () => {
    session.server.log.length = 0;
    await visit("off");
    await open("dunting");
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
    assert.deepEqual(
      session.server.log.filter((path) => path.endsWith("findling-history.js")),
      [],
    );
  });

  test("sees nothing of what another script wrote into the history", async () => {
    await visit("", {
      init: () => {
        const hostile = {
          title: "<img src=x onerror='harmed = 1'>",
          href: "javascript:harmed = 1",
        };
        const shown = { title: "<img src=x onerror='harmed = 1'>", href: location.href };
        localStorage.setItem(
          "findling-history /findling/",
          JSON.stringify({ searches: [7, "a"], opened: [hostile, shown], favourites: "no" }),
        );
      },
    });
    await show();
    await idle().getByRole("list", { name: "Recent searches" }).waitFor();
    assert.deepEqual(await rows("Recently opened"), ["<img src=x onerror='harmed = 1'>"]);
    assert.deepEqual(await rows("Recent searches"), ["a"]);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
  });

  test("opens a result in a new tab with Control and Enter", async () => {
    await visit();
    await show();
    await ask(page, "dunting");
    const tab = page.context().waitForEvent("page");
    await page.keyboard.press("Control+Enter");
    assert.match((await tab).url(), /pots\.html|about:blank/);
    await (await tab).waitForURL(/faq\/pots\.html/);
    assert.equal(page.url(), session.address());
    assert.ok((await options(page)).length > 0, "the dialog stays");
  });

  test("moves to the ends of the list with Home and End, once it moves in the list", async () => {
    await visit();
    await show();
    await ask(page, "kiln");
    const first = await selected();
    await page.keyboard.press("End");
    assert.equal(await selected(), first, "End moves in the text");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    const last = await page.getByRole("option").last().getAttribute("id");
    assert.equal(await selected(), last);
    await page.keyboard.press("Home");
    assert.equal(await selected(), first);
  });

  test("composes a word with an input method without interruption", async () => {
    await visit();
    await show();
    await ask(page, "kiln");
    const devtools = await page.context().newCDPSession(page);
    const compose = (text) =>
      devtools.send("Input.imeSetComposition", {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    const box = page.getByRole("combobox");
    await compose(" \u3050");
    await compose(" \u3050\u308c");
    // Enter and the arrows belong to the input method.
    for (const key of ["Enter", "ArrowDown", "Escape"])
      await box.dispatchEvent("keydown", { key, isComposing: true, bubbles: true });
    await box.dispatchEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true });
    await page.waitForTimeout(400);
    assert.equal(page.url(), session.address());
    const has = (text) => eventually(async () => assert.equal(await box.inputValue(), text));
    await has("kiln \u3050\u308c");
    await devtools.send("Input.insertText", { text: " glaze" });
    await has("kiln glaze");
    await page.getByRole("option").filter({ hasText: "Glazing" }).first().waitFor();
  });

  test("gets a sheet from the bottom of a phone, which the page above it closes", async () => {
    await visit("", { ...PHONE, reducedMotion: "reduce" });
    await page.locator("findling-search").getByRole("button").tap();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    const { x, y, width, height } = await dialog.boundingBox();
    assert.deepEqual([x, width, y + height], [0, 390, 700]);
    assert.ok(y > 10 && y < 60, `${y} pixels from the top`);
    // A press that a busy machine makes long does not count.
    await eventually(async () => {
      await page.touchscreen.tap(195, 5);
      await dialog.waitFor({ state: "hidden", timeout: 1_000 });
    });
  });

  test("sees nothing move if the system asks for no motion", async () => {
    await visit("", { reducedMotion: "reduce" });
    await show();
    const running = () =>
      page.evaluate(() => {
        const { shadowRoot } = document.querySelector("findling-search");
        return shadowRoot
          .getAnimations()
          .filter((animation) => animation.effect.getComputedTiming().duration > 1).length;
      });
    assert.equal(await running(), 0);
    await ask(page, "kiln");
    assert.equal(await running(), 0);
  });

  test("reads the dialog at a zoom of 200 %", async () => {
    await visit("", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
    await show();
    await ask(page, "kiln");
    const overflow = await page.getByRole("dialog").evaluate((dialog) => {
      const wide = [...dialog.querySelectorAll(".hit, .bar, .foot")].filter(
        (element) => element.scrollWidth > element.clientWidth + 1,
      );
      return wide.map((element) => element.className);
    });
    assert.deepEqual(overflow, []);
  });

  test("goes on to the page with all results", async () => {
    await visit("with-results");
    await show();
    await ask(page, "kiln");
    const link = page.getByRole("link", { name: "All results" });
    const href = new URL(await link.getAttribute("href"), session.address());
    assert.equal(`${href.pathname}${href.search}`, "/search?kept=1&q=kiln");
    await ask(page, '"no such phrase"');
    assert.equal(await link.isVisible(), false);
  });
});
