// examples/js-client: a page of its own with the client.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, open } from "../lib/browser.mjs";
import { build, root } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";

describe("the example of a page with the client", () => {
  let browser;
  let server;
  before(async () => {
    server = await serve([join(root, "examples/js-client"), build()]);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  test("shows titles, links and marked snippets while the reader types", async () => {
    const page = await open(browser, `${server.url}index.html`);
    await page.locator("#status").filter({ hasText: "12" }).waitFor();
    await page.getByRole("searchbox").pressSequentially("pinhol", { delay: 10 });
    const first = page.getByRole("listitem").filter({ hasText: "Glazing" });
    await first.waitFor();
    const link = first.getByRole("link");
    assert.equal(await link.getAttribute("href"), `${server.url}guide/glaze.html`);
    assert.match((await first.locator("mark").allInnerTexts()).join(" "), /pinholes/i);
    await page.getByRole("searchbox").fill("thermocuople");
    await page.locator("#status").filter({ hasText: "thermocouple" }).waitFor();
    await page.context().close();
  });
});
