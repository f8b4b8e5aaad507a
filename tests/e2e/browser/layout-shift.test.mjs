// Nothing on the page moves when the search loads late.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pageWith } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { gate, serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const HEAD = `<link rel="stylesheet" href="/findling/findling.css">
<script type="module" src="/findling/findling-ui.js"></script>
<script type="module" src="/findling/findling-results.js"></script>`;
const TEXT = "<p>Text below that must not move.</p>".repeat(20);

const page = (element, lang = "en", style = "") =>
  pageWith(
    "Late",
    `${HEAD}<style>${style}</style>`,
    `<header>${element} and a link</header>${TEXT}`,
  ).replace('lang="en"', `lang="${lang}"`);

const PAGES = {
  "/button": page("<findling-search></findling-search>"),
  "/inline": page("<findling-search inline></findling-search>"),
  "/results": page("<findling-results></findling-results>"),
  "/language": page("<findling-search></findling-search>", "de"),
  "/line-height": page(
    "<findling-search></findling-search>",
    "en",
    "header { font-size: 2rem; line-height: 3 }",
  ),
  "/small-root": page("<findling-search></findling-search>", "en", "html { font-size: 62.5% }"),
  "/flex": page(
    "<findling-search></findling-search>",
    "en",
    "header { display: flex; align-items: center }",
  ),
};

describe("a reader whose search comes late", () => {
  const session = new Session(() => serve([build()], { ...PAGES, "/shown": "" }));
  for (const path of Object.keys(PAGES))
    for (const width of [1100, 390, 320])
      test(`sees nothing move: ${path.slice(1)}, ${width} px wide`, async () => {
        // The page is shown before the script loads: it says so by a request.
        const script = gate((path) => path.endsWith(".js"));
        session.server.hold = (path) => {
          if (path === "/shown") setTimeout(script.open, 100);
          return script.hold(path);
        };
        const page = await session.visit(path.slice(1), {
          viewport: { width, height: 800 },
          init: () => {
            window.shifts = 0;
            new PerformanceObserver((list) => {
              for (const { value } of list.getEntries()) window.shifts += value;
            }).observe({ type: "layout-shift", buffered: true });
            const look = () => {
              const element = document.querySelector("findling-search, findling-results");
              const isEarly = element?.matches(":not(:defined)") && document.styleSheets.length > 0;
              if (isEarly) {
                if (window.early !== undefined) window.shown ??= fetch("/shown");
                window.early = document.querySelector("p").getBoundingClientRect().top;
              }
              if (!element?.matches(":defined")) requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
          },
        });
        await page.locator(":is(findling-search, findling-results):defined").waitFor();
        await page.waitForTimeout(500);
        const [early, late, shifts] = await page.evaluate(() => [
          window.early,
          document.querySelector("p").getBoundingClientRect().top,
          window.shifts,
        ]);
        assert.ok(early > 0, "the page was shown before the script came");
        assert.equal(late, early);
        assert.equal(shifts, 0);
      });
});
