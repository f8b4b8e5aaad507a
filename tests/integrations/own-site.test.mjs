// The project's own site: its documents, built by VitePress and searched by Findling.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { ask, options } from "../e2e/lib/browser.mjs";
import { findling, root, scratch } from "../e2e/lib/bundle.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const site = join(root, "site");
const dist = join(site, ".vitepress/dist");
const skip = existsSync(join(site, "node_modules"))
  ? undefined
  : "no site/node_modules: run `npm ci` there";
const withoutIndexer = existsSync(join(root, "www/wasm/playground"))
  ? undefined
  : "no www/wasm/playground: build it with `cargo xtask wasm --playground`";
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

  test("tries questions on the first page, and gets the section that answers", async () => {
    const page = await session.visit();
    const live = page.locator(".live-search");
    const first = live.locator("[role=option]").first();
    for (const [question, answer] of [
      ["hide a page from the search", /How do I hide a page\?/],
      ["does my query leave the browser", /What leaves the reader's machine\?/],
      ["what does a reader download", /download/i],
    ]) {
      await live.getByRole("button", { name: question }).click();
      await first.filter({ hasText: answer }).waitFor();
    }
    await reader.shoot(page, "own-site-first-page");
  });

  test("types once and sees three searches beside each other", async () => {
    const page = await session.visit("beside.html");
    await page.getByRole("searchbox", { name: "Search with all three" }).fill("pagefind");
    for (const name of ["Findling", "Pagefind 1.6", "MiniSearch"]) {
      const column = page.getByRole("region", { name, exact: true });
      await column.locator("li").first().waitFor();
      const href = await column.locator("a").first().getAttribute("href");
      const { status } = await page.request.get(new URL(href, page.url()).href).then((answer) => ({
        status: answer.status(),
      }));
      assert.equal(status, 200, `${name}: ${href}`);
    }
    await page.getByRole("button", { name: "does my query leave the browser" }).click();
    await page
      .getByRole("region", { name: "Findling", exact: true })
      .getByRole("link", { name: /What leaves the reader's machine/ })
      .waitFor();
    await reader.shoot(page, "own-site-beside");
    assert.deepEqual(await violations(page), []);
  });

  test("reads documents without JavaScript", async () => {
    const context = await session.browser.newContext({ javaScriptEnabled: false });
    try {
      const page = await context.newPage();
      await page.goto(session.address("quick-start.html"));
      assert.match(await page.locator("main h1").innerText(), /^Quick start/);
      await page.locator("main").getByRole("link", { name: "installing" }).first().click();
      await page.waitForURL(/\/installing\.html$/);
      assert.match(await page.locator("main h1").innerText(), /^Installing/);
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

  test("tries each theme on one search, and copies its style sheet", async () => {
    const page = await session.visit("themes.html");
    const search = page.locator(".theme-shown findling-search");
    const colour = () =>
      search
        .locator(".panel")
        .evaluate((panel) => [
          getComputedStyle(panel).backgroundColor,
          getComputedStyle(panel).color,
        ]);
    const own = page.locator(".VPNavBarSearch findling-search");
    const ownColour = () =>
      own.evaluate((element) => getComputedStyle(element).getPropertyValue("--findling-radius"));
    await page.getByRole("button", { name: "Search for an example" }).click();
    await search.getByRole("option").first().waitFor();
    const before = await ownColour();
    const seen = new Set();
    /** Clicks a button, and waits until the page shows that it is pressed, or no longer. */
    const press = async (button, pressed) => {
      await page.locator(".themes").getByRole("button", button).click();
      await page
        .locator(".themes")
        .getByRole("button", { ...button, pressed })
        .waitFor();
    };
    const isDark = { name: "Dark", exact: true };
    for (const name of ["Material for MkDocs", "Docusaurus", "VitePress", "Starlight", "GitHub"]) {
      await press({ name }, true);
      for (const scheme of ["light", "dark"]) {
        await reader.shoot(page, `own-site-theme-${name.split(" ")[0]}-${scheme}`);
        seen.add(String(await colour()));
        await press(isDark, scheme === "light");
      }
    }
    assert.equal(seen.size, 10, [...seen].join("; "));
    assert.equal(await ownColour(), before, "the site's own search keeps its look");
    const code = await page.locator("main pre code").allInnerTexts();
    const file = readFileSync(join(root, "www/integrations/themes/github.css"), "utf8");
    assert.ok(code.some((text) => text.trim() === file.trim()));
  });

  describe("in the playground", { skip: withoutIndexer }, () => {
    /** The playground, opened. */
    const enter = async (options) => {
      const page = await session.visit("playground.html", options);
      const before = new Set(await requested(page));
      assert.ok(![...before].some((name) => /playground\/.*\.(?:wasm|js)$/.test(name)), "at once");
      await page.getByRole("button", { name: "Open the playground" }).click();
      await page.getByText("Drop a folder").waitFor();
      page.setDefaultTimeout(30_000);
      return page;
    };

    /** Drops files or directories of this machine onto the page. */
    const drop = async (page, ...files) => {
      const { x, y, width, height } = await page.locator(".drop").boundingBox();
      const devtools = await page.context().newCDPSession(page);
      for (const type of ["dragEnter", "dragOver", "drop"])
        await devtools.send("Input.dispatchDragEvent", {
          type,
          x: x + width / 2,
          y: y + height / 2,
          data: { items: [], files, dragOperationsMask: 1 },
        });
    };

    const indexed = (page, pattern) =>
      page.locator(".playground p.state", { hasText: pattern }).waitFor();
    const found = async (page, query) => {
      const box = page.locator(".playground findling-search");
      await ask(box, query);
      return options(box);
    };

    test("drops a folder, searches it, and reads a page; nothing leaves the browser", async () => {
      const page = await enter();
      const sent = [];
      page.on("request", (request) => sent.push(`${request.method()} ${request.url()}`));
      await drop(page, folder());
      await indexed(page, /^4 pages with \d+ sections/);
      assert.match((await found(page, "cooling the kiln"))[0], /Firing/);
      assert.match((await found(page, "abkühlen"))[0], /Der Ofen/, "in German");
      const hostile = await found(page, "wheel");
      assert.match(hostile[0], /<img src=x/);
      const own = page.locator(".playground findling-search");
      await own.getByRole("option").first().click();
      const article = page.locator(".playground article");
      await article.getByText("Text of the wheel.").waitFor();
      assert.match(await article.locator(".file").innerText(), /^<img src=x onerror=/);
      assert.equal(await page.locator(".playground img").count(), 0);
      await found(page, "cooling down");
      await own
        .getByRole("option", { name: /Cooling down/ })
        .first()
        .click();
      await article.getByRole("heading", { name: "Cooling down" }).waitFor();
      await page.waitForFunction(() => document.activeElement.textContent === "Cooling down");
      assert.match(page.url(), /playground\.html$/);
      assert.ok(
        sent.every((request) => request.startsWith(`GET ${session.address()}`)),
        `${sent}`,
      );
      const kept = await page.evaluate(async () => [
        ...(await caches.keys()).filter((name) => /playground/.test(name)),
        ...Object.keys(localStorage).filter((name) => /findling/.test(name)),
      ]);
      assert.deepEqual(kept, []);
      await reader.shoot(page, "own-site-playground");
    });

    test("takes an archive, another folder after it, and tells what cannot be read", async () => {
      const page = await enter();
      const [files, archive] = [folder(), join(scratch(), "kiln.zip")];
      const zip = "import sys, shutil; shutil.make_archive(sys.argv[1][:-4], 'zip', sys.argv[2])";
      const { status } = spawnSync("python3", ["-c", zip, archive, files]);
      const choose = (name, path) =>
        page
          .getByRole("button", { name })
          .evaluateHandle((button) => button.nextElementSibling)
          .then((input) => input.asElement().setInputFiles(path));
      if (status === 0) {
        await choose("Choose files or a .zip", archive);
        await indexed(page, /^4 pages/);
        assert.match((await found(page, "cooling the kiln"))[0], /Firing/);
      }
      writeFileSync(join(files, "broken.md"), Buffer.from([1, 0, 0, 0, 2, 0, 0]));
      await choose("Choose a folder", files);
      await indexed(page, /^4 pages/);
      await page.locator(".playground summary", { hasText: "1 message" }).click();
      await page.getByText("broken.md: error").waitFor();
      const broken = join(scratch(), "broken.zip");
      writeFileSync(broken, "no archive");
      await choose("Choose files or a .zip", broken);
      await indexed(page, /^Nothing was indexed: .*zip/);
      const [empty] = [join(scratch(), "empty")];
      mkdirSync(empty);
      writeFileSync(join(empty, "logo.png"), "png");
      await drop(page, empty);
      await indexed(page, /^Nothing was indexed: .*no page/);
      assert.equal(await page.locator(".playground findling-search").count(), 0);
    });

    for (const colorScheme of ["light", "dark"])
      test(`passes axe with results: ${colorScheme}`, async () => {
        const page = await enter({ colorScheme });
        await drop(page, folder());
        await indexed(page, /^4 pages/);
        await found(page, "kiln");
        await page.locator(".playground findling-search").getByRole("option").first().click();
        await page.locator(".playground article").waitFor();
        assert.deepEqual(await violations(page), []);
        await reader.shoot(page, `own-site-playground-${colorScheme}`);
      });
  });

  for (const path of [
    ...["", "quick-start.html", "benchmarks.html", "agents.html", "playground.html"],
    ...["themes.html", "beside.html"],
  ])
    for (const colorScheme of ["light", "dark"])
      test(`passes axe: ${path || "the first page"}, ${colorScheme}`, async () => {
        const page = await session.visit(path, { colorScheme });
        assert.deepEqual(await violations(page), []);
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

/** The findings of axe on a page. */
async function violations(page) {
  await page.addScriptTag({ path: axe });
  const { violations } = await page.evaluate((options) => globalThis.axe.run(options), AXE);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(" ")}`),
  );
}

/** The requests of a page. */
const requested = (page) =>
  page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));

/** A folder of four pages in two languages, with files that are not pages. */
function folder() {
  const directory = join(scratch(), "kiln");
  const files = {
    "firing.md": "# Firing\n\nHeat the kiln.\n\n## Cooling down\n\nLet it cool for a day.\n",
    "guide/glaze.md": "---\ntitle: Glazes\n---\n\nAsh and clay make a glaze.\n",
    "guide/ofen.md": "---\ntitle: Der Ofen\nlang: de\n---\n\nDer Ofen muss abkühlen.\n",
    "<img src=x onerror=alert(1)>.md": "# <img src=x onerror=alert(1)>\n\nText of the wheel.\n",
    "logo.png": "png",
    ".hidden/secret.md": "# Secret\n\nHidden.\n",
    "node_modules/x/readme.md": "# Dependency\n\nOf another project.\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

const htmlFiles = () =>
  readdirSync(dist, { recursive: true }).filter((file) => file.endsWith(".html"));
