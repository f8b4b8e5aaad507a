// The page that `npx wrangler dev` serves: the demo's, beside its bundle, from the Worker's assets.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ask, options } from "../lib/browser.mjs";
import { build, root } from "../lib/bundle.mjs";
import { Session } from "../lib/session.mjs";
import { dev } from "../lib/worker.mjs";

describe("a reader on the page that the Worker serves", () => {
  const session = new Session(async () => {
    const assets = build();
    cpSync(join(root, "www/demo"), assets, { recursive: true });
    const { url, stop } = await dev(assets);
    return { url, close: stop };
  });

  // Every test of a browser asserts that its console stays empty: see lib/browser.mjs.
  test("finds pages, and the console stays empty", async () => {
    const page = await session.visitSearch();
    await page.locator("button.ask").first().click();
    await ask(page, "thermocouple");
    assert.match((await options(page))[0], /Thermocouple/);
    await page.waitForLoadState("networkidle");
    const { results } = await (await fetch(session.address("search?q=thermocouple&k=1"))).json();
    assert.match(results[0].title, /Thermocouple/);
  });
});
