// Takes pictures of the user interface over a site with a bundle, for a look after a change.
//
//   cargo xtask pictures, or
//   node pictures.mjs SITE OUT     SITE is a directory with the bundle in `findling/`

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  answered,
  launch,
  open,
  resultsAnswered,
  withResults,
  withSearch,
} from "./lib/browser.mjs";
import { makeCollections, serveApplication } from "./lib/collections.mjs";
import { serve } from "./lib/server.mjs";

const [site, out] = process.argv.slice(2);
if (site === undefined || out === undefined) {
  console.error("expected: node pictures.mjs SITE OUT");
  process.exit(2);
}

const QUESTION = "let several owners share one value";
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true };

/** The options of the context and the HTML of the page, for each picture. */
const WAYS = {
  desktop: {},
  phone: { options: { ...PHONE, isMobile: true } },
  dark: { options: { colorScheme: "dark" } },
  "right-to-left": { write: (html) => html.replace('lang="en"', 'lang="ar" dir="rtl"') },
  "forced-colours": { options: { forcedColors: "active" } },
};

/** The page around the interface follows the reader's theme and leaves room. */
const STYLE = `<style>:root { color-scheme: light dark } body { margin: 0; font-family: sans-serif }
main { max-inline-size: 68rem; margin: auto; padding: 2rem 1.25rem } h1 { font-size: 1.5rem }
@media (prefers-color-scheme: dark) { body { background: #0f1116; color: #eceef4 } }</style>`;

const styled = (html) =>
  html
    .replace("</head>", `${STYLE}</head>`)
    .replace("The kiln handbook</h1>", "The books of Rust</h1>")
    .replace("Everything about the kiln.", "Everything about the language.");

mkdirSync(out, { recursive: true });
const browser = await launch();

// The local application, over collections of every kind.
const application = await serveApplication({ HOME: makeCollections() });
const PAGES = {
  home: ["", ".badge.fresh >> nth=4"],
  results: ["search?q=glaze", "collections-results .answered"],
  conversation: [
    "read?in=chats&page=glaze.json%2Fglaze&q=glaze%20crawling",
    ".reader mark.current",
  ],
  source: ["read?in=controller&page=kiln.rs&q=soak#L12-L17", ".line.target >> nth=0"],
  paper: ["read?in=papers&page=library.bib%2Fash2019glaze&q=zinc%20crystals", ".cite"],
};
for (const [name, { options = {} }] of Object.entries(WAYS)) {
  if (name === "right-to-left") continue;
  for (const [what, [path, ready]] of Object.entries(PAGES)) {
    const token = {
      init: (it) => localStorage.setItem("findling-token", it),
      argument: application.token,
    };
    await shot(
      `application-${what}-${name}`,
      `${application.url}${path}`,
      { ...options, ...token },
      (page) => page.locator(ready).waitFor(),
    );
  }
}
await application.close();

const server = await serve([site]);
for (const [name, { options, write = (html) => html }] of Object.entries(WAYS)) {
  server.pages = {
    "/": write(styled(withSearch())),
    "/results": write(styled(withResults(`limit="5"`))),
  };
  await picture(`dialog-${name}`, "", options, async (page) => {
    await page.locator("findling-search").getByRole("button").click();
    await page.getByRole("combobox").fill(QUESTION);
    await answered(page);
    await page.locator('findling-search .panel[data-mode="hybrid"]').waitFor();
  });
  await picture(`history-${name}`, "", options, async (page) => {
    await page.evaluate(() => {
      document.addEventListener("findling-select", (event) => event.preventDefault());
    });
    for (const query of ["mutex", "share one value", "cargo features"]) {
      await page.evaluate((query) => document.querySelector("findling-search").show(query), query);
      await page.locator('findling-search .panel[aria-busy=false][data-mode="hybrid"]').waitFor();
      await page.getByRole("option").first().click();
    }
    await page.evaluate(() => document.querySelector("findling-search").show(""));
    await page.locator("findling-search .history .act").first().click();
  });
  const results = `results?q=${encodeURIComponent(QUESTION)}`;
  await picture(`results-${name}`, results, options, resultsAnswered);
}
await picture(
  "results-filtered",
  "results?q=borrow&f.book=book&f.book=nomicon&sort=newest",
  {},
  resultsAnswered,
);
await server.close();

await browser.close();

async function picture(name, path, options, reach) {
  await shot(name, `${server.url}${path}`, options, async (page) => {
    await page.locator(":is(findling-search, findling-results):defined").waitFor();
    await reach(page);
  });
}

async function shot(name, address, options, reach) {
  const page = await open(browser, address, {
    viewport: { width: 1000, height: 760 },
    reducedMotion: "reduce",
    ...options,
  });
  await reach(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(out, `${name}.png`) });
  await page.context().close();
  console.log(join(out, `${name}.png`));
}
