// The page of `cargo xtask demo`, served by `findling serve` as the demo serves it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { answered, ask, options } from "../lib/browser.mjs";
import { build, findling, root } from "../lib/bundle.mjs";
import { freePort } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("a reader on the page of the demo", () => {
  const session = new Session(async () => {
    const site = build();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const sites = [join(root, "www/demo"), site].flatMap((directory) => ["--site", directory]);
    const args = ["serve", join(site, "findling"), "--port", String(port), ...sites];
    const server = spawn(findling, args, { stdio: "ignore" });
    while (
      !(await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      assert.equal(server.exitCode, null, "findling serve ended");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { url, close: () => server.kill() };
  });

  // Every test of a browser asserts that its console stays empty: see lib/browser.mjs.
  test("asks an example question with a click, and the console stays empty", async () => {
    const page = await session.visitSearch();
    const examples = page.locator("button.ask");
    assert.ok((await examples.count()) > 0);
    await examples.first().click();
    await answered(page);
    await ask(page, "thermocouple");
    assert.match((await options(page))[0], /Thermocouple/);
    await page.waitForLoadState("networkidle");
    // Browsers with a window ask for /favicon.ico, unless the page has an icon of its own.
    const icon = await page.locator("link[rel=icon]").getAttribute("href");
    const answer = await fetch(session.address(icon));
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type"), /^image\/svg/);
  });
});
