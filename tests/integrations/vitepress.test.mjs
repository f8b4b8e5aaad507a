// A VitePress site, built and served by VitePress.

import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { expectComplaints } from "../e2e/lib/browser.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missing, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missing("vitepress");

function sources() {
  const site = copy("vitepress");
  writeMarkdown(site, PAGES.en);
  writeMarkdown(join(site, "de"), PAGES.de);
  return site;
}

describe("a reader of a VitePress site", { skip }, () => {
  const session = new Session(() => {
    const site = sources();
    run(site, "vitepress", ["build"]);
    return host(join(site, ".vitepress/dist"), "/docs/");
  });

  test("finds the page and the heading, and goes there without a reload", async () => {
    const page = await session.visit();
    await reader.mark(page);
    await reader.goesToCooling(
      page,
      "Control+k",
      "vitepress-light",
      "**/docs/guide/firing.html#cooling-down",
    );
    assert.ok(await reader.isMarked(page));
    await reader.press(page, "/");
    await reader.finds(page, "thermocouple", /Error codes/);
  });

  test("finds nothing of the menus", async () => {
    const page = await session.visit("guide/firing.html");
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    const page = await session.visit("", { viewport: { width: 1400, height: 800 } });
    await reader.followsTheme(page, "Control+k", () =>
      page.locator("button.VPSwitchAppearance").first().click(),
    );
    await reader.search(page, "dunting");
    await reader.hasTheme(page, "8px");
    await reader.shoot(page, "vitepress-dark");
  });

  test("finds pages of the language alone, also after changing it", async () => {
    const page = await session.visit();
    await page.evaluate(() => {
      const link = [...document.querySelectorAll("a")].find((a) => a.pathname === "/docs/de/");
      link.click();
    });
    await page.waitForURL("**/docs/de/");
    await reader.ready(page);
    await reader.press(page, "Control+k");
    await reader.finds(page, "Deckel", /Den Ofen brennen/);
    assert.deepEqual(await reader.search(page, `"celadon"`), []);
  });

  test("finds what is being written, in the development server", async () => {
    const site = sources();
    const args = (port) => ["dev", "--port", port];
    const { url } = await session.develop(site, "vitepress", args, "/docs/");
    const page = await session.visit(url);
    expectComplaints(page, /\[vite\] connect/, /favicon\.ico/);
    await reader.press(page, "Control+k");
    await reader.finds(page, "dunting", /Firing the kiln/);
    await reader.choose(page, "Cooling down", "**/docs/guide/firing.html#cooling-down");
    await reader.rebuilt(`${url}findling/`, () =>
      appendFileSync(join(site, "guide/glazes.md"), "\n## Raku\n\nSmoke a raku pot.\n"),
    );
    await page.reload();
    await reader.ready(page);
    await reader.press(page, "Control+k");
    await reader.finds(page, "raku", /Mixing glazes/);
  });
});
