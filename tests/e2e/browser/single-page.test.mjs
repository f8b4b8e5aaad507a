// `findling build --single-page`: one file that searches from a disk, without a server.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ask, expectComplaints, options, pageWith, resultsAnswered } from "../lib/browser.mjs";
import { dist, run, scratch } from "../lib/bundle.mjs";
import { Session } from "../lib/session.mjs";
import { writeSite } from "../lib/site.mjs";

const directory = scratch();
const site = join(directory, "docs");
mkdirSync(site);
writeSite(site);

/** Builds a file beside the site's pages, or elsewhere. */
function single(file, ...args) {
  const path = join(directory, file);
  const common = ["--client", dist, "--encoder", "static", ...args];
  run("--quiet", "build", site, "--single-page", path, common);
  return path;
}

/** A page of the documentation that gets the search box from one script. */
function withBox(script, head = "") {
  const path = join(site, "box.html");
  const tag = `<script src="${script}"></script>`;
  writeFileSync(path, pageWith("Docs", `${head}${tag}`, "<findling-search></findling-search>"));
  return path;
}

describe("a file that searches from a disk", () => {
  const session = new Session();

  /** Opens a file, and records the addresses of all further requests of the page. */
  async function visit(path, search = "", options = {}) {
    const requests = [];
    const page = await session.visit("about:blank", options);
    page.context().on("request", (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(path).href + search);
    return { page, requests: () => requests.filter((url) => !/^(file|blob):/.test(url)) };
  }

  test("a page answers by words and by meaning, and its results open", async () => {
    const file = single("docs/search.html");
    const { page, requests } = await visit(file, "?q=pinholes");
    await resultsAnswered(page);
    const links = page.locator("findling-results a[href*='glaze.html']");
    assert.match(await links.first().getAttribute("href"), /^file:.*\/docs\/guide\/glaze\.html/);
    assert.match(
      (await page.locator("findling-results mark").allInnerTexts()).join(" "),
      /pinhol/i,
    );
    assert.equal(page.workers().length, 1);

    // By meaning: the query has none of the page's words.
    await page.getByRole("searchbox").fill("crockery oven");
    await page.waitForURL(/q=crockery/);
    await resultsAnswered(page);
    assert.ok((await page.locator("findling-results a[href^='file:']").count()) > 0);

    await page.getByRole("searchbox").fill("pinholes");
    await links.first().click();
    await page.waitForURL(/guide\/glaze\.html/);
    // The site's pages name their style sheet from the root of a server.
    expectComplaints(page, /site\.css/);
    assert.match(await page.title(), /Glazing/);
    assert.deepEqual(requests(), []);
  });

  test("results are found from another directory, and the front page is a file", async () => {
    writeFileSync(
      join(site, "index.html"),
      pageWith("Front page", "", "<main><h1>Front page</h1><p>Zymurgy is brewing.</p></main>"),
    );
    const file = single("help file.html");
    const { page } = await visit(file, "?q=zymurgy");
    await resultsAnswered(page);
    const link = page.locator("findling-results a[href^='file:']").first();
    assert.match(await link.getAttribute("href"), /\/docs\/index\.html/);
    await link.click();
    await page.waitForURL(/docs\/index\.html/);
    assert.equal(await page.title(), "Front page");
  });

  test("a script puts the search box on a page by one tag, in any encoding", async () => {
    single("docs/search.js");
    const latin = '<meta http-equiv="content-type" content="text/html; charset=iso-8859-1">';
    for (const head of ["", latin]) {
      const { page, requests } = await visit(withBox("search.js", head));
      await page.locator("findling-search:defined").waitFor();
      await page.keyboard.press("Control+k");
      await ask(page, "pinholes");
      assert.match((await options(page))[0], /Glazing/);
      assert.equal(page.workers().length, 1);
      assert.deepEqual(requests(), []);
    }
  });

  test("a script in a page below finds the pages beside the script", async () => {
    single("docs/search.js");
    const page = join(site, "guide/below.html");
    writeFileSync(
      page,
      pageWith(
        "Below",
        '<script src="../search.js"></script>',
        "<findling-search></findling-search>",
      ),
    );
    const { page: opened } = await visit(page);
    await opened.keyboard.press("Control+k");
    await ask(opened, "pinholes");
    await opened.keyboard.press("Enter");
    await opened.waitForURL(/docs\/guide\/glaze\.html/);
    expectComplaints(opened, /site\.css/);
  });

  test("a page among the pages that it searches is none of them", async () => {
    rmSync(join(site, "search.html"), { force: true });
    const file = single("docs/search.html");
    const first = readFileSync(file, "utf8");
    single("docs/search.html");
    assert.ok(readFileSync(file, "utf8") === first);
  });

  test("without a worker the page's own thread searches", async () => {
    single("docs/search.js");
    const init = () => {
      delete globalThis.Worker;
    };
    const { page } = await visit(withBox("search.js"), "", { init });
    await page.keyboard.press("Control+k");
    await ask(page, "pinholes");
    assert.match((await options(page))[0], /Glazing/);
    assert.equal(page.workers().length, 0);
  });

  test("corrections and filters work, which need the deferred part of the engine", async () => {
    const file = single("docs/search.html");
    const { page } = await visit(file, "?q=thermocuople");
    await resultsAnswered(page);
    await page.locator("findling-results").getByText("thermocouple").first().waitFor();
    await page.goto(`${pathToFileURL(file).href}?q=kiln&f.kind=guide`);
    await resultsAnswered(page);
    assert.ok((await page.locator("findling-results a[href^='file:']").count()) > 0);
  });

  test("the page is in the language of the site", async () => {
    const german = join(directory, "deutsch");
    mkdirSync(german);
    writeFileSync(
      join(german, "a.html"),
      `<!doctype html><html lang="de"><meta charset="utf-8"><title>Der Ofen</title>
<main><h1>Der Ofen</h1><p>Der Ofen brennt die Glasuren bei hoher Hitze.</p></main></html>`,
    );
    const file = join(german, "suche.html");
    run("--quiet", "build", german, "--single-page", file, "--client", dist, "--encoder", "none");
    const { page } = await visit(file, "?q=Glasur");
    await resultsAnswered(page);
    assert.equal(await page.title(), "Glasur \u2013 Suche");
    await page.locator("findling-results").getByText("1 Seite").first().waitFor();
  });

  test("a file that was cut off says so, and the console why", async () => {
    const file = single("docs/search.js");
    const text = readFileSync(file, "utf8");
    const start = text.indexOf(";") + 1000;
    writeFileSync(file, text.slice(0, start) + text.slice(start + 50));
    const { page } = await visit(withBox("search.js"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("pinholes");
    await page.getByRole("heading", { name: "Search is not available" }).waitFor();
    expectComplaints(page, /findling: .*damaged/);
  });
});

test("a file that would be too large, or is of another kind, is refused", () => {
  assert.throws(() => single("docs/search.findling"), /\.html/);
  assert.throws(() => single("docs/search.html", "--query-encoder", "transformer"), /single-page/);
  assert.throws(() => single("docs/search.html", "--output", join(directory, "out")));
});
