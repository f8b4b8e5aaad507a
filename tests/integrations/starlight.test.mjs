// A site of Starlight, built and served by Astro.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { expectComplaints } from "../e2e/lib/browser.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missing, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missing("starlight");

function sources() {
  const site = copy("starlight");
  writeMarkdown(join(site, "src/content/docs"), PAGES.en, { title: "field" });
  writeMarkdown(join(site, "src/content/docs/de"), PAGES.de, { title: "field" });
  return site;
}

describe("a reader of a site of Starlight", { skip }, () => {
  let site;
  const session = new Session(() => {
    site = sources();
    run(site, "astro", ["build"]);
    return host(join(site, "dist"), "/docs/");
  });

  test("finds the page and the heading, and goes there", async () => {
    const page = await session.visit();
    await reader.goesToCooling(
      page,
      "Control+k",
      "starlight-light",
      "**/docs/guide/firing/#cooling-down",
    );
    await reader.ready(page);
    await reader.goesToError(page, "**/docs/reference/errors/#e17");
  });

  test("finds nothing of the menus", async () => {
    const page = await session.visit("guide/firing/");
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    const page = await session.visit();
    await reader.followsTheme(page, "Control+k", () =>
      page.locator("starlight-theme-select select").first().selectOption("dark"),
    );
    await reader.search(page, "dunting");
    await reader.hasTheme(page, "8px");
    await reader.shoot(page, "starlight-dark");
  });

  test("finds pages of the language alone", async () => {
    const page = await session.visit("de/guide/firing/");
    await reader.goesToGerman(page, "**/docs/de/guide/firing/#**");
  });

  test("is told in the development server that there is no index yet, then finds", async () => {
    const source = sources();
    const args = (port) => ["dev", "--port", port, "--host", "127.0.0.1"];
    const { url } = await session.develop(source, "astro", args, "/docs/");
    const page = await session.visit(url);
    expectComplaints(page, /\[vite\] connect/, /findling\.idx/, /\[astro\]/);
    await reader.press(page, "Control+k");
    await reader.search(page, "dunting");
    await page.getByText("The search index is not built yet").first().waitFor();
    cpSync(join(site, "dist"), join(source, "dist"), { recursive: true });
    await page.reload();
    await reader.ready(page);
    await reader.press(page, "Control+k");
    await reader.finds(page, "dunting", /Firing the kiln/);
  });
});
