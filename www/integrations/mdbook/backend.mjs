#!/usr/bin/env node
// Search for mdBook: a backend that runs after the one for HTML. mdBook runs backends in the order
// of their names, so its table is `[output.html-findling]`. It puts `<findling-search>` into the
// pages instead of mdBook's own search, and builds the bundle.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { text } from "node:stream/consumers";
import { BUNDLE, buildBundle, excluding } from "../common/build.mjs";

/** A rem of mdBook is 10 pixels. */
const STYLE = `<style>
findling-search { --findling-accent: var(--links); --findling-bg: var(--bg);
  --findling-text: var(--fg); --findling-muted: color-mix(in srgb, var(--fg) 75%, var(--bg));
  --findling-border: var(--table-border-color); --findling-mono: var(--mono-font);
  --findling-size: 1.5rem; --findling-width: 68rem; margin: auto 0.5rem; }
findling-search::part(trigger) { min-inline-size: 0; padding-block: 0.25rem; }
@media (max-width: 700px) { findling-search::part(trigger) { font-size: 0; gap: 0; } }
</style>`;

/** mdBook's own button, and its script, which would also open mdBook's search. */
const BUTTON = /<button[^>]*id="(?:mdbook-)?search-toggle".*?<\/button>/s;
const SCRIPT = /\s*<script src="[^"]*\bsearcher(?:-[0-9a-f]+)?\.js"[^>]*><\/script>/;
/** The bar above a page, if mdBook's own search is off. */
const BAR = /(<div class="left-buttons">)/;
/** The `path_to_root` of the page. */
const ROOT = /path_to_root\s*=\s*"([^"]*)"/;

/** A page with the search in it. `undefined` if it is not a page of the book. */
function withSearch(html) {
  const root = ROOT.exec(html)?.[1];
  if (root === undefined || html.includes("<findling-search")) return undefined;
  const search = `<findling-search site="${root || "./"}" theme="page" keys="s"></findling-search>`;
  const files = `${root}${BUNDLE}/findling`;
  const head = `<link rel="stylesheet" href="${files}.css">
<script type="module" src="${files}-ui.js"></script>${STYLE}`;
  const page = html.replace("</head>", () => `${head}</head>`).replace(SCRIPT, "");
  return BUTTON.test(page)
    ? page.replace(BUTTON, () => search)
    : page.replace(BAR, (bar) => bar + search);
}

/** The pages below a directory, except those of the bundle in it. */
function pages(directory) {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".html") && name.split(sep)[0] !== BUNDLE)
    .map((name) => join(directory, name));
}

async function main() {
  const { config, destination } = JSON.parse(await text(process.stdin));
  const html = join(destination, "../html");
  if (!existsSync(html))
    throw new Error(
      `expected the pages of mdBook in ${html}, found none: book.toml needs a table ` +
        "[output.html], and the table of this backend must be called [output.html-findling], " +
        "because mdBook runs backends in the order of their names",
    );
  const options = config.output?.["html-findling"] ?? {};
  for (const file of pages(html)) {
    const page = withSearch(readFileSync(file, "utf8"));
    if (page !== undefined) writeFileSync(file, page);
  }
  const excluded = excluding(["print.html", "toc.html"]);
  const report = await buildBundle(html, join(html, BUNDLE), options, excluded);
  console.error(`findling: ${report.pages} pages can be searched`);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
