// A book of mdBook, built and served by mdBook.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missingPython("mdbook");

/** A chapter whose name begins like the name of the bundle's directory. */
const ABOUT_SEARCH = {
  path: "findling-keys",
  title: "Searching the book",
  sections: [["Keys", "Press the slash key for the search."]],
};

/** The backend of each package, as a book names it. */
const BACKENDS = {
  npm: "findling-mdbook",
  "the wheel": `${process.env["FINDLING_PYTHON"] ?? "python3"} -m findling.mdbook`,
};

function sources(backend) {
  const site = copy("mdbook");
  const settings = join(site, "book.toml");
  const text = readFileSync(settings, "utf8");
  writeFileSync(settings, text.replace('"findling-mdbook"', JSON.stringify(backend)));
  writeMarkdown(join(site, "src"), [...PAGES.en, ABOUT_SEARCH]);
  // A chapter's name in the menu may be another than its title.
  writeFileSync(
    join(site, "src/SUMMARY.md"),
    "# Summary\n\n[Start](index.md)\n\n- [Zwischenraum](guide/firing.md)\n" +
      "- [Glazes](guide/glazes.md)\n- [Errors](reference/errors.md)\n- [Keys](findling-keys.md)\n",
  );
  return site;
}

for (const [name, backend] of Object.entries(BACKENDS))
  describe(`a reader of a book of mdBook with the backend of ${name}`, { skip }, () => {
    const session = new Session(() => {
      const site = sources(backend);
      run(site, "mdbook", ["build"]);
      return host(join(site, "book/html"), "/docs/");
    });

    test("finds the page and the heading, and goes there", async () => {
      const page = await session.visit();
      await reader.goesToCooling(
        page,
        "s",
        "mdbook-light",
        "**/docs/guide/firing.html#cooling-down",
      );
      await reader.ready(page);
      await reader.goesToError(page, "**/docs/reference/errors.html#e17");
    });

    test("has the search on a page whose name begins as the bundle's does", async () => {
      const page = await session.visit("findling-keys.html");
      await reader.press(page, "s");
      await reader.finds(page, "slash", /Searching the book/);
    });

    test("finds nothing of the menus", async () => {
      const page = await session.visit("reference/errors.html");
      await reader.press(page, "Control+k");
      await reader.findsNoFrame(page);
    });

    test("sees the search in the colours of the page", async () => {
      const page = await session.visit();
      await reader.followsTheme(page, "s", async () => {
        await page.locator("#mdbook-theme-toggle").click();
        await page.getByRole("menuitemradio", { name: "Coal" }).or(page.getByText("Coal")).click();
      });
      await reader.search(page, "dunting");
      await reader.shoot(page, "mdbook-dark");
    });

    test("finds what is being written, in the development server", async () => {
      const site = sources(backend);
      const { url } = await session.develop(site, "mdbook", (port) => ["serve", "-p", port]);
      const before = await session.visit(url);
      await reader.press(before, "s");
      await reader.finds(before, "dunting", /Firing the kiln/);
      await before.context().close();
      await reader.rebuilt(`${url}findling/`, () =>
        appendFileSync(join(site, "src/guide/glazes.md"), "\n## Raku\n\nSmoke a raku pot.\n"),
      );
      const page = await session.visit(url);
      await reader.press(page, "s");
      await reader.finds(page, "raku", /Mixing glazes/);
    });
  });
