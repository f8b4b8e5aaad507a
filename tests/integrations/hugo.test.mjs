// A site of Hugo that imports the module, built and served by Hugo.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { open } from "../e2e/lib/browser.mjs";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missingPython("hugo");
/** Where Hugo finds the module: as a directory of themes, so that no Go is needed. */
const THEMES = ["--themesDir", join(root, "www/integrations")];

function sources() {
  const site = copy("hugo");
  const name = (path) => path.replace(/^index$/, "_index");
  for (const language of ["en", "de"])
    writeMarkdown(join(site, "content", language), PAGES[language], { title: "field", name });
  return site;
}

/** Copies the partial as documented, from the place where npm puts the package. */
function copyNpm(site) {
  const partials = join(site, "layouts/partials");
  mkdirSync(partials, { recursive: true });
  const partial = "integrations/hugo/layouts/partials/findling.html";
  copyFileSync(join(root, "www", partial), join(partials, "findling.html"));
}

/** Builds the index of a directory, like a site's own script after `hugo`. */
function index(site, directory, output, ...more) {
  const args = ["build", directory, "--output", output, ...more];
  run(site, findling, ["--quiet", ...args, "--client", join(root, "www/dist")]);
}

describe("a reader of a site of Hugo", { skip }, () => {
  const session = new Session(() => {
    const site = sources();
    run(site, "hugo", THEMES);
    index(site, "public", "public/findling", "--exclude", "de");
    index(site, "public/de", "public/de/findling");
    return host(join(site, "public"), "/docs/");
  });

  test("finds the page and the heading, and goes there", async () => {
    const page = await session.visit();
    await reader.goesToCooling(
      page,
      "Control+k",
      "hugo-light",
      "**/docs/guide/firing/#cooling-down",
    );
    await reader.ready(page);
    await reader.press(page, "/");
    await reader.finds(page, "thermocouple", /Error codes/);
  });

  test("finds nothing of the menus", async () => {
    const page = await session.visit();
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    const page = await session.visit();
    await reader.followsTheme(page, "Control+k", () =>
      page.evaluate(() => document.documentElement.classList.add("dark")),
    );
    await reader.search(page, "dunting");
    await reader.shoot(page, "hugo-dark");
  });

  test("finds pages of the language alone", async () => {
    const page = await session.visit("de/guide/firing/");
    await reader.goesToGerman(page, "**/docs/de/guide/firing/#**");
    await reader.ready(page);
    await reader.press(page, "Control+k");
    assert.deepEqual(await reader.search(page, '"celadon"'), []);
  });

  for (const [from, place] of [
    ["npm", (site) => copyNpm(site)],
    ["the wheel", (site) => run(site, process.env["FINDLING_PYTHON"], ["-m", "findling.hugo"])],
  ])
    test(`finds pages of a site that copied the partial of ${from}`, async () => {
      const site = sources();
      const settings = join(site, "hugo.toml");
      writeFileSync(settings, readFileSync(settings, "utf8").replace(/\[module\][\s\S]*/, ""));
      place(site);
      run(site, "hugo", []);
      index(site, "public", "public/findling", "--exclude", "de");
      const { url } = session.keep(await host(join(site, "public"), "/docs/"));
      const page = await session.visit(url);
      await reader.press(page, "/");
      await reader.finds(page, "dunting", /Firing the kiln/);
    });

  test("is told in the development server that there is no index yet, then finds", async () => {
    const site = sources();
    const args = (port) => ["server", ...THEMES, "--port", port, "--disableLiveReload"];
    const before = await session.develop(site, "hugo", args, "/docs/");
    const empty = await open(session.browser, before.url);
    await empty.getByText("The search index is not built yet").waitFor();
    await empty.context().close();
    before.close();
    run(site, "hugo", THEMES);
    index(site, "public", "static/findling", "--exclude", "de");
    const { url } = await session.develop(site, "hugo", args, "/docs/");
    const page = await session.visit(url);
    await reader.press(page, "Control+k");
    await reader.finds(page, "dunting", /Firing the kiln/);
  });
});
