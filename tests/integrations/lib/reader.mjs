// What a reader does with the search of any site.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { answered, open } from "../../e2e/lib/browser.mjs";
import { FRAME } from "./content.mjs";

/** A page with the element loaded. */
export async function visit(browser, url, options) {
  const page = await open(browser, url, options);
  await ready(page);
  return page;
}

/** Waits until the element's script runs and the page is at rest. */
export async function ready(page) {
  await page.waitForFunction(() => customElements.get("findling-search") !== undefined);
  await page.waitForLoadState("networkidle");
}

const visiblePanel = (page) => page.locator("findling-search dialog[open] .panel");

/** Opens the search by a key. */
export async function press(page, key) {
  await page.keyboard.press(key);
  await visiblePanel(page).waitFor();
}

/** Closes the search. */
export async function close(page) {
  await page.keyboard.press("Escape");
  await page.locator("findling-search dialog[open]").waitFor({ state: "detached" });
}

/** The titles and headings that a query finds, top to bottom. */
export async function search(page, query) {
  await visiblePanel(page).getByRole("combobox").fill(query);
  await answered(page);
  return page
    .locator("findling-search dialog[open] [role=option]")
    .evaluateAll((found) => found.map((option) => option.innerText));
}

/** Opens the result whose text contains `text` by the keyboard, and waits for its address. */
export async function choose(page, text, address) {
  const options = page.locator("findling-search dialog[open] [role=option]");
  const texts = await options.allInnerTexts();
  const at = texts.findIndex((shown) => shown.includes(text));
  assert.notEqual(at, -1, `${text} is not among ${JSON.stringify(texts)}`);
  await options.nth(at).click();
  await page.waitForURL(address);
}

/** Asserts that the frame around the pages is in no result. */
export async function findsNoFrame(page) {
  assert.ok((await page.content()).includes(FRAME), `the site shows ${FRAME} around its pages`);
  assert.deepEqual(await search(page, `"${FRAME}"`), []);
}

/** Marks the window. The mark is lost when the page is loaded anew. */
export const mark = (page) => page.evaluate(() => Object.assign(window, { marked: true }));

/** Whether the window is the marked one. */
export const isMarked = (page) => page.evaluate(() => window.marked === true);

/** The lightness of the open dialog's background, 0 to 255. */
export async function lightness(page) {
  const color = await page
    .locator("findling-search dialog[open]")
    .evaluate((dialog) => getComputedStyle(dialog).backgroundColor);
  const [red, green, blue] = color.match(/[\d.]+/g).map(Number);
  return (red + green + blue) / 3;
}

/** Asserts that the panel is light, then dark, when the page is. `toDark` switches the page. */
export async function followsTheme(page, key, toDark) {
  await press(page, key);
  assert.ok((await lightness(page)) > 200, "the panel is light on a light page");
  await close(page);
  await toDark();
  await press(page, key);
  await page.waitForFunction(() => {
    const dialogs = [...document.querySelectorAll("findling-search")].map((element) =>
      element.shadowRoot.querySelector("dialog[open]"),
    );
    const open = dialogs.find((dialog) => dialog !== null);
    const [red] = getComputedStyle(open).backgroundColor.match(/[\d.]+/g);
    return Number(red) < 90;
  });
}

/** Keeps a picture, if FINDLING_SHOTS names a directory. */
export async function shoot(page, name) {
  const directory = process.env["FINDLING_SHOTS"];
  if (!directory) return;
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `${name}.png`) });
}
