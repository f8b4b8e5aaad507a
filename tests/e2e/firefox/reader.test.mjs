// The view of a reader in Firefox.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { withResults, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { ask, executablePath, listed, Session, texts, within } from "../lib/firefox.mjs";
import { serve } from "../lib/server.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const skip = executablePath ? undefined : "there is no Firefox; name one in FINDLING_FIREFOX";

const start = () =>
  serve([build()], {
    "/": withSearch(),
    "/search": withResults(`facets="kind" limit="3"`),
    "/faq/pots.html": withSearch(),
    "/long": withSearch("", `<p style="block-size: 300vh">A long page.</p>`),
    "/hostile": withSearch(`mode="lexical"`).replace("<head>", `<head><style>${HOSTILE}</style>`),
    "/plain": withSearch(`mode="lexical"`),
  });

/** Styles with which a page may affect its contents. */
const HOSTILE = `html { font-size: 62.5% }
* { letter-spacing: 3px; text-transform: uppercase; font: italic 30px/2 serif; user-select: none }
main { direction: rtl; white-space: nowrap; writing-mode: vertical-rl }`;

const open = async (page) => {
  await page.waitForFunction(() => customElements.get("findling-search"));
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
};

describe("a reader in Firefox", { skip }, () => {
  const session = new Session(start);
  const options = (page) => texts(page, "findling-search", "[role=option]");

  test("finds a page by its words, and goes to it by the keyboard", async () => {
    const page = await session.visit();
    await open(page);
    await ask(page, "dunting");
    assert.match((await options(page))[0], /^Why do pots break\?/);
    const selected = async () =>
      (await texts(page, "findling-search", "[aria-selected=true]")).join();
    const first = await selected();
    await page.keyboard.press("ArrowDown");
    await eventually(async () => assert.notEqual(await selected(), first));
    await page.keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await selected(), first));
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.match(page.url(), /\/faq\/pots\.html/);
  });

  test("finds a misspelled word, and sees what was searched", async () => {
    const page = await session.visit();
    await open(page);
    await ask(page, "duntign");
    await page.waitForFunction(() => {
      const { shadowRoot } = document.querySelector("findling-search");
      return /dunting/.test(shadowRoot.querySelector(".panel").innerText);
    });
    assert.match((await options(page)).join("\n"), /Why do pots break\?/);
  });

  test("narrows the results by a filter, and comes back to them", async () => {
    const page = await session.visit("search?q=kiln");
    const titles = () => texts(page, "findling-results", ".list h3 a");
    await listed(page);
    const before = await titles();
    const box = await within(page, "findling-results", "input[type=checkbox]");
    await box.click();
    await page.waitForFunction(() => new URL(location.href).searchParams.size > 1);
    await listed(page);
    await page.goBack();
    await page.waitForFunction(() => new URL(location.href).searchParams.size === 1);
    await listed(page);
    await eventually(async () => assert.deepEqual(await titles(), before));
  });

  const isOpen = (page) =>
    page.evaluate(
      () => document.querySelector("findling-search").shadowRoot.querySelector("dialog").open,
    );

  test("presses Enter before the answer, and comes to what is in the box", async () => {
    const page = await session.visit();
    await open(page);
    await ask(page, "thermocouple");
    const box = await within(page, "findling-search", "[role=combobox]");
    await box.evaluate((input) => input.select());
    await page.keyboard.type("dunting");
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.match(page.url(), /\/faq\/pots\.html/);
  });

  test("keeps the search when text is selected by a drag that ends beside it", async () => {
    const page = await session.visit("long");
    await open(page);
    await ask(page, "kiln");
    const box = await within(page, "findling-search", "[role=combobox]");
    const { x, y, height } = await box.boundingBox();
    await page.mouse.move(x + 40, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 400, { steps: 5 });
    await page.mouse.up();
    assert.equal(await isOpen(page), true);
    await page.mouse.wheel({ deltaY: 600 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await page.evaluate(() => scrollY), 0);
    // A press that a busy machine makes long does not count.
    await eventually(async () => {
      await page.mouse.click(5, 400);
      assert.equal(await isOpen(page), false);
    });
  });

  test("sees the same search on a page with styles of its own", async () => {
    const look = async (path) => {
      const page = await session.visit(path);
      await page.waitForFunction(() => customElements.get("findling-search"));
      await page.evaluate(() => document.querySelector("findling-search").show());
      await ask(page, "pinholes");
      return page.evaluate(async () => {
        const { shadowRoot } = document.querySelector("findling-search");
        // The dialog moves into its place.
        const moving = shadowRoot
          .getAnimations()
          .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity);
        await Promise.allSettled(moving.map(({ finished }) => finished));
        const parts = ["dialog", "input", ".hit", ".text", ".foot"];
        return parts.map((part) => {
          const element = shadowRoot.querySelector(part);
          const { x, y, width, height } = element.getBoundingClientRect();
          const { letterSpacing, fontStyle, userSelect } = getComputedStyle(element);
          const box = [x, y, width, height].map(Math.round);
          return [part, ...box, letterSpacing, fontStyle, userSelect].join(" ");
        });
      });
    };
    assert.deepEqual((await look("hostile")).slice(1), (await look("plain")).slice(1));
  });

  test("closes the search, and is where it was opened", async () => {
    const page = await session.visit();
    await open(page);
    await ask(page, "kiln");
    await page.keyboard.press("Escape");
    await page.waitForFunction(
      () => !document.querySelector("findling-search").shadowRoot.querySelector("dialog[open]"),
    );
  });
});

for (const dark of [false, true])
  describe(`assistive technology in Firefox, ${dark ? "dark" : "light"}`, { skip }, () => {
    const session = new Session(start, { dark });

    test("can use the search", async () => {
      const page = await session.visit();
      assert.equal(
        await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches),
        dark,
      );
      await open(page);
      await ask(page, "kiln");
      await noViolations(page);
    });

    test("can use the page of results", async () => {
      const page = await session.visit("search?q=kiln");
      await listed(page);
      await noViolations(page);
    });
  });

async function noViolations(page) {
  await page.addScriptTag({ path: axe });
  const violations = await page.evaluate(async (runOnly) => {
    const { violations } = await globalThis.axe.run({ runOnly });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target }) => `${id}: ${target.flat().join(" ")}`),
    );
  }, RULES);
  assert.deepEqual(violations, []);
}
