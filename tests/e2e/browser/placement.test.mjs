// The element in a page with its own colours, keys and router.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ask, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("a page with its own colours, keys and router", () => {
  let page;
  const session = new Session(() =>
    serve([build()], {
      "/page": withSearch('theme="page" keys="s, f"'),
      "/two": withSearch("hidden", "<findling-search id=shown></findling-search>"),
    }),
  );

  const theme = () =>
    page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() =>
            resolve(document.querySelector("findling-search").dataset.page),
          );
        }),
    );

  for (const [color, expected] of [
    ["#16181f", "dark"],
    ["oklch(0.97 0.01 90)", "light"],
    ["lab(12 3 4)", "dark"],
    ["color(srgb 0.9 0.9 0.8)", "light"],
  ])
    test(`gives the search its theme: ${color} is ${expected}`, async () => {
      page = await session.visitSearch("page");
      const other = expected === "dark" ? "white" : "black";
      for (const now of [other, color])
        await page.evaluate((now) => {
          document.body.style.background = now;
        }, now);
      assert.equal(await theme(), expected);
    });

  test("has the reader's theme without a background, and follows a change", async () => {
    page = await session.visitSearch("page", { colorScheme: "dark" });
    await page.evaluate(() => {
      document.documentElement.style.colorScheme = "light dark";
    });
    assert.equal(await theme(), "dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.waitForFunction(
      () => document.querySelector("findling-search").dataset.page === "light",
    );
  });

  test("is searched by keys while something that takes no text has the focus", async () => {
    page = await session.visitSearch("page");
    const dialog = page.locator("findling-search dialog[open]");
    for (const type of ["radio", "checkbox", "button", "range", "text", "search", "email"]) {
      await page.evaluate((type) => {
        const input = Object.assign(document.createElement("input"), { type });
        document.body.append(input);
        input.focus();
      }, type);
      await page.keyboard.press("/");
      const takesText = ["text", "search", "email"].includes(type);
      assert.equal(await dialog.count(), takesText ? 0 : 1, type);
      if (!takesText) await page.keyboard.press("Escape");
    }
  });

  test("shows the search in its own form, not in that of the bar around it", async () => {
    page = await session.visitSearch("page");
    await page.evaluate(() => {
      const { style } = document.querySelector("findling-search").parentElement;
      Object.assign(style, {
        whiteSpace: "nowrap",
        textTransform: "uppercase",
        letterSpacing: "3px",
        textIndent: "2em",
      });
    });
    await page.keyboard.press("f");
    await ask(page, "kiln");
    const text = page.locator("findling-search .hit .text").first();
    const shown = await text.evaluate((element) => {
      const { whiteSpace, textTransform, letterSpacing, textIndent } = getComputedStyle(element);
      return { whiteSpace, textTransform, letterSpacing, textIndent };
    });
    assert.deepEqual(shown, {
      whiteSpace: "normal",
      textTransform: "none",
      letterSpacing: "normal",
      textIndent: "0px",
    });
  });

  test("is searched by its own keys, unless a reader writes", async () => {
    page = await session.visitSearch("page");
    await page.keyboard.press("f");
    await page.locator("findling-search dialog[open]").waitFor();
    await page.keyboard.press("s");
    assert.equal(await page.getByRole("combobox").inputValue(), "s");
  });

  test("is searched by keys on a keyboard of another script", async () => {
    page = await session.visitSearch("page");
    const press = (key, code, ctrlKey) =>
      page.evaluate((event) => document.dispatchEvent(new KeyboardEvent("keydown", event)), {
        key,
        code,
        ctrlKey,
        bubbles: true,
        cancelable: true,
      });
    const dialog = page.locator("findling-search dialog[open]");
    for (const [key, code, ctrlKey] of [
      ["\u043b", "KeyK", true],
      ["\u03ba", "KeyK", true],
      ["\u0646", "KeyK", true],
      ["\u0430", "KeyF", false],
    ]) {
      await press(key, code, ctrlKey);
      await dialog.waitFor();
      await page.evaluate(() => document.querySelector("findling-search").hide());
    }
    // On a Latin keyboard the letter counts, wherever it is.
    await press("v", "KeyK", true);
    assert.equal(await dialog.count(), 0);
    await press("k", "KeyV", true);
    await dialog.waitFor();
  });

  test("with two elements opens the one that is shown", async () => {
    page = await session.visit("two");
    await page.locator("#shown:defined").waitFor();
    await page.keyboard.press("Control+k");
    await page.locator("#shown dialog[open]").waitFor();
    assert.equal(await page.locator("findling-search dialog[open]").count(), 1);
  });

  test("sees in its router which result was chosen", async () => {
    page = await session.visitSearch("page");
    await page.evaluate(() => {
      document.addEventListener("click", (event) => {
        const link = event.target.closest("a");
        if (!link) return;
        event.preventDefault();
        window.routed = link.href;
      });
    });
    await page.keyboard.press("/");
    await ask(page, "thermocouple");
    const href = await page.getByRole("option").first().getAttribute("href");
    await page.getByRole("option").first().click();
    // Routers treat text fragments as anchors, so they see the address without them.
    const [plain] = href.split("#:~:");
    assert.equal(await page.evaluate(() => window.routed), new URL(plain, session.address()).href);
    assert.equal(page.url(), session.address("page"));
  });
});
