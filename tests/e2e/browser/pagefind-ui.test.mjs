// Pagefind's own user interfaces, as published on npm, over a bundle of Findling.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { answered, pageWith } from "../lib/browser.mjs";
import { root } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { buildPagefind, PAGES } from "../lib/pagefind.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const kilns = (body) => pageWith("Kilns", "", body);

const DEFAULT_UI = kilns(`<div id="search"></div><script type="module">
import { PagefindUI } from "/@pagefind/default-ui/npm_dist/mjs/ui-core.mjs";
new PagefindUI({ element: "#search", showSubResults: true, highlightParam: "hi" });
</script>`);

const MODULAR_UI = kilns(`<div id="search"></div><div id="filter"></div><div id="summary"></div>
<div id="results"></div><script type="module">
import * as ui from "/@pagefind/modular-ui/npm_dist/mjs/modular-core.mjs";
const instance = new ui.Instance({ bundlePath: "/pagefind/" });
instance.add(new ui.Input({ containerElement: "#search" }));
instance.add(new ui.FilterPills({ containerElement: "#filter", filter: "fuel" }));
instance.add(new ui.Summary({ containerElement: "#summary" }));
instance.add(new ui.ResultList({ containerElement: "#results" }));
</script>`);

const COMPONENT_UI = kilns(`<pagefind-input></pagefind-input><pagefind-summary></pagefind-summary>
<pagefind-results></pagefind-results><script type="module">
import "/@pagefind/component-ui/npm_dist/mjs/component-ui.mjs";
</script>`);

describe("Pagefind's user interfaces, unmodified", () => {
  let page;
  const session = new Session(() => {
    const packages = join(root, "tests/e2e/node_modules");
    return serve([buildPagefind(), packages], {
      "/default": DEFAULT_UI,
      "/modular": MODULAR_UI,
      "/component": COMPONENT_UI,
    });
  });

  const texts = (selector) =>
    page.locator(selector).evaluateAll((found) => found.map(({ textContent }) => textContent));
  /** Waits until the page has these texts: the interfaces fetch each result of its own. */
  const has = (selector, expected) =>
    eventually(async () => assert.deepEqual(await texts(selector), expected));

  test("the default one shows results, their parts, images and filters", async () => {
    page = await session.visit("default");
    await page.locator(".pagefind-ui__search-input").fill("kiln");
    await eventually(async () => {
      assert.equal(await page.locator(".pagefind-ui__result").count(), 3);
      const links = await page
        .locator(".pagefind-ui__result-title > .pagefind-ui__result-link")
        .evaluateAll((found) => found.map((link) => link.getAttribute("href")));
      assert.ok(links.includes("/kilns/gas/?hi=kiln"), links.join());
      assert.ok(links.includes("/kilns/gas/?hi=kiln#safety"), links.join());
    });
    assert.equal(
      await page.locator(".pagefind-ui__result-image").getAttribute("src"),
      "/electric.png",
    );
    assert.ok((await texts(".pagefind-ui__result-excerpt mark")).length > 0);
    await page.getByText("Fuel", { exact: true }).click();
    await page.getByLabel("gas").check();
    await page.getByText("1 result for kiln").waitFor();
    await has(".pagefind-ui__result-title:not(.pagefind-ui__result-nested *)", ["Gas kilns"]);
  });

  test("the modular one searches and filters", async () => {
    page = await session.visit("modular");
    await page.locator("#search input").fill("kiln");
    const links = ".pagefind-modular-list-link";
    await eventually(async () => assert.equal((await texts(links)).length, 3));
    await page.locator("#filter button", { hasText: "electricity" }).click();
    await page.getByText("1 result for kiln").waitFor();
    await has(links, ["Electric kilns"]);
  });

  test("the web components search", async () => {
    page = await session.visit("component");
    await page.locator("pagefind-input input").fill("reduction");
    await has("pagefind-results .pf-result-title .pf-result-link", ["Gas kilns"]);
  });
});

describe("a site whose build has none of Pagefind's files", () => {
  const own = (name, type = "") => `<link href="/pagefind/${name}.css" rel="stylesheet">
<script ${type} src="/pagefind/${name}.js"></script>`;
  const FRESH = {
    default: `${own("pagefind-ui")}<div id="search"></div><script>
addEventListener("DOMContentLoaded", () => {
  new PagefindUI({ element: "#search", showSubResults: true });
});</script>`,
    early: `${own("pagefind-ui")}<script>new PagefindUI({ element: "#search" });</script>
<div id="search"></div>`,
    modular: `${own("pagefind-modular-ui")}<div id="search"></div><div id="results"></div><script>
const instance = new PagefindModularUI.Instance({ bundlePath: "/pagefind/" });
instance.add(new PagefindModularUI.Input({ containerElement: "#search" }));
instance.add(new PagefindModularUI.ResultList({ containerElement: "#results" }));</script>`,
    component: `${own("pagefind-component-ui", 'type="module"')}
<pagefind-searchbox></pagefind-searchbox>`,
  };
  const session = new Session(() => {
    const pages = Object.entries(FRESH).map(([name, body]) => [`fresh/${name}.html`, kilns(body)]);
    return serve([buildPagefind({ ...PAGES, ...Object.fromEntries(pages) })]);
  });

  for (const name of Object.keys(FRESH))
    test(`has a search that works in place of the ${name} one`, async () => {
      const page = await session.visit(`fresh/${name}.html`);
      await page.getByRole("combobox").fill("electric kiln");
      const first = page.getByRole("option").first();
      await answered(page);
      assert.match(await first.getAttribute("href"), /\/kilns\/electric\//);
    });
});
