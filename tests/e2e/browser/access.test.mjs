// Search for readers who do not use a mouse, or eyes: axe-core finds nothing to object to in any
// state.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { ask, launch, open, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

describe("nothing stands in the way of assistive technology", () => {
  let browser, server;
  before(async () => {
    server = await serve([build()], {
      "/": withSearch(),
      "/inline": withSearch("inline"),
      "/rtl": withSearch().replace('<html lang="en">', '<html lang="en" dir="rtl">'),
    });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const search = (question) => async (page) => {
    await page.keyboard.press("Control+k");
    if (question) await ask(page, question);
  };
  const states = {
    "before it is opened": async () => {},
    "before anything is typed": search(),
    "with results and filters": search("kiln"),
    "with a filter chosen": async (page) => {
      await search("kiln")(page);
      await page.getByRole("group", { name: "kind" }).getByRole("button").first().click();
      await page.waitForTimeout(300);
    },
    "with nothing found": search('"no such phrase"'),
    "with an error": async (page) => {
      server.corrupt = /\.bin$/;
      await search("kiln")(page);
      await page.getByRole("button", { name: "Try again" }).waitFor();
      server.corrupt = undefined;
    },
  };
  for (const colorScheme of ["light", "dark"]) {
    for (const [state, reach] of Object.entries(states)) {
      test(`${state}, ${colorScheme}`, async () => {
        const page = await open(browser, server.url, { colorScheme, reducedMotion: "reduce" });
        await page.locator("findling-search:defined").waitFor();
        await reach(page);
        await page.waitForTimeout(250);
        await objects(page);
        await page.context().close();
      });
    }
  }
  for (const where of ["inline", "rtl"]) {
    test(`with results, ${where}`, async () => {
      const page = await open(browser, `${server.url}${where}`, { reducedMotion: "reduce" });
      await page.locator("findling-search:defined").waitFor();
      await search("kiln")(page);
      await objects(page);
      await page.context().close();
    });
  }

  async function objects(page) {
    await page.addScriptTag({ path: axe });
    const { violations } = await page.evaluate(() =>
      globalThis.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      }),
    );
    const told = violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n  ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join("\n  ")}`,
    );
    assert.deepEqual(told, []);
  }
});
