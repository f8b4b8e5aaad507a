// Filters in the search dialog: their counts, their names, and that an active filter is always
// visible.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { answered, ask, withResults, withSearch } from "../lib/browser.mjs";
import { dist, run, scratch } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const PRICES = [5, 10, 19.9, 100, 20, 1000, 45, 70, 12, 300];
const BRANDS = ["Äcme", "Beta & Co", "", "Gamma, Inc."];

/** Records of a shop, with one attribute of each kind, and texts that differ in meaning. */
const RECORDS = Array.from({ length: 90 }, (_, i) => ({
  _id: `p${i}`,
  url: `/p${i}/`,
  title: `${i % 3 ? "Lamp" : "Candle"} ${i}`,
  text:
    i % 5 === 0
      ? `A lamp for the desk with a switch and a cable, model ${i}.`
      : `Wax and light for a quiet evening, number ${i}, with warm colours.`,
  price: PRICES[i % PRICES.length],
  edition: 1999 + (i % 25),
  released: `${2019 + (i % 6)}-0${1 + (i % 9)}-1${i % 9}`,
  in_stock: i % 2 === 0,
  brand: BRANDS[i % 4],
  colour: ["red", "blue", "green", "white", "black", "grey", "brown", "gold"][i % 8],
}));

function shop() {
  const site = scratch();
  const records = join(scratch(), "records.jsonl");
  writeFileSync(records, RECORDS.map((record) => JSON.stringify(record)).join("\n"));
  mkdirSync(join(site, "findling"), { recursive: true });
  const bundle = join(site, "findling");
  run("--quiet", "build", records, "--output", bundle, "--client", dist, "--encoder", "hash");
  return site;
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe("a reader who filters", () => {
  let page;
  const session = new Session(() =>
    serve([shop()], {
      "/": withSearch(`facets="colour, brand"`),
      "/named": withSearch(`facets="in_stock=Available, brand"`),
      "/all": withSearch(),
      "/results": withResults(`facets="in_stock=Available, colour"`),
    }),
  );
  beforeEach(async () => {
    page = await session.visitSearch();
    await page.keyboard.press("Control+k");
  });

  const panel = () => page.locator("findling-search .panel");
  const chips = () => panel().locator(".facet .chip:not(.more)");
  /** The name and the count of every chip. */
  const counts = () =>
    chips().evaluateAll((found) =>
      found.map((chip) => [chip.dataset.key, Number(chip.querySelector("small").innerText)]),
    );
  const chip = (key) => panel().locator(`.chip[data-key="${key}"]`);
  /** Pages of the answer, by its own total. */
  const total = async () => Number(/\d+/.exec(await panel().locator(".summary").innerText())[0]);
  const settled = async () => {
    await answered(page);
    await page.waitForTimeout(50);
  };

  test("gets as many pages as the chip said, whatever else is chosen", async () => {
    await ask(page, "lamp");
    for (const [key, count] of await counts()) {
      await chip(key).click();
      await settled();
      assert.equal(await total(), count, key);
      // One more, of another attribute.
      const [name] = key.split("=");
      const other = (await counts()).find(([key]) => !key.startsWith(`${name}=`));
      if (other) {
        await chip(other[0]).click();
        await settled();
        assert.equal(await total(), other[1], `${key} and ${other[0]}`);
        await chip(other[0]).click();
        await settled();
      }
      await chip(key).click();
      await settled();
    }
  });

  test("sees the chosen value first", async () => {
    await ask(page, "lamp");
    const all = await counts();
    const last = all.filter(([key]) => key.startsWith("colour=")).at(-1)[0];
    await chip(last).click();
    await settled();
    assert.equal((await counts())[0][0], last);
  });

  test("sees an active filter in every state, and takes it back", async () => {
    await ask(page, "lamp");
    await chip("colour=red").click();
    await settled();
    const isSeen = async () => {
      const box = await chip("colour=red").boundingBox();
      const { width, height } = page.viewportSize();
      return (
        box !== null &&
        box.x >= 0 &&
        box.y >= 0 &&
        box.x + box.width <= width &&
        box.y + box.height <= height
      );
    };
    for (const query of ["", "candle", '"no such phrase"', "light"]) {
      await page.getByRole("combobox").fill(query);
      await settled();
      assert.equal(await isSeen(), true, `with ${query || "an empty box"}`);
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    assert.equal(await isSeen(), true, "after closing");
    await page.getByRole("combobox").fill("");
    await panel().getByRole("button", { name: "Clear filters" }).click();
    assert.equal(await chip("colour=red").count(), 0);
  });

  test("sees an active filter on a phone, where filters are folded", async () => {
    page = await session.visitSearch("all", PHONE);
    await page.evaluate(() => document.querySelector("findling-search").show());
    await ask(page, "lamp");
    const isLower = async (limit) => {
      const { height } = await panel().locator(".facets").boundingBox();
      assert.ok(height < limit, `${height} px`);
    };
    await isLower(60);
    // The browser makes a click of a tap after the tap.
    const fold = async (isOpen) => {
      const filters = { name: "Filters", exact: true };
      await panel().getByRole("button", filters).tap();
      await panel()
        .getByRole("button", { ...filters, expanded: isOpen })
        .waitFor();
    };
    await fold(true);
    const beta = chip("brand=Beta & Co");
    await beta.tap();
    await beta.and(page.locator("[aria-pressed=true]")).waitFor();
    await settled();
    await fold(false);
    const box = await beta.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    await isLower(90);
    await beta.tap();
    await beta.waitFor({ state: "detached" });
  });

  test("sees five facets folded on a wide screen as well", async () => {
    page = await session.visitSearch("all");
    await page.keyboard.press("Control+k");
    await ask(page, "lamp");
    const { height } = await panel().locator(".facets").boundingBox();
    assert.ok(height < 60, `${height} px`);
  });

  test("reads yes and no, ranges of numbers, and years", async () => {
    page = await session.visitSearch("all");
    await page.keyboard.press("Control+k");
    await ask(page, "lamp");
    await panel().getByRole("button", { name: "Filters", exact: true }).click();
    const group = (name) =>
      panel()
        .getByRole("group", { name, exact: true })
        .locator(".chip:not(.more) span")
        .allInnerTexts();
    assert.deepEqual(await group("in stock"), ["Yes", "No"]);
    const years = await group("released");
    assert.ok(years.length > 1 && years.every((year) => /^20\d\d$/.test(year)), years.join());
    assert.deepEqual(years, [...years].sort().reverse());
    const prices = await group("price");
    assert.ok(prices.length > 1 && prices.length <= 5, prices.join());
    assert.match(prices[0], /^< \d/);
    assert.match(prices.at(-1), /^≥ \d/);
    // The bounds of years, which are near each other, are years.
    const editions = await group("edition");
    assert.ok(editions.length >= 4, editions.join());
    assert.match(editions[0], /^< (19|20)\d\d$/);
    for (const brand of await group("brand")) assert.match(brand, /\S/);
    // A range finds as many pages as its count says, and keeps its bounds when it is chosen.
    for (const key of (await counts()).map(([key]) => key).filter((key) => key[0] === "p")) {
      const count = Number(await chip(key).locator("small").innerText());
      await chip(key).click();
      await settled();
      assert.equal(await total(), count, key);
      await chip(key).click();
      await settled();
    }
    const [year] = (await counts()).filter(([key]) => key.startsWith("released="));
    await chip(year[0]).click();
    await settled();
    assert.equal(await total(), year[1]);
  });

  test("reads the names that the site gives attributes and values", async () => {
    page = await session.visitSearch("named");
    await page.evaluate(() => {
      document.querySelector("findling-search").labels = {
        values: { in_stock: { true: "At once", false: "Later" } },
      };
    });
    await page.keyboard.press("Control+k");
    await ask(page, "lamp");
    const group = panel().getByRole("group", { name: "Available" });
    const texts = await group.locator(".chip span").allInnerTexts();
    assert.deepEqual(texts, ["At once", "Later"]);
    await session.visitResults("results?q=lamp&f.in_stock=true");
    page = session.page;
    await page.getByRole("group", { name: "Available" }).getByLabel("Yes").waitFor();
    await page.getByRole("button", { name: "Available: Yes" }).waitFor();
  });

  test("tells a chosen filter from others in forced colours", async () => {
    page = await session.visitSearch("", { forcedColors: "active" });
    await page.keyboard.press("Control+k");
    await ask(page, "lamp");
    const look = (key) =>
      chip(key).evaluate((chip) => {
        const { color, backgroundColor, borderColor } = getComputedStyle(chip);
        return [color, backgroundColor, borderColor].join(" ");
      });
    const before = await look("colour=red");
    await chip("colour=red").click();
    await settled();
    assert.notEqual(await look("colour=red"), before);
    assert.notEqual(await look("colour=red"), await look("colour=blue"));
  });

  test("gets as many pages as the filter beside the results said", async () => {
    page = await session.visitResults("results?q=lamp");
    const value = page.locator("findling-results .value");
    for (let i = 0; i < 4; i++) {
      const count = Number(await value.nth(i).locator("small").innerText());
      await value.nth(i).locator("input").check();
      await page.waitForFunction(() => location.search.includes("f."));
      await page.locator("findling-results [aria-busy=false].answered").waitFor();
      await page.waitForFunction((count) => {
        const { shadowRoot } = document.querySelector("findling-results");
        return shadowRoot.querySelector(".summary").innerText.startsWith(`${count} page`);
      }, count);
      await page.goto(session.address("results?q=lamp"));
      await page.locator("findling-results [aria-busy=false].answered").waitFor();
    }
  });
});
