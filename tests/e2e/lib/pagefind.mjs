// A site made for Pagefind, built by `findling build SITE --pagefind`.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dist, run, scratch } from "./bundle.mjs";

const page = (lang, body, head = "") => `<!doctype html><html lang="${lang}"><head>
<meta charset="utf-8"><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;

/** The pages by path: kilns in English, one of them in German. */
export const PAGES = {
  "index.html": page("en", "<main><h1>The workshop</h1><p>Kilns and glazes.</p></main>"),
  "kilns/gas/index.html": page(
    "en",
    `<nav>Skip this menu</nav><h1>Gas kilns</h1>
     <p data-pagefind-meta="author">Ann Potter</p>
     <span data-pagefind-filter="fuel">gas</span> <i data-pagefind-filter="size">large</i>
     <i data-pagefind-sort="price:900"></i>
     <p>A gas kiln fires quickly. <b>Reduction</b> needs a gas kiln.</p>
     <h2 id="safety">Safety</h2><p>Ventilate the room of a kiln &lt;always&gt;.</p>
     <h2 id="cost">Cost</h2><p>Gas costs less than electricity.</p>`,
  ),
  "kilns/electric/index.html": page(
    "en",
    `<h1>Electric kilns</h1><img src="/electric.png" alt="An electric kiln">
     <span data-pagefind-filter="fuel">electricity</span>
     <i data-pagefind-filter="size">small</i><i data-pagefind-filter="size">large</i>
     <i data-pagefind-sort="price:1200"></i>
     <p>An electric kiln fires evenly.</p>`,
  ),
  "wheels/index.html": page(
    "en",
    `<h1>Wheels</h1><p data-pagefind-ignore>A secret kiln.</p>
     <p>Clay is thrown on a wheel.</p>`,
  ),
  "electric.png": "",
  "de/index.html": page("de", "<h1>Brennöfen</h1><p>Ein kiln heißt hier Brennofen.</p>"),
};

/** Writes pages, builds their search into `pagefind/`, and returns the site's directory. */
export function buildPagefind(pages = PAGES, ...args) {
  const site = scratch();
  for (const [path, html] of Object.entries(pages)) {
    mkdirSync(dirname(join(site, path)), { recursive: true });
    writeFileSync(join(site, path), html);
  }
  run("--quiet", "build", site, "--pagefind", "--client", dist, "--encoder", "none", ...args);
  return site;
}

/** Opens a page of the site at `url` with the module `pagefind.js` as `pagefind`. */
export async function visitPagefind(session, url = "", script = "/pagefind/pagefind.js") {
  const opened = await session.visit(`${url}index.html`);
  await opened.evaluate(async (script) => {
    window.pagefind = await import(script);
    /** Addresses of a search's results, in order. */
    window.urls = async (search) => {
      const pages = await Promise.all((await search).results.map((result) => result.data()));
      return pages.map(({ url }) => url);
    };
  }, script);
  return opened;
}
