// Pages with a strict Content-Security-Policy. A violation is a message in the console, and so
// fails the test: see lib/browser.mjs.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  answered,
  expectComplaints,
  pageWith,
  resultsAnswered,
  withRelated,
  withResults,
  withSearch,
} from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { buildPagefind } from "../lib/pagefind.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

/** The policy that the README recommends to site owners, without Trusted Types. */
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; " +
  "worker-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";
const TRUSTED = `${STRICT}; require-trusted-types-for 'script'`;

/**
 * A page with these scripts of the bundle, and its own script in a file, as the policy requires.
 */
const withScripts = (...names) =>
  pageWith(
    "Scripts",
    names.map((name) => `<script type="module" src="${name}"></script>`).join("\n"),
  );

const OWN = {
  "both.js": `import { open } from "/findling/findling.js";
    import "/findling/findling-ui.js";
    document.body.append(document.createElement("findling-search"));
    const index = await open("/findling/");
    window.found = (await index.search("thermocouple")).results.length;`,
  "api.js": `import * as pagefind from "/pagefind/pagefind.js";
    const { results } = await pagefind.search("kiln");
    window.found = results.length;`,
};

const CLIENT = `import { open } from "/findling/findling.js";
  const index = await open("/findling/");
  window.found = (await index.search("thermocouple")).results.length;`;

for (const [name, policy] of [
  ["a strict policy", STRICT],
  ["a strict policy and Trusted Types", `${TRUSTED}; trusted-types findling`],
])
  describe(`a page with ${name}`, () => {
    const session = new Session(async () => {
      const pages = {
        "/results": withResults(),
        "/box": withSearch(),
        "/related": withRelated(`page="guide/glaze.html"`),
        "/passage": withScripts("/findling/findling-highlight.js"),
        "/both": withScripts("/both.js"),
        "/api": withScripts("/pagefind.js"),
      };
      const site = build();
      for (const [name, script] of Object.entries(OWN)) writeFileSync(join(site, name), script);
      return serve([site], pages, { "content-security-policy": policy });
    });

    /**
     * Waits until the page has this many workers. Without a worker, the page's own thread searches.
     */
    const searchesIn = async (page, n) => {
      await page.waitForTimeout(50);
      await eventually(() => assert.equal(page.workers().length, n));
    };

    test("answers in the dialog, in a worker", async () => {
      const page = await session.visitSearch("box");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("pinholes");
      await answered(page);
      await page.getByRole("option").first().waitFor();
      await searchesIn(page, 1);
    });

    test("shows a page of results and filters it", async () => {
      const page = await session.visitResults("results?q=kiln");
      await page.getByRole("checkbox", { name: /^faq/ }).click();
      await resultsAnswered(page);
      await page.locator("findling-results .list > li").first().waitFor();
      await searchesIn(page, 1);
    });

    test("shows related pages", async () => {
      const page = await session.visit("related");
      await page.locator("findling-related li").first().waitFor();
    });

    test("marks the passage of a link", async () => {
      const page = await session.visit("passage#:~:text=Scripts");
      await page.waitForFunction(() => document.adoptedStyleSheets.length > 0);
    });

    test("uses the client and the search box together, with one policy", async () => {
      const page = await session.visit("both");
      await page.waitForFunction(() => window.found > 0);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("pinholes");
      await answered(page);
      await searchesIn(page, 2);
    });

    test("answers by Pagefind's interface", async () => {
      const site = buildPagefind();
      writeFileSync(join(site, "api.js"), OWN["api.js"]);
      const headers = { "content-security-policy": policy };
      const server = await serve([site], { "/api": withScripts("/api.js") }, headers);
      const page = await session.visit(`${session.keep(server).url}api`);
      await page.waitForFunction(() => window.found > 0);
    });
  });

describe("a page with Trusted Types that allows no policy", () => {
  const session = new Session(async () => {
    const site = build();
    writeFileSync(join(site, "client.js"), CLIENT);
    return serve(
      [site],
      { "/client": withScripts("/client.js") },
      { "content-security-policy": `${TRUSTED}; trusted-types 'none'` },
    );
  });

  test("still answers, on its own thread", async () => {
    const page = await session.visit("client");
    expectComplaints(page, /TrustedTypePolicy|TrustedScriptURL/);
    await page.waitForFunction(() => window.found > 0);
    assert.equal(page.workers().length, 0);
  });
});
