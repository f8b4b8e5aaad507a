// examples/rust-web: a page in Rust that searches with the crate `findling-web`.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { expectComplaints } from "../lib/browser.mjs";
import { build, root } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const built = process.env.FINDLING_RUST_WEB ?? join(root, "target/rust-web");
const skip =
  !existsSync(join(built, "app/example_rust_web.js")) &&
  `${built} has no app: build it with \`cargo xtask rust-web\``;
if (skip) console.log(`skipped: ${skip}`);

describe("a page in Rust", { skip }, () => {
  const session = new Session(() =>
    serve([join(root, "examples/rust-web"), built, build({ encoder: "static" })]),
  );
  const status = (text) => session.page.locator("#status").filter({ hasText: text }).waitFor();
  const titles = () => session.page.locator("#results a").allInnerTexts();

  async function visit(query = "") {
    const page = await session.visit(`index.html${query}`);
    await status("pages, searched in");
    return page;
  }

  test("searches in a worker by words and by meaning", async () => {
    const page = await visit();
    assert.match(await page.locator("#status").innerText(), /^12 pages, searched in a worker$/);
    assert.equal(page.workers().length, 1);
    await page.locator("#query").pressSequentially("pinhol", { delay: 10 });
    await status("by words and meaning");
    // Answers to the first letters come before that to all of them.
    await eventually(async () => {
      assert.equal((await titles())[0], "Glazing");
      const link = page.locator("#results a").first();
      assert.match(await link.getAttribute("href"), /^http:.*\/guide\/glaze\.html/);
      assert.match((await page.locator("mark").allInnerTexts()).join(" "), /pinholes/i);
    });
    // No word of the query is on the page.
    await page.locator("#query").fill("crockery oven");
    await page.locator("#results a").first().waitFor();
  });

  test("filters by a facet, and keeps the other values on offer", async () => {
    const page = await visit();
    await page.locator("#query").fill("kiln");
    await status("by words and meaning");
    const offered = await page.locator("#filter option").allInnerTexts();
    assert.ok(offered.length > 2, `offered: ${offered}`);
    const all = (await titles()).length;
    await page.locator("#filter").selectOption({ index: 1 });
    await page.waitForFunction((all) => document.querySelectorAll("#results a").length < all, all);
    assert.deepEqual((await page.locator("#filter option").allInnerTexts()).length, offered.length);
  });

  test("suggests another query where nothing is found", async () => {
    const page = await visit();
    await page.locator("#query").fill('"kiln furnitures zzz"');
    await status("Nothing found. Try: ");
  });

  test("searches on the page's own thread, with the same results", async () => {
    await visit();
    await session.page.locator("#query").fill("glaze");
    await status("by words and meaning");
    const inWorker = await titles();
    const page = await visit("?page");
    assert.equal(page.workers().length, 0);
    await page.locator("#query").fill("glaze");
    await status("by words and meaning");
    assert.deepEqual(await titles(), inWorker);
  });

  test("keeps files in the browser's cache for a later visit", async () => {
    const page = await visit();
    await page.locator("#query").fill("glaze");
    await status("by words and meaning");
    await page.waitForFunction(async () => {
      const names = await caches.keys();
      const cache = await caches.open(names.find((name) => name.startsWith("findling ")) ?? "x");
      return (await cache.keys()).filter(({ url }) => url.endsWith(".bin")).length > 3;
    });
    session.server.log.length = 0;
    await page.reload();
    await status("pages, searched in");
    await page.locator("#query").fill("glaze");
    await status("by words and meaning");
    const fetched = session.server.log.filter((path) => path.endsWith(".bin"));
    assert.deepEqual(fetched, []);
  });

  for (const ranges of [true, false]) {
    test(`searches a bundle in packs ${ranges ? "by ranges" : "without ranges"}`, async () => {
      const page = await visit();
      await page.locator("#query").fill("glaze");
      await status("by words and meaning");
      const expected = await titles();
      const packed = build({ encoder: "static", host: "plain" });
      const { directories } = session.server;
      session.server.directories = [...directories.slice(0, 2), packed];
      session.server.ranges = ranges;
      const visited = await visit();
      session.server.log.length = 0;
      await visited.locator("#query").fill("glaze");
      await status("by words and meaning");
      assert.deepEqual(await titles(), expected);
      const fetched = session.server.log.filter((path) => path.endsWith(".bin"));
      assert.ok(fetched.length > 0, "the site is small, but not all comes with the manifest");
      assert.ok(fetched.every((path) => /\/[0-9a-f]{24}\.bin$/.test(path)));
      assert.equal(session.server.nRanges, ranges ? fetched.length : 0);
    });
  }

  for (const [fault, alterRange] of [
    ["a part of the range", (start, body) => ({ start, body: body.subarray(0, body.length >> 1) })],
    ["other bytes", (start, body) => ({ start, body: body.map((byte) => byte ^ 1) })],
  ])
    test(`takes the whole pack if a server sends ${fault}`, async () => {
      const packed = build({ encoder: "static", host: "plain" });
      session.server.directories = [...session.server.directories.slice(0, 2), packed];
      const page = await visit();
      session.server.alterRange = alterRange;
      await page.locator("#query").fill("glaze");
      await status("by words and meaning");
      assert.equal((await titles())[0], "Glazing");
    });

  test("fetches a damaged file again, then searches by words", async () => {
    const page = await visit();
    session.server.corrupt = /shards\//;
    await page.locator("#query").fill("glaze");
    await status(/damaged/);
    session.server.reset();
    await page.locator("#query").fill("glazes");
    await status("by words and meaning");
  });

  test("says what is wrong if there is no bundle", async () => {
    session.server.missing = /findling\.idx/;
    const page = await session.visit("index.html");
    expectComplaints(page, /findling\.idx/, /404/);
    await status(/findling\.idx could not be fetched/);
  });
});
