// Messages to a reader while an answer is on its way, and if no answer arrives.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { answered, ask, expectComplaints, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { gate, serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("a reader who waits", () => {
  let page;
  const session = new Session(() =>
    serve([build()], {
      "/": withSearch(),
      "/words": withSearch(`mode="lexical"`),
      "/de": withSearch().replace('lang="en"', 'lang="de"'),
    }),
  );
  beforeEach(async () => {
    page = await session.visitSearch();
  });
  const panel = () => page.locator("findling-search .panel");
  const state = () => panel().locator(".state");

  test("is told that the search is under way, in the reader's language", async () => {
    for (const [path, text] of [
      ["", "Searching…"],
      ["de", "Suche läuft…"],
    ]) {
      page = await session.visitSearch(path);
      const { hold, open } = gate((path) => path.endsWith(".idx"));
      session.server.hold = hold;
      await page.evaluate(() => document.querySelector("findling-search").show());
      await page.getByRole("combobox").fill("kiln");
      await state().getByText(text).waitFor();
      await page.getByRole("status").filter({ hasText: text }).waitFor();
      open();
      await page.getByRole("option").first().waitFor();
      assert.equal(await state().isVisible(), false);
    }
  });

  test("is told so as well while the rows of another search are shown", async () => {
    await page.keyboard.press("Control+k");
    await ask(page, "pinholes");
    await page.evaluate(async () => {
      const index = await document.querySelector("findling-search").index;
      const search = index.search.bind(index);
      const held = new Promise((resolve) => {
        window.release = resolve;
      });
      index.search = async (query, options) => {
        await held;
        return search(query, options);
      };
    });
    await page.getByRole("combobox").fill("kiln");
    await panel().locator(".summary").getByText("Searching…").waitFor();
    assert.equal(await panel().evaluate((panel) => panel.classList.contains("slow")), true);
    await page.evaluate(() => window.release());
    await answered(page);
    assert.equal(await panel().evaluate((panel) => panel.classList.contains("slow")), false);
  });

  test("without a connection is told so, without addresses and codes", async () => {
    await page.keyboard.press("Control+k");
    await ask(page, "pinholes");
    await page.context().setOffline(true);
    await page.getByRole("combobox").fill("thermocouple polarity");
    await state().getByRole("heading").waitFor();
    // The search by meaning, which follows the search by words, has no connection either.
    await answered(page);
    const text = await state().innerText();
    assert.match(text, /no connection/);
    assert.doesNotMatch(text, /https?:|\.bin|\.idx|network|fetch/i);
    assert.equal(await state().getAttribute("data-code"), "network");
    assert.equal(await panel().locator(".facets .chip").count(), 0, "counts of another answer");
    await page.context().setOffline(false);
    await state().getByRole("button", { name: "Try again" }).click();
    await page.getByRole("option").first().waitFor();
    expectComplaints(page, /findling: network: /, /ERR_INTERNET_DISCONNECTED/);
  });

  test("is told that something is wrong with the site, and the console says what", async () => {
    session.server.missing = /\.idx$/;
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("kiln");
    await state().getByRole("button", { name: "Try again" }).waitFor();
    const text = await state().innerText();
    assert.doesNotMatch(text, /https?:|findling|open\(\)|404/i);
    assert.match(text, /Something went wrong on this site/);
    expectComplaints(
      page,
      /findling: not-found: .*http[\s\S]*troubleshooting\.md#not-found /,
      /404/,
    );
  });

  test("reads an error on, though a part of the search is still under way", async () => {
    await page.evaluate(async () => {
      const element = document.querySelector("findling-search");
      element.show();
      const index = await element.index;
      const held = new Promise((resolve) => {
        window.release = resolve;
      });
      index.search = async (_query, { mode }) => {
        if (mode !== "lexical") await held;
        throw Object.assign(new Error("gone"), { code: "shard-missing", advice: "gone" });
      };
    });
    expectComplaints(page, /findling: shard-missing: gone/);
    const isTold = async () =>
      assert.match(await state().innerText(), /Something went wrong on this site/);
    await page.getByRole("combobox").fill("kiln");
    await state().getByRole("button", { name: "Try again" }).waitFor();
    // Longer than the time after which a search is announced as running.
    await page.waitForTimeout(500);
    await isTold();
    await page.evaluate(() => window.release());
    await answered(page);
    await isTold();
  });

  test("reads no remark that only the site's owner can act on", async () => {
    await page.keyboard.press("Control+k");
    for (const query of ["zzyzx", "qwrtpsdf kiln", "the of and", "kind:nothing kiln"]) {
      await ask(page, query);
      const text = await panel().innerText();
      assert.doesNotMatch(text, /encoder|vector|shard|bundle/i, query);
    }
  });
});
