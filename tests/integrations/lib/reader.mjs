// The actions of a reader in the search of any site.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ask, expectComplaints, options } from "../../e2e/lib/browser.mjs";
import { eventually } from "../../e2e/lib/eventually.mjs";
import { FRAME } from "./content.mjs";

/** Waits until the element's script runs and the page is at rest. */
export async function ready(page) {
  await page.waitForFunction(() => document.querySelector("findling-search")?.shadowRoot);
  // Frameworks attach their handlers after the load, and a development server never rests.
  await page.waitForLoadState("load");
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
}

/** Declares what a site's own scripts write to the console. */
export function expects(page, patterns) {
  if (patterns.length > 0) expectComplaints(page, ...patterns);
}

/** Makes a change, and waits until a development server has another index at an address. */
export async function rebuilt(index, change) {
  const entry = async () => {
    const answer = await fetch(`${index}findling.idx`).catch(() => undefined);
    return answer?.ok ? Buffer.from(await answer.arrayBuffer()).toString("hex") : undefined;
  };
  const before = await entry();
  change();
  for (let now = before; now === before || now === undefined; now = await entry())
    await new Promise((resolve) => setTimeout(resolve, 200));
}

const openDialog = (page) => page.locator("findling-search dialog[open]");

/** Opens the search by a key. */
export async function press(page, key) {
  await page.keyboard.press(key);
  await openDialog(page).locator(".panel").waitFor();
}

/** Closes the search. */
export async function close(page) {
  await page.keyboard.press("Escape");
  await openDialog(page).waitFor({ state: "detached" });
}

/** The titles and headings that a query finds, top to bottom. */
export async function search(page, query) {
  await ask(openDialog(page), query);
  return options(openDialog(page));
}

/** Asserts that a page whose title matches is the first that a query finds. */
export async function finds(page, query, title) {
  assert.match((await search(page, query))[0] ?? "nothing", title);
}

/**
 * Asserts that a query finds a section of the handbook, and goes there. The picture `name` shows
 * what was found.
 */
export async function goesToCooling(page, key, name, address) {
  await press(page, key);
  await finds(page, "dunting", /Firing the kiln/);
  await shoot(page, name);
  await choose(page, "Cooling down", address);
  await page.getByRole("heading", { name: "Cooling down" }).waitFor();
}

/** Asserts that `/` opens the search and a query finds the page of error codes, and goes to E17. */
export async function goesToError(page, address) {
  await press(page, "/");
  await finds(page, "thermocouple", /Error codes/);
  await choose(page, "E17", address);
}

/** Asserts that a query in German finds the German page, and goes there. */
export async function goesToGerman(page, address) {
  await press(page, "Control+k");
  await finds(page, "Deckel", /Den Ofen brennen/);
  await choose(page, "Abkühlen", address);
}

/**
 * Opens the result whose text contains `text`, and waits for its address: the end of its path, and
 * its heading, or `**` for any heading. The passage after the heading is not compared.
 */
export async function choose(page, text, address) {
  const texts = await options(openDialog(page));
  const at = texts.findIndex((shown) => shown.includes(text));
  assert.notEqual(at, -1, `${text} is not among ${JSON.stringify(texts)}`);
  await openDialog(page).locator("[role=option]").nth(at).click();
  const [path, heading] = address.replace(/^\*\*/, "").split("#");
  await page.waitForURL((url) => {
    const [anchor] = url.hash.slice(1).split(":~:");
    return url.pathname.endsWith(path) && (heading === "**" ? anchor !== "" : anchor === heading);
  });
}

/** Asserts that no result contains text from the frame around the pages. */
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
  const color = await openDialog(page).evaluate(
    (dialog) => getComputedStyle(dialog).backgroundColor,
  );
  const [red, green, blue] = color.match(/[\d.]+/g).map(Number);
  return (red + green + blue) / 3;
}

/**
 * Asserts that the panel is light on a light page, and dark once `toDark` has switched the page.
 */
export async function followsTheme(page, key, toDark) {
  await press(page, key);
  // A page may get its style sheets after the search.
  await eventually(async () =>
    assert.ok((await lightness(page)) > 200, "the panel is light on a light page"),
  );
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

/** Asserts that the search has the look of a theme of the package, as its corners show. */
export async function hasTheme(page, radius) {
  const dialog = openDialog(page);
  assert.equal(await dialog.evaluate((box) => getComputedStyle(box).borderRadius), radius);
}

/** Keeps a picture, if FINDLING_SHOTS names a directory. */
export async function shoot(page, name) {
  const directory = process.env["FINDLING_SHOTS"];
  if (!directory) return;
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `${name}.png`) });
}
