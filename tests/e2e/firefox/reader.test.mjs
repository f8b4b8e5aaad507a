// What a reader sees in Firefox.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { withResults, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
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
  });

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
    assert.notEqual(await selected(), first);
    await page.keyboard.press("ArrowUp");
    assert.equal(await selected(), first);
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
    assert.deepEqual(await titles(), before);
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
