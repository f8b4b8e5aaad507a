// The components for React, Vue and Svelte, built by Vite and rendered on a server.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "../e2e/lib/browser.mjs";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missing, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";

const skip = missing("wrappers");

describe("a reader of an application", { skip }, () => {
  let browser;
  let site;
  let server;
  let page;
  const rendered = {};
  before(async () => {
    site = copy("wrappers");
    writeMarkdown(join(site, "pages"), PAGES.en);
    run(site, "vite", ["build"]);
    run(site, "vite", ["build", "--ssr", "src/server.mjs", "--outDir", "server"]);
    const args = ["--quiet", "build", "pages", "--output", "dist/findling", "--encoder", "static"];
    run(site, findling, [...args, "--client", join(root, "www/dist")]);
    const { pages } = await import(pathToFileURL(join(site, "server/server.js")).href);
    for (const [name, render] of Object.entries(pages)) {
      rendered[name] = await render();
      const file = join(site, "dist", `${name}.html`);
      const html = readFileSync(file, "utf8");
      writeFileSync(
        file,
        html.replace("<!--app-->", () => rendered[name]),
      );
    }
    server = await host(join(site, "dist"));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => page?.context().close());

  for (const name of ["react", "vue", "svelte"]) {
    test(`${name}: gets the elements from the server already`, () => {
      assert.match(rendered[name], /<findling-search[^>]* theme="page"/);
      assert.match(rendered[name], /<findling-results[^>]* limit="2"/);
    });

    test(`${name}: searches, and is led by the application`, async () => {
      // The browser complains of nothing, so that the page of the server fits that of the browser.
      page = await reader.visit(browser, `${server.url}${name}.html`);
      await page.getByRole("button", { name: "Find" }).click();
      assert.match((await reader.search(page, "dunting"))[0], /Firing the kiln/);
      await page.getByRole("option").first().click();
      await page.locator("output", { hasText: "searched" }).waitFor();
      const output = await page.locator("output").innerText();
      assert.match(output, /guide\/firing.*#cooling-down/);
      assert.equal(page.url(), `${server.url}${name}.html`);
      await page.locator("findling-results").getByRole("searchbox").waitFor();
    });
  }

  test("has types that refuse what the components do not know", () => {
    run(site, "tsc", ["-p", "tsconfig.json"]);
  });
});
