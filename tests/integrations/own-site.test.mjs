// The project's own site: its documents, built by VitePress and searched by Findling.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const site = join(root, "site");
const dist = join(site, ".vitepress/dist");
const skip = existsSync(join(site, "node_modules"))
  ? undefined
  : "no site/node_modules: run `npm ci` there";
const axe = createRequire(join(root, "tests/e2e/package.json")).resolve("axe-core/axe.min.js");

const AXE = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  // The name of VitePress's own search button leaves out the keys that it shows.
  rules: { "label-content-name-mismatch": { enabled: false } },
};

describe("a reader of Findling's site", { skip }, () => {
  const session = new Session(() => {
    const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "build"], {
      cwd: site,
      env: { ...process.env, FINDLING_BINARY_PATH: findling, FORCE_COLOR: "0" },
      encoding: "utf8",
    });
    assert.equal(status, 0, stdout + stderr);
    return host(dist);
  });

  test("finds an answer by a question, and goes to its heading", async () => {
    const page = await session.visit();
    await reader.press(page, "Control+k");
    const found = await reader.search(page, "hide a page from the search");
    assert.ok(
      found.slice(0, 3).some((text) => /hide a page/i.test(text)),
      found.slice(0, 3).join("\n"),
    );
    await reader.shoot(page, "own-site-search");
    await reader.choose(page, "How do I hide a page?", "**/documents.html#how-do-i-hide-a-page");
  });

  test("reads documents without JavaScript", async () => {
    const context = await session.browser.newContext({ javaScriptEnabled: false });
    try {
      const page = await context.newPage();
      await page.goto(session.address("quick-start.html"));
      assert.match(await page.locator("main h1").innerText(), /^Quick start/);
      await page.locator("main").getByRole("link", { name: "installing" }).first().click();
      assert.match(await page.locator("main h1").innerText(), /^Installing/);
      assert.match(page.url(), /\/installing\.html$/);
    } finally {
      await context.close();
    }
  });

  test("follows links to pages, and to files of the repository", async () => {
    const links = new Map();
    for (const file of htmlFiles()) {
      const html = readFileSync(join(dist, file), "utf8");
      const [, main = ""] = /<main\b[^>]*>(.*)<\/main>/s.exec(html) ?? [];
      for (const [, href] of main.matchAll(/<a\b[^>]*? href="([^"]+)"/g)) links.set(href, file);
    }
    const repository = "https://github.com/findling-search/findling/";
    const inside = [...links].filter(([href]) => href.startsWith(repository));
    assert.ok(inside.length > 20, `${inside.length} links to the repository`);
    for (const [href, page] of inside) {
      const file = href.slice(repository.length).replace(/^(?:blob|tree)\/main\/|#.*$/g, "");
      assert.ok(existsSync(join(root, file)), `${page} links to ${file}, which does not exist`);
    }
    for (const [href, page] of links)
      if (!href.startsWith(repository))
        assert.doesNotMatch(href, /\.md(?:#|$)/, `${page} links to a source: ${href}`);
  });

  test("sees measurements as charts with a name and a table", async () => {
    const page = await session.visit("benchmarks.html");
    const charts = page.getByRole("figure");
    assert.ok((await charts.count()) >= 4);
    for (const chart of await charts.all()) {
      const [bars, rows] = [chart.locator("svg rect"), chart.locator("tbody tr")];
      assert.notEqual(await chart.getByRole("img").getAttribute("aria-label"), "");
      assert.ok((await bars.count()) >= (await rows.count()));
    }
    await reader.shoot(page, "own-site-benchmarks");
  });

  for (const path of ["", "quick-start.html", "benchmarks.html", "agents.html"])
    for (const colorScheme of ["light", "dark"])
      test(`passes axe: ${path || "the first page"}, ${colorScheme}`, async () => {
        const page = await session.visit(path, { colorScheme });
        await page.addScriptTag({ path: axe });
        const { violations } = await page.evaluate((options) => globalThis.axe.run(options), AXE);
        const found = violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target }) => `${id}: ${target.join(" ")}`),
        );
        assert.deepEqual(found, []);
        if (path === "") await reader.shoot(page, `own-site-${colorScheme}`);
      });

  test("downloads little: scripts, styles and the page itself", () => {
    const html = readFileSync(join(dist, "quick-start.html"), "utf8");
    const assets = [...html.matchAll(/(?:href|src)="\/(assets\/[^"]+\.(?:js|css))"/g)];
    const bytes = [...new Set(assets.map(([, file]) => file))]
      .map((file) => statSync(join(dist, file)).size)
      .reduce((sum, size) => sum + size, html.length);
    assert.ok(bytes < 400_000, `${bytes} bytes before compression`);
  });
});

const htmlFiles = () =>
  readdirSync(dist, { recursive: true }).filter((file) => file.endsWith(".html"));
