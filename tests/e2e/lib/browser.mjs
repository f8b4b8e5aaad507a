// Real Chromium. A console message of any kind, an uncaught error or a failed request fails a test,
// unless the test declares it with `expectComplaints`. The client writes such a message when a
// search calls a part of the engine before it is loaded, so no test's search may do that
// undeclared.

import assert from "node:assert/strict";
import { afterEach } from "node:test";
import { chromium } from "playwright-core";
import { launchOptions } from "./chromium.mjs";
import { eventually } from "./eventually.mjs";

export { executablePath } from "./chromium.mjs";

/**
 * The browser's complaints since the last test, and the complaints that the test declared, by
 * context.
 */
const watched = new Map();

/** Milliseconds after a test in which the browser may still report what the test declared. */
const REPORTING = 5_000;

/** The declared complaints that the browser has not reported. */
const absentOnes = () =>
  [...watched.values()].flatMap(({ complaints, expected }) =>
    expected.filter((pattern) => !complaints.some((complaint) => pattern.test(complaint))),
  );

// A hook of the file, which node:test runs after every test of every suite.
afterEach(async () => {
  // A browser reports a complaint of a worker some time after the answer of the page.
  await eventually(() => assert.deepEqual(absentOnes(), []), REPORTING).catch(() => {});
  const absent = absentOnes().map(String);
  const unexpected = [];
  for (const { complaints, expected } of watched.values()) {
    unexpected.push(
      ...complaints.filter((complaint) => !expected.some((pattern) => pattern.test(complaint))),
    );
    complaints.length = 0;
    expected.length = 0;
  }
  assert.deepEqual(unexpected, [], "the browser complained");
  assert.deepEqual(absent, [], "the browser did not complain as the test declared");
});

function watch(context) {
  const complaints = [];
  watched.set(context, { complaints, expected: [] });
  context.on("console", (message) => {
    const { url } = message.location();
    complaints.push(`console ${message.type()}: ${message.text()} (${url})`);
  });
  context.on("weberror", (error) => complaints.push(`uncaught: ${error.error()}`));
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // The client cancels requests that no search needs any more.
    if (reason !== "net::ERR_ABORTED") complaints.push(`failed: ${request.url()} (${reason})`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
}

/** Declares complaints of the page's browser. Each pattern must match one before the test ends. */
export function expectComplaints(page, ...patterns) {
  watched.get(page.context()).expected.push(...patterns);
}

/** The complaint of a search that calls the deferred part of the engine before it is loaded. */
export const RECOVERY = /a search began again/;

/** A browser; `switches` are further switches of its command line. */
export async function launch(...switches) {
  return chromium.launch(launchOptions(...switches));
}

/**
 * A page in a new context. `init` is a function that runs in the page before its scripts, with
 * `argument`; the other options are the context's.
 */
export async function open(browser, url, { init, argument, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  watch(context);
  const page = await context.newPage();
  if (init) await page.addInitScript(init, argument);
  await page.goto(url);
  return page;
}

/**
 * The HTML of a page, from its title, the rest of its head, and its body. It has an icon of its
 * own, so that browsers do not ask for one.
 */
export const pageWith = (
  title,
  head,
  body = "",
) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>${title}</title>
${head}</head>
<body>${body}</body></html>`;

/** The head of a page with a script of the bundle. */
const script = (name) => `<script type="module" src="/findling/${name}"></script>`;

/** The HTML of a page with search on it. */
export const withSearch = (attributes = "", body = "") =>
  pageWith(
    "Kiln handbook",
    script("findling-ui.js"),
    `<main><h1>The kiln handbook</h1><p>Everything about the kiln.</p>
<findling-search ${attributes}></findling-search>${body}</main>`,
  );

/** The HTML of a page with all results on it, and nothing of the search box. */
export const withResults = (attributes = "", body = "") =>
  pageWith(
    "Search",
    script("findling-results.js"),
    `<main><h1>Search</h1><findling-results ${attributes}></findling-results></main>${body}`,
  );

/** The HTML of a page with related pages below its text. */
export const withRelated = (attributes = "", text = "", rest = "") =>
  pageWith(
    "A page",
    script("findling-related.js"),
    `<main><h1>A page</h1>${text}<findling-related ${attributes}></findling-related>${rest}</main>`,
  );

/**
 * Runs before a page's scripts: no time passes, so that no row counts as read before the rest of
 * its answer comes, and rows get the order of the whole answer however slow the machine is.
 */
export const atOnce = () => {
  performance.now = () => 0;
};

/**
 * Runs before a page's scripts: a reader who never pauses for a second, however slow the machine
 * is, until the page's `pauses` is set.
 */
export const withoutPauses = () => {
  const { setTimeout } = window;
  window.setTimeout = (run, ms, ...rest) =>
    ms >= 1000 && !window.pauses ? 0 : setTimeout(run, ms, ...rest);
};

/** The HTML of a page with the client at `script` as `findling`, for `visitClient`. */
export const withClient = (script = "/findling/findling.js") =>
  pageWith(
    "Client",
    `<script type="module">
  import * as findling from ${JSON.stringify(script)};
  window.findling = findling;
  window.settled = (promise) => promise.then(
    (value) => ({ value }),
    ({ name, code, message, remedy }) => ({ error: { name, code, message, remedy } }),
  );
</script>`,
  );

/**
 * Types a question into the box and waits until the panel shows its answer. `around` is the page,
 * or the dialog of a page that has several.
 */
export async function ask(around, question) {
  // A switch between parts of the site is a combobox too, and its parts are options.
  await around.getByRole("combobox").and(around.locator("input")).fill(question);
  await answered(around);
}

/** Waits until the panel shows the answer to what is in the box. */
export async function answered(around) {
  await around.locator(".panel[aria-busy=false]").waitFor();
}

/** Waits until the page of results shows the answer to its address. */
export async function resultsAnswered(page) {
  await page.locator("findling-results [aria-busy=false].answered").waitFor();
}

/** Waits until nothing in the search box and its dialog moves any more. */
export async function still(page) {
  await page.evaluate(() => {
    const { shadowRoot } = document.querySelector("findling-search");
    const ending = shadowRoot
      .getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity);
    return Promise.allSettled(ending.map(({ finished }) => finished)).then(() => {});
  });
}

/** The result of `read` for the focused element in an element of Findling. */
export async function focused(page, read) {
  const element = await page.evaluateHandle(() => document.activeElement.shadowRoot.activeElement);
  return element.evaluate(read);
}

/** The text of every option, top to bottom. */
export const options = (around) =>
  around
    .getByRole("option")
    .and(around.locator("[role=option]"))
    .evaluateAll((found) => found.map((option) => option.innerText));
