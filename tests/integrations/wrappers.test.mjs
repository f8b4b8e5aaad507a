// The components for React, Vue and Svelte, built by Vite and rendered on a server.

import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { expectComplaints, open } from "../e2e/lib/browser.mjs";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missing, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missing("wrappers");

describe("a reader of an application", { skip }, () => {
  const rendered = {};
  let site;
  const session = new Session(async () => {
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
    return host(join(site, "dist"));
  });

  for (const name of ["react", "vue", "svelte"]) {
    test(`${name}: gets the elements from the server already`, () => {
      assert.match(rendered[name], /<findling-search[^>]* theme="page"/);
      assert.match(rendered[name], /<findling-results[^>]* limit="2"/);
    });

    test(`${name}: searches, and is led by the application`, async () => {
      // The browser reports no mismatch, so the server's page equals the browser's.
      const page = await session.visit(`${name}.html`);
      await page.getByRole("button", { name: "Find" }).click();
      await reader.finds(page, "dunting", /Firing the kiln/);
      await page.getByRole("option").first().click();
      // The application gets events of the search and of the choice, in either order.
      await page.locator("output", { hasText: "searched" }).waitFor();
      await page.locator("output", { hasText: /guide\/firing.*#cooling-down/ }).waitFor();
      // Vue Router takes paths, the routers of the others whole addresses.
      const told = await page.locator("output").innerText();
      assert.equal(/ \/guide/.test(told), name === "vue", told);
      assert.equal(page.url(), session.address(`${name}.html`));
      await page.locator("findling-results").getByRole("searchbox").waitFor();
    });
  }

  for (const name of ["react", "vue"])
    test(`${name}: mounts an element again, with its attributes`, async () => {
      const page = await session.visit(`${name}.html?q=kiln`);
      const results = page.locator("findling-results");
      await results.locator(".list h3").first().waitFor();
      const toggle = page.getByRole("button", { name: "Toggle" });
      await toggle.click();
      await results.waitFor({ state: "detached" });
      await toggle.click();
      await results.locator(".list h3").first().waitFor();
      assert.equal(await results.getAttribute("limit"), "2");
      assert.equal(await results.getAttribute("missing"), null);
      assert.equal(await results.locator(".list h3").count(), 2);
    });

  for (const name of ["react", "vue", "svelte"])
    test(`${name}: tells the application's author where an index is expected`, async () => {
      const without = join(site, `without-${name}`);
      cpSync(join(site, "dist"), without, { recursive: true });
      rmSync(join(without, "findling"), { recursive: true });
      const { url } = session.keep(await host(without));
      const page = await open(session.browser, "about:blank");
      expectComplaints(page, /404/, /\/findling-\w+\.js, where `findling build` writes it/);
      const told = page.waitForEvent("console", (message) => /findling build/.test(message.text()));
      await page.goto(`${url}${name}.html`);
      await told;
      await page.waitForLoadState("networkidle");
    });

  test("has types that refuse what the components do not know", () => {
    run(site, "tsc", ["-p", "tsconfig.json"]);
  });
});
