// Search without a mouse and without seeing: axe-core finds no violation in any state of the panel.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { answered, ask, expectComplaints, withResults, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

describe("assistive technology can use the panel", () => {
  const session = new Session(() =>
    serve([build()], {
      "/": withSearch(),
      "/inline": withSearch("inline"),
      "/parts": withSearch('scopes="This part = kind:faq; Everything = none"'),
      "/rtl": withSearch().replace('<html lang="en">', '<html lang="en" dir="rtl">'),
      "/search": withResults('paging="pages" limit="3"'),
    }),
  );

  const search = (query) => async (page) => {
    await page.keyboard.press("Control+k");
    if (query) await ask(page, query);
  };
  const states = {
    "before it is opened": async () => {},
    "before anything is typed": search(),
    "with results and filters": search("kiln"),
    "with a filter chosen": async (page) => {
      await search("kiln")(page);
      await page.getByRole("group", { name: "kind" }).getByRole("button").first().click();
      await answered(page);
    },
    "with nothing found": search('"no such phrase"'),
    "with an error": async (page) => {
      session.server.corrupt = /\.bin$/;
      await search("kiln")(page);
      await page.getByRole("button", { name: "Try again" }).waitFor();
      session.server.corrupt = undefined;
      expectComplaints(page, /findling: manifest-changed: /);
    },
  };
  for (const colorScheme of ["light", "dark"]) {
    for (const [state, reach] of Object.entries(states)) {
      test(`${state}, ${colorScheme}`, async () => {
        const options = { colorScheme, reducedMotion: "reduce" };
        const page = await session.visitSearch("", options);
        await reach(page);
        await page.waitForTimeout(250);
        await noViolations(page);
      });
    }
  }
  const history = {
    searches: ["pinholes"],
    opened: [{ href: "http://127.0.0.1/a", title: "A page" }],
    favourites: [{ href: "http://127.0.0.1/b", title: "Another page" }],
  };
  for (const options of [{}, { colorScheme: "dark" }, { forcedColors: "active" }]) {
    const how = Object.values(options)[0] ?? "light";
    test(`with a history, ${how}`, async () => {
      const page = await session.visitSearch("", {
        ...options,
        reducedMotion: "reduce",
        init: (history) =>
          localStorage.setItem("findling-history /findling/", JSON.stringify(history)),
        argument: history,
      });
      await page.keyboard.press("Control+k");
      await page.locator("findling-search .history li").first().waitFor();
      await noViolations(page);
    });
    test(`a page of results with filters, ${how}`, async () => {
      const page = await session.visitResults("search?q=kiln&f.kind=guide&f.kind=faq", {
        ...options,
        reducedMotion: "reduce",
      });
      await noViolations(page);
      await page.getByRole("searchbox").fill('"no such phrase"');
      await page.getByRole("heading", { name: /no such phrase/ }).waitFor();
      await noViolations(page);
    });
  }
  test("signs between headings are not read", async () => {
    const page = await session.visitSearch();
    await search("kiln")(page);
    const tree = await page.getByRole("listbox").ariaSnapshot();
    assert.match(tree, /option "Cracks after firing /);
    assert.doesNotMatch(tree, /\u203a/);
  });
  test("a page of results on a phone", async () => {
    const page = await session.visitResults("search?q=kiln", {
      viewport: { width: 390, height: 800 },
    });
    await page.locator("findling-results summary").click();
    await noViolations(page);
  });
  for (const where of ["inline", "rtl"]) {
    test(`with results, ${where}`, async () => {
      const page = await session.visitSearch(where, { reducedMotion: "reduce" });
      await search("kiln")(page);
      await noViolations(page);
    });
  }

  for (const [how, options] of Object.entries({
    "a wide page": {},
    "a dark page": { colorScheme: "dark" },
    "a phone": { viewport: { width: 320, height: 560 } },
  }))
    test(`with a switch between parts, on ${how}`, async () => {
      const page = await session.visitSearch("parts", { reducedMotion: "reduce", ...options });
      await page.keyboard.press("Control+k");
      await page.locator("findling-search input").fill("kiln");
      await answered(page);
      await noViolations(page);
    });

  async function noViolations(page) {
    await page.addScriptTag({ path: axe });
    const { violations } = await page.evaluate(
      (runOnly) => globalThis.axe.run(document, { runOnly }),
      RULES,
    );
    const told = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target} ${failureSummary}`),
    );
    assert.deepEqual(told, []);
  }
});
