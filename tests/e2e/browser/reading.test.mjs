// The view of a reader in <findling-search>.

import assert from "node:assert/strict";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { answered, ask, atOnce, focused, options, withSearch } from "../lib/browser.mjs";
import { build, shardsOfKind } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { gate, serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";
import { HOSTILE_TITLE, PAGES } from "../lib/site.mjs";

describe("a reader on a page with search", () => {
  let site;
  let page;
  const session = new Session(() => {
    site = build();
    return serve([site], {
      "/": withSearch(),
      "/form": withSearch("", `<label>Name <input id="name"></label>`),
      "/inline": withSearch("inline"),
      "/words": withSearch(`mode="lexical"`),
      "/no-vector": withSearch(`encoder="none"`),
      "/recent": withSearch(`mode="lexical" order="recent"`),
      "/few": withSearch(`limit="2"`),
      // A record's address that looks like a script leads here, as a path of the site.
      "/javascript:window.harmed=true": withSearch(),
    });
  });
  beforeEach(async () => {
    page = await session.visitSearch();
  });

  const dialog = () => page.getByRole("dialog");
  const first = () => page.getByRole("option").first();
  const corrected = () => dialog().locator(".corrected");
  const goTo = async (path) => {
    await page.goto(session.address(path));
    await page.locator("findling-search:defined").waitFor();
  };
  const openDialog = async (path) => {
    if (path !== undefined) await goTo(path);
    await page.keyboard.press("Control+k");
  };
  const pageCount = (expected) =>
    page.waitForFunction((expected) => {
      const { shadowRoot } = document.querySelector("findling-search");
      return shadowRoot.querySelectorAll(".page").length === expected;
    }, expected);

  test("loads only the search box until search is wanted", async () => {
    await page.waitForLoadState("networkidle");
    const requested = session.server.log.filter((path) => path.startsWith("/findling/"));
    assert.deepEqual(requested, ["/findling/findling-ui.js"]);
  });

  test("waits for no script of the client before the engine is asked for", async () => {
    const first = /\/findling(\.js|-worker\.js|_engine\.wasm|\.idx)$/;
    const { hold, open } = gate((path) => first.test(path));
    session.server.hold = hold;
    await openDialog();
    const asked = () => new Set(session.server.log.filter((path) => first.test(path)));
    while (asked().size < 4) await page.waitForTimeout(10);
    open();
    await ask(page, "pinholes");
  });

  test("presses Ctrl+K, types, and sees the matching section with its words marked", async () => {
    await openDialog();
    await dialog().waitFor();
    await ask(page, "pinholes");
    assert.match(await first().innerText(), /^Glazing\s+guide\s+Crawling and pinholes\s+/);
    const marked = await first().locator("mark").allInnerTexts();
    assert.ok(marked.length > 0);
    for (const text of marked) assert.equal(text.toLowerCase(), "pinholes");
  });

  for (const [path, mode] of [
    ["", "hybrid"],
    ["no-vector", "lexical"],
  ]) {
    test(`sees five pages by words, then all pages of the whole answer, ${mode}`, async () => {
      await goTo(path);
      await page.evaluate(() => {
        window.answers = [];
        addEventListener("findling-search", ({ detail: { mode, results } }) => {
          answers.push({ mode, pages: results.length });
        });
      });
      await openDialog();
      await ask(page, "kiln");
      await page.waitForFunction(() => answers.length === 2);
      const [words, whole] = await page.evaluate(() => answers);
      assert.deepEqual(words, { mode: "lexical", pages: 5 });
      assert.equal(whole.mode, mode);
      assert.ok(whole.pages > 5, `${whole.pages} pages`);
      await pageCount(whole.pages);
    });
  }

  test("adds results once, however often the button is clicked", async () => {
    await openDialog("few");
    await ask(page, "kiln");
    await pageCount(2);
    const more = page.getByRole("button", { name: "More results" });
    const titles = () =>
      page.locator("findling-search .page .title span:first-child").allInnerTexts();
    await more.evaluate((button) => {
      button.click();
      button.click();
    });
    await pageCount(4);
    await more.click();
    await pageCount(6);
    assert.equal(new Set(await titles()).size, 6);
  });

  test("sees no title above more pages by words, in a list it has moved in", async () => {
    await goTo("no-vector");
    await page.evaluate(() => {
      const { shadowRoot } = document.querySelector("findling-search");
      const down = () =>
        shadowRoot
          .querySelector("input")
          .dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
      addEventListener("findling-search", () => setTimeout(down), { once: true });
      window.answers = 0;
      addEventListener("findling-search", () => answers++);
    });
    await openDialog();
    await ask(page, "kiln");
    await page.waitForFunction(() => answers === 2);
    assert.ok((await page.getByRole("listbox").locator(".page").count()) > 5);
    assert.equal(await dialog().locator(".also-title").count(), 0);
  });

  test("hears how many pages match", async () => {
    await openDialog();
    await ask(page, "pinholes");
    // It follows the answer, and a slow search announces itself before.
    const found = /^[1-9]\d* pages?, [1-9]\d* sections?$/;
    await page.getByRole("status").filter({ hasText: found }).waitFor();
  });

  test("gets results while a word is unfinished", async () => {
    await openDialog();
    await page.getByRole("combobox").pressSequentially("thermocou", { delay: 10 });
    await page.getByRole("option").filter({ hasText: "Thermocouple" }).first().waitFor();
  });

  test("sees the results of the other words before a misspelt word is corrected", async () => {
    page = await session.visitSearch("", { init: atOnce });
    const spelling = shardsOfKind(join(site, "findling"), "spelling");
    const isSpelling = (path) => spelling.some((name) => path.endsWith(name));
    const { hold, open } = gate((path) => isSpelling(path) || path.endsWith("engine_rest.wasm"));
    session.server.hold = hold;
    await openDialog();
    await page.getByRole("combobox").fill("thermocuople kiln");
    // The server holds back the shards of spellings and the part of the engine that corrects, so
    // that no correction can be made.
    await first().waitFor();
    assert.equal(await corrected().isVisible(), false);
    await page.waitForFunction(() =>
      document.querySelector("findling-search").shadowRoot.querySelector("[aria-busy=true]"),
    );
    await eventually(() =>
      assert.ok(session.server.log.some(isSpelling), "the shards of spellings were asked for"),
    );
    open();
    await corrected().waitFor();
    await answered(page);
    assert.match(await first().innerText(), /^Thermocouple/);
  });

  test("keeps the rows it has moved in when the corrected results arrive", async () => {
    const spelling = shardsOfKind(join(site, "findling"), "spelling");
    const { hold, open } = gate((path) => spelling.some((name) => path.endsWith(name)));
    session.server.hold = hold;
    await openDialog("words");
    await page.getByRole("combobox").fill("thermocuople glaze");
    await first().waitFor();
    await page.keyboard.press("ArrowDown");
    const before = await options(page);
    open();
    await corrected().waitFor();
    await answered(page);
    const now = await options(page);
    assert.deepEqual(now.slice(0, before.length), before);
    assert.ok(now.slice(before.length).some((text) => text.startsWith("Thermocouple")));
  });

  test("sees what a misspelt word was corrected to, and can search for it as written", async () => {
    await openDialog();
    await ask(page, "pinhoels");
    assert.equal(await corrected().locator("strong").innerText(), "pinholes");
    assert.match(await first().innerText(), /Crawling and pinholes/);
    await corrected().getByRole("button").click();
    await corrected().waitFor({ state: "hidden" });
    await ask(page, "pinholes");
    assert.equal(await corrected().isVisible(), false);
  });

  test("gets suggestions if nothing is found, and asks one with a click", async () => {
    await openDialog("words");
    const state = dialog().locator(".state");
    // A misspelt word inside a phrase: phrases are not corrected.
    await ask(page, '"crawling and pinhoels"');
    await state.getByRole("heading").waitFor();
    const kinds = state.locator("button[data-kind]");
    assert.deepEqual(
      await kinds.evaluateAll((buttons) => buttons.map(({ dataset }) => dataset.kind)),
      ["words", "phrases"],
    );
    await kinds.first().click();
    await first().waitFor();
    assert.equal(await page.getByRole("combobox").inputValue(), '"crawling and pinholes"');
    assert.match(await first().innerText(), /Crawling and pinholes/);
  });

  test("clears the filters and their chips if nothing is found with them", async () => {
    await openDialog("words");
    await ask(page, "kiln");
    await dialog()
      .getByRole("button", { name: /^reference/ })
      .click();
    await ask(page, "pinholes");
    await dialog().locator(".state").getByRole("button", { name: "Clear filters" }).click();
    await first().waitFor();
    assert.equal(await dialog().locator(".chip[aria-pressed=true]").count(), 0);
  });

  test("sees the newest pages first if the site orders by date", async () => {
    const titles = async (path) => {
      await openDialog(path);
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

  test("sees the text of a query as text, also in suggestions", async () => {
    await openDialog("words");
    await ask(page, '"<img src=x onerror=window.harmed=true> pinholes"');
    const state = dialog().locator(".state");
    await state.getByRole("heading").filter({ hasText: "<img src=x" }).waitFor();
    assert.ok((await state.locator("button[data-kind]").count()) > 0);
    assert.equal(await state.locator("img").count(), 0);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
  });

  test("opens the dialog with the slash key, but not while writing in a form", async () => {
    await page.keyboard.press("/");
    await dialog().waitFor();
    assert.equal(await page.getByRole("combobox").inputValue(), "");
    await goTo("form");
    await page.locator("#name").focus();
    await page.keyboard.type("a/b");
    assert.equal(await page.locator("#name").inputValue(), "a/b");
    assert.equal(await dialog().count(), 0);
  });

  test("moves with the arrow keys and goes to the section's anchor with Enter", async () => {
    await openDialog();
    await ask(page, "thermocouple swapped polarity");
    const selected = page.locator("findling-search [aria-selected=true]");
    assert.equal(await selected.count(), 1);
    const before = await selected.getAttribute("id");
    await page.keyboard.press("ArrowDown");
    const moved = await selected.getAttribute("id");
    assert.notEqual(moved, before);
    const active = await page.getByRole("combobox").getAttribute("aria-activedescendant");
    assert.equal(active, moved);
    await page.keyboard.press("ArrowUp");
    assert.equal(await selected.getAttribute("id"), before);
    await page.keyboard.press("Enter");
    await page.waitForURL(/#/);
    const [address] = page.url().split(":~:");
    assert.equal(address, session.address("reference/thermocouple.html#swap"));
    // The element with the sentence is the target, in the section that the anchor names.
    await page.locator("#swap + :target").waitFor();
  });

  test("closes the dialog with Escape, and the focus is where it was", async () => {
    const hasFocus = (element) => element.getRootNode().activeElement === element;
    const trigger = page.getByRole("button", { name: "Search" });
    await trigger.focus();
    await page.keyboard.press("Enter");
    await dialog().waitFor();
    assert.equal(await page.getByRole("combobox").evaluate(hasFocus), true);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "hidden" });
    assert.equal(await trigger.evaluate(hasFocus), true);
  });

  test("tabs from the box to the close button and to the filters, past the results", async () => {
    await openDialog();
    await ask(page, "kiln");
    const className = () => focused(page, ({ className }) => className);
    await page.keyboard.press("Tab");
    assert.equal(await className(), "close");
    await page.keyboard.press("Tab");
    assert.equal(await className(), "chip");
  });

  test("chooses a filter, sees fewer results, and can choose another next to it", async () => {
    await openDialog();
    await ask(page, "kiln");
    const chip = (name) => page.getByRole("group", { name: "kind" }).getByRole("button", { name });
    const count = async (name) => Number(await chip(name).locator("small").innerText());
    const [faq, guide] = [await count("faq"), await count("guide")];
    assert.ok((await page.getByRole("listbox").locator(".page").count()) > faq);
    await chip("faq").click();
    await pageCount(faq);
    assert.equal(await chip("faq").getAttribute("aria-pressed"), "true");
    // The chip of another value shows the number of pages that it would add.
    assert.equal(await count("guide"), guide);
    await chip("guide").click();
    await pageCount(faq + guide);
  });

  test("is told that nothing is found, and offered to clear the filters", async () => {
    await openDialog("words");
    await ask(page, "kiln");
    await page
      .getByRole("group", { name: "kind" })
      .getByRole("button", { name: "reference" })
      .click();
    await ask(page, "quokka");
    await page.getByRole("heading", { name: /quokka/ }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await first().waitFor();
    await ask(page, "zeppelin");
    await page.getByRole("heading", { name: /zeppelin/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Clear filters" }).count(), 0);
  });

  test("sees text from the index as text", async () => {
    await openDialog();
    await ask(page, "quokka");
    const shown = (await options(page)).join("\n");
    assert.ok(shown.includes(HOSTILE_TITLE), shown);
    assert.match(shown, /<script>window\.harmed = true<\/script>|<a href=/);
    const markup = page.getByRole("listbox").locator("img, script, b, svg");
    assert.equal(await markup.count(), 0);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
  });

  test("cannot be led to an address that is a script", async () => {
    await openDialog();
    await ask(page, "wombat");
    assert.match(await first().innerText(), /Wombat record/);
    assert.doesNotMatch((await first().getAttribute("href")) ?? "", /^\s*javascript:/i);
    let ran = false;
    await page.exposeFunction("ran", () => {
      ran = true;
    });
    await page.evaluate(() => Object.defineProperty(window, "harmed", { set: () => window.ran() }));
    await page.keyboard.press("Enter");
    await page.waitForTimeout(300);
    assert.equal(ran, false);
    await openDialog("");
    await ask(page, "platypus");
    const [address] = (await first().getAttribute("href")).split("#");
    assert.equal(address, "https://example.org/platypus");
  });

  test("finds the box inside the page if the site wants it there", async () => {
    await goTo("inline");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.keyboard.press("/");
    await ask(page, "dunting");
    assert.match((await options(page))[0], /Why do pots break\?/);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("combobox").inputValue(), "");
  });

  test("is led by the site if the site handles the choice of a result", async () => {
    await page.evaluate(() => {
      document.addEventListener("findling-select", (event) => {
        event.preventDefault();
        window.chosen = event.detail.href;
      });
    });
    await openDialog();
    await ask(page, "dunting");
    await page.keyboard.press("Enter");
    assert.equal(
      await page.evaluate(() => window.chosen),
      session.address("faq/pots.html#dunting"),
    );
    assert.equal(page.url(), session.address());
  });
});
