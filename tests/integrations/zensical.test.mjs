// A site of Zensical, with the two templates and the command of docs/integrations.md.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { freePort } from "../e2e/lib/server.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missingPython("zensical");

describe("a reader of a site of Zensical", { skip }, () => {
  const session = new Session(async () => {
    const site = copy("zensical");
    writeMarkdown(join(site, "docs"), PAGES.en);
    const port = await freePort();
    const settings = join(site, "mkdocs.yml");
    const address = `http://127.0.0.1:${port}/docs/`;
    const text = readFileSync(settings, "utf8");
    writeFileSync(settings, text.replace("https://example.org/docs/", address));
    run(site, "zensical", ["build"]);
    const index = ["build", "built", "--output", "built/findling", "--encoder", "static"];
    run(site, findling, ["--quiet", ...index, "--client", join(root, "www/dist")]);
    return host(join(site, "built"), "/docs/", port);
  });

  test("finds the page and the heading, and goes there", async () => {
    const page = await session.visit();
    await reader.goesToCooling(
      page,
      "Control+k",
      "zensical-light",
      "**/docs/guide/firing/#cooling-down",
    );
    await reader.ready(page);
    await reader.goesToError(page, "**/docs/reference/errors/#e17");
  });

  test("finds nothing of the menus", async () => {
    const page = await session.visit("reference/errors/");
    await reader.press(page, "Control+k");
    await reader.findsNoFrame(page);
  });

  test("sees the search in the colours of the page", async () => {
    const page = await session.visit();
    const toDark = () => page.locator("label[title='To dark']").click();
    await reader.followsTheme(page, "Control+k", toDark);
    await reader.search(page, "dunting");
    await reader.shoot(page, "zensical-dark");
  });

  test("has the templates that the documents show", () => {
    const documents = readFileSync(join(root, "docs/integrations.md"), "utf8");
    for (const template of ["main.html", "partials/search.html"]) {
      const file = join(root, "tests/integrations/zensical/site/overrides", template);
      assert.ok(documents.includes(readFileSync(file, "utf8")), template);
    }
  });
});
