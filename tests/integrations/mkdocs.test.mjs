// Sites of MkDocs, with Material and with the theme that comes with MkDocs.

import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { freePort } from "../e2e/lib/server.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missingPython("mkdocs");

function sources() {
  const site = copy("mkdocs");
  writeMarkdown(join(site, "docs"), PAGES.en);
  writeMarkdown(join(site, "docs/de"), PAGES.de);
  return site;
}

for (const { theme, key, toDark } of [
  { theme: "material", key: "s", toDark: (page) => page.locator("[title='To dark']").click() },
  {
    theme: "mkdocs",
    key: "s",
    // This is what the theme's own menu does, but the menu needs files from another host.
    toDark: (page) =>
      page.evaluate(() => document.documentElement.setAttribute("data-bs-theme", "dark")),
  },
  { theme: "readthedocs", key: "s" },
])
  describe(`a reader of a site of MkDocs with the theme ${theme}`, { skip }, () => {
    const session = new Session(async () => {
      const site = sources();
      const port = await freePort();
      const env = { SITE_URL: `http://127.0.0.1:${port}/docs/` };
      run(site, "mkdocs", ["build", "--strict", "-f", `${theme}.yml`], env);
      return host(join(site, "built"), "/docs/", port);
    });

    test("finds the page and the heading, and goes there", async () => {
      const page = await session.visit();
      await reader.mark(page);
      await reader.goesToCooling(
        page,
        key,
        `mkdocs-${theme}-light`,
        "**/docs/guide/firing/#cooling-down",
      );
      // Material's instant navigation keeps the window.
      assert.equal(await reader.isMarked(page), theme === "material");
      await reader.ready(page);
      await reader.goesToError(page, "**/docs/reference/errors/#e17");
    });

    test("finds nothing of the menus", async () => {
      const page = await session.visit("reference/errors/");
      await reader.press(page, "Control+k");
      await reader.findsNoFrame(page);
    });

    test("searches from the page for addresses that do not exist", async () => {
      const page = await session.visit("404.html");
      await reader.press(page, key);
      await reader.finds(page, "thermocouple", /Error codes/);
    });

    if (!toDark) return;
    test("sees the search in the colours of the page", async () => {
      const page = await session.visit();
      await reader.followsTheme(page, "Control+k", () => toDark(page));
      await reader.search(page, "dunting");
      await reader.shoot(page, `mkdocs-${theme}-dark`);
    });
  });

describe("a site of MkDocs", { skip }, () => {
  const session = new Session();

  test("has an index for each language", async () => {
    const site = sources();
    run(site, "mkdocs", ["build", "--strict", "-f", "material.yml"]);
    const { url } = session.keep(await host(join(site, "built"), "/docs/"));
    const page = await session.visit(`${url}de/`);
    await reader.goesToGerman(page, "**/docs/de/guide/firing/#**");
    await reader.ready(page);
    await reader.press(page, "Control+k");
    assert.deepEqual(await reader.search(page, '"celadon"'), []);
  });

  test("is searched as it is written, in the development server", async () => {
    const site = sources();
    const args = (port) => ["serve", "-f", "material.yml", "-a", `127.0.0.1:${port}`];
    const { url } = await session.develop(site, "mkdocs", args, "/docs/");
    const visit = async () => {
      const page = await session.visit(url);
      reader.expects(page, [/Enabled live reload/]);
      await reader.press(page, "Control+k");
      return page;
    };
    const before = await visit();
    await reader.finds(before, "dunting", /Firing the kiln/);
    await before.context().close();
    await reader.rebuilt(`${url}findling/`, () =>
      appendFileSync(join(site, "docs/guide/glazes.md"), "\n## Raku\n\nSmoke a raku pot.\n"),
    );
    await reader.finds(await visit(), "raku", /Mixing glazes/);
  });
});
