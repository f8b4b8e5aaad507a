// What a reader sees of <findling-search>.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { ask, launch, open, options, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { HOSTILE_TITLE, PAGES } from "../lib/site.mjs";

describe("a reader on a page with search", () => {
  let browser, server, page;
  before(async () => {
    server = await serve([build()], {
      "/": withSearch(),
      "/form": withSearch("", `<label>Name <input id="name"></label>`),
      "/inline": withSearch("inline"),
      "/words": withSearch(`mode="lexical"`),
      "/recent": withSearch(`mode="lexical" order="recent"`),
    });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(async () => {
    server.log.length = 0;
    page = await open(browser, server.url);
    await page.locator("findling-search:defined").waitFor();
  });
  afterEach(async () => {
    const { thrown } = page;
    await page.context().close();
    assert.deepEqual(thrown, []);
  });

  const dialog = () => page.getByRole("dialog");

  test("loads nothing but the search box until search is wanted", async () => {
    await page.waitForLoadState("networkidle");
    assert.deepEqual(
      server.log.filter((path) => path.startsWith("/findling/")),
      ["/findling/findling-ui.js"],
    );
  });

  test("presses Ctrl+K, types, and sees the section that answers with the words marked", async () => {
    await page.keyboard.press("Control+k");
    await dialog().waitFor();
    await ask(page, "pinholes");
    const first = page.getByRole("option").first();
    assert.match(await first.innerText(), /^Glazing\s+guide\s+Crawling and pinholes\s+/);
    assert.deepEqual(
      [...new Set((await first.locator("mark").allInnerTexts()).map((text) => text.toLowerCase()))],
      ["pinholes"],
    );
    assert.match(
      await page
        .getByRole("status")
        .innerText()
        .catch(() => ""),
      /^$|page/,
    );
  });

  test("gets results while a word is still unfinished", async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").pressSequentially("thermocou", { delay: 10 });
    await page.getByRole("option").filter({ hasText: "Thermocouple" }).first().waitFor();
  });

  test("is told what was searched for instead of a slip, and can take it back", async () => {
    await page.keyboard.press("Control+k");
    await ask(page, "pinhoels");
    const corrected = dialog().locator(".corrected");
    assert.match(await corrected.innerText(), /^Showing results for pinholes/);
    assert.match(await page.getByRole("option").first().innerText(), /Crawling and pinholes/);
    await corrected
      .getByRole("button", { name: "Search for \u201Cpinhoels\u201D as written" })
      .click();
    await corrected.waitFor({ state: "hidden" });
    await ask(page, "pinholes");
    assert.equal(await corrected.isVisible(), false);
  });

  test("is told what else to ask where nothing is found, and asks it with a click", async () => {
    await page.goto(`${server.url}words`);
    await page.locator("findling-search:defined").waitFor();
    await page.keyboard.press("Control+k");
    const state = dialog().locator(".state");
    // A phrase with a slip in it; nothing in a phrase is corrected unasked.
    await ask(page, '"crawling and pinhoels"');
    assert.match(await state.innerText(), /^Nothing found for[\s\S]*Did you mean/);
    assert.deepEqual(await state.getByRole("button").allInnerTexts(), [
      '"crawling and pinholes" 1 page',
      "Without quotation marks 1 page",
    ]);
    await state.getByRole("button").first().click();
    await page.getByRole("option").first().waitFor();
    assert.equal(await page.getByRole("combobox").inputValue(), '"crawling and pinholes"');
    assert.match(await page.getByRole("option").first().innerText(), /Crawling and pinholes/);
    // Filters come off with the chips that stand for them.
    await ask(page, "pinholes");
    await ask(page, "kiln");
    await dialog()
      .getByRole("button", { name: /^reference/ })
      .click();
    await ask(page, "pinholes");
    await state.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("option").first().waitFor();
    assert.equal(await dialog().locator(".chip[aria-pressed=true]").count(), 0);
  });

  test("finds the newest pages first where the site wants that, and the most relevant otherwise", async () => {
    const titles = async (path) => {
      await page.goto(`${server.url}${path}`);
      await page.locator("findling-search:defined").waitFor();
      await page.keyboard.press("Control+k");
      await ask(page, "kiln");
      return (await options(page)).map((text) => text.split("\n")[0].trim());
    };
    const [relevant, recent] = [await titles("words"), await titles("recent")];
    assert.notDeepEqual(relevant, recent);
    assert.deepEqual([...relevant].sort(), [...recent].sort());
    const updated = new Map(PAGES.map(({ title, updated }) => [title, updated]));
    const dates = recent.map((title) => updated.get(title)).filter((date) => date !== undefined);
    assert.ok(dates.length > 2, recent.join(", "));
    assert.deepEqual(dates, [...dates].sort().reverse());
  });

  test("is never given a suggestion's text as markup", async () => {
    await page.goto(`${server.url}words`);
    await page.locator("findling-search:defined").waitFor();
    await page.keyboard.press("Control+k");
    await ask(page, '<img/src=x/onerror="window.harmed=true"> "crawling pinholes"');
    const state = dialog().locator(".state");
    assert.equal(await state.locator("img").count(), 0);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
  });

  test("opens with the slash key, but not while writing in a form", async () => {
    await page.keyboard.press("/");
    await dialog().waitFor();
    assert.equal(await page.getByRole("combobox").inputValue(), "");
    await page.goto(`${server.url}form`);
    await page.locator("findling-search:defined").waitFor();
    await page.locator("#name").focus();
    await page.keyboard.type("a/b");
    assert.equal(await page.locator("#name").inputValue(), "a/b");
    assert.equal(await dialog().count(), 0);
  });

  test("moves with the arrow keys and Enter goes to the section's anchor", async () => {
    await page.keyboard.press("Control+k");
    await ask(page, "thermocouple swapped polarity");
    const selected = () => page.locator("findling-search [aria-selected=true]");
    assert.equal(await selected().count(), 1);
    const before = await selected().getAttribute("id");
    await page.keyboard.press("ArrowDown");
    const moved = await selected().getAttribute("id");
    assert.notEqual(moved, before);
    assert.equal(await page.getByRole("combobox").getAttribute("aria-activedescendant"), moved);
    await page.keyboard.press("ArrowUp");
    assert.equal(await selected().getAttribute("id"), before);
    await page.keyboard.press("Enter");
    await page.waitForURL(/#/);
    assert.equal(
      new URL(page.url()).pathname + new URL(page.url()).hash,
      "/reference/thermocouple.html#swap",
    );
    assert.equal(await page.locator("h2:target").innerText(), "Swapping the thermocouple");
  });

  test("closes with Escape and the keyboard is where it was", async () => {
    const trigger = page.getByRole("button", { name: "Search" });
    await trigger.focus();
    await page.keyboard.press("Enter");
    await dialog().waitFor();
    assert.equal(
      await page
        .getByRole("combobox")
        .evaluate((input) => input.getRootNode().activeElement === input),
      true,
    );
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "hidden" });
    assert.equal(
      await trigger.evaluate((button) => button.getRootNode().activeElement === button),
      true,
    );
  });

  test("tabs from the box to the button that closes, to the filters, and no result is in the way", async () => {
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
    const focused = () =>
      page.evaluate(() => {
        const active = document.activeElement.shadowRoot.activeElement;
        return active.ariaLabel ?? active.textContent;
      });
    await page.keyboard.press("Tab");
    assert.match(await focused(), /^Close/);
    await page.keyboard.press("Tab");
    assert.match(await focused(), /^(faq|guide|reference)\d+$/);
  });

  test("chooses a filter, sees fewer results, and can choose another beside it", async () => {
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
    const chip = (name) => page.getByRole("group", { name: "kind" }).getByRole("button", { name });
    const count = async (name) => Number(/\d+$/.exec(await chip(name).innerText())[0]);
    const [faq, guide] = [await count("faq"), await count("guide")];
    const pages = async () => page.getByRole("listbox").getByRole("group").count();
    assert.ok((await pages()) > faq);
    await chip("faq").click();
    await page.waitForFunction(
      (n) =>
        document.querySelector("findling-search").shadowRoot.querySelectorAll(".page").length === n,
      faq,
    );
    assert.equal(await chip("faq").getAttribute("aria-pressed"), "true");
    // What the other values would give is still told.
    assert.equal(await count("guide"), guide);
    await chip("guide").click();
    await page.waitForFunction(
      (n) =>
        document.querySelector("findling-search").shadowRoot.querySelectorAll(".page").length === n,
      faq + guide,
    );
  });

  test("is told when nothing is found, and offered a way out of the filters", async () => {
    await page.goto(`${server.url}words`);
    await page.locator("findling-search:defined").waitFor();
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
    await page
      .getByRole("group", { name: "kind" })
      .getByRole("button", { name: "reference" })
      .click();
    await ask(page, "quokka");
    // Screen readers are told the same a moment later, so that the text alone may stand there
    // twice.
    await page.getByRole("heading", { name: "Nothing found for “quokka”" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("option").first().waitFor();
    await ask(page, "zeppelin");
    await page.getByText("Try other words").waitFor();
  });

  test("sees text from the index as text, whatever it says", async () => {
    await page.keyboard.press("Control+k");
    await ask(page, "quokka");
    const shown = (await options(page)).join("\n");
    assert.ok(shown.includes(HOSTILE_TITLE), shown);
    assert.ok(
      shown.includes("<script>window.harmed = true</script>") || shown.includes("<a href="),
      shown,
    );
    const inside = await page.evaluate(
      () =>
        [
          ...document
            .querySelector("findling-search")
            .shadowRoot.querySelectorAll(
              "[role=listbox] img, [role=listbox] script, [role=listbox] b, [role=listbox] svg",
            ),
        ].length,
    );
    assert.equal(inside, 0);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
  });

  test("cannot be led to an address that is a script", async () => {
    await page.keyboard.press("Control+k");
    await ask(page, "wombat");
    const option = page.getByRole("option").first();
    assert.match(await option.innerText(), /Wombat record/);
    assert.doesNotMatch((await option.getAttribute("href")) ?? "", /^\s*javascript:/i);
    // Wherever Enter leads, it runs nothing here.
    await page.exposeFunction("ran", () => (page.ran = true));
    await page.evaluate(() => Object.defineProperty(window, "harmed", { set: () => window.ran() }));
    await page.keyboard.press("Enter");
    await page.waitForTimeout(300);
    assert.equal(page.ran, undefined);
    await page.goto(server.url);
    await page.locator("findling-search:defined").waitFor();
    await page.keyboard.press("Control+k");
    await ask(page, "platypus");
    assert.equal(
      await page.getByRole("option").first().getAttribute("href"),
      "https://example.org/platypus",
    );
  });

  test("finds the box standing in the page where the site wants it so", async () => {
    await page.goto(`${server.url}inline`);
    await page.locator("findling-search:defined").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.keyboard.press("/");
    await ask(page, "dunting");
    assert.match((await options(page))[0], /Why do pots break\?/);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("combobox").inputValue(), "");
  });

  test("can leave where a result leads to the site", async () => {
    await page.evaluate(() => {
      document.addEventListener("findling-select", (event) => {
        event.preventDefault();
        window.chosen = event.detail.href;
      });
    });
    await page.keyboard.press("Control+k");
    await ask(page, "dunting");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => window.chosen), `${server.url}faq/pots.html#dunting`);
    assert.equal(page.url(), server.url);
  });
});
