// Real Chromium.

import { chromium } from "playwright-core";
import { launchOptions } from "./chromium.mjs";

export { executablePath } from "./chromium.mjs";

export async function launch() {
  return chromium.launch(launchOptions());
}

/**
 * A page in a context of its own. Anything the page throws fails the test that watches
 * `page.thrown`.
 */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  const page = await context.newPage();
  page.thrown = [];
  page.on("pageerror", (error) => page.thrown.push(error));
  await page.goto(url);
  return page;
}

/** The HTML of a page with search on it. */
export const withSearch = (
  attributes = "",
  body = "",
) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Kiln handbook</title>
<script type="module" src="/findling/findling-ui.js"></script></head>
<body><main><h1>The kiln handbook</h1><p>Everything about the kiln.</p>
<findling-search ${attributes}></findling-search>${body}</main></body></html>`;

/** Types a question into the dialog and waits until what it shows belongs to the question. */
export async function ask(page, question) {
  const input = page.getByRole("combobox");
  await input.fill(question);
  await page.locator("findling-search .panel[aria-busy=false]").waitFor();
}

/** What the options say, top to bottom. */
export const options = (page) =>
  page.getByRole("option").evaluateAll((found) => found.map((option) => option.innerText));
