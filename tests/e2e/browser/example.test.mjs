// examples/js-client: a page of its own with the client.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { build, root } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("the example of a page with the client", () => {
  const session = new Session(() => serve([join(root, "examples/js-client"), build()]));

  test("shows titles, links and marked snippets while the reader types", async () => {
    const page = await session.visit("index.html");
    await page.locator("#status").filter({ hasText: "12" }).waitFor();
    await page.getByRole("searchbox").pressSequentially("pinhol", { delay: 10 });
    const first = page.getByRole("listitem").filter({ hasText: "Glazing" });
    await first.waitFor();
    const link = first.getByRole("link");
    assert.equal(await link.getAttribute("href"), session.address("guide/glaze.html"));
    assert.match((await first.locator("mark").allInnerTexts()).join(" "), /pinholes/i);
    await page.getByRole("searchbox").fill("thermocuople");
    await page.locator("#status").filter({ hasText: "thermocouple" }).waitFor();
  });
});
