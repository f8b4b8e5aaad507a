// The settings that a site's owner makes by attributes, and the defaults without them.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import {
  answered,
  ask,
  expectComplaints,
  pageWith,
  withoutPauses,
  withResults,
  withSearch,
} from "../lib/browser.mjs";
import { build, dist, run, scratch } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const PARTS = { install: "Install", backup: "Backup", auth: "Authentication" };

/** A handbook in three versions and three languages. */
function versions() {
  const site = scratch();
  for (const version of ["1", "2", "3"])
    for (const lang of ["en", "de", "pt_BR"])
      for (const [part, title] of Object.entries(PARTS)) {
        const file = join(site, lang, `v${version}`, part, "index.html");
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(
          file,
          `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>
<p data-findling-ignore><span data-findling-filter="version">${version}</span>
<span data-findling-filter="lang">${lang}</span></p>
<p>${title} of the server, release ${version}, number ${lang}.</p></main></html>`,
        );
      }
  run("--quiet", "build", site, "--output", join(site, "findling"), "--client", dist, [
    "--encoder",
    "hash",
  ]);
  return site;
}

const META = `<meta name="findling:version" content="2">`;

describe("a site that says what a search is about", () => {
  const session = new Session(() =>
    serve([versions()], {
      "/": withSearch(),
      "/filter": withSearch(`filter="version:3" mode="lexical"`),
      "/both": withSearch(`filter="version=3,lang=de"`),
      "/none": withSearch(`filter="none"`),
      "/meta": withSearch().replace("<title>", `${META}<title>`),
      "/german": withSearch().replace('lang="en"', 'lang="de-AT"'),
      "/portuguese": withSearch().replace('lang="en"', 'lang="pt"'),
      "/portugal": withSearch().replace('lang="en"', 'lang="pt-PT"'),
      "/lacking": withSearch(`facets="colour, version" spread="colour" sort="price:desc"`),
      "/wrong": withSearch(`filter="colour:red"`),
      "/french": withSearch().replace('lang="en"', 'lang="fr"'),
      "/results": withResults(`filter="version:3"`),
      "/spread": withSearch(`filter="none" spread="version"`),
      "/sorted": withSearch(`filter="none" sort="version:desc"`),
      "/scopes": withSearch(
        `filter="version:1" mode="lexical"
         scopes="Version 3 = version:3; This page's = ; <b>Old</b> = version=1,lang=de;
                 All = none"`,
      ).replace("<title>", `${META}<title>`),
      "/one-scope": withSearch(`scopes=""`),
    }),
  );
  /** Versions and languages of what is found. */
  const found = async (path, query = "install") => {
    const page = await session.visitSearch(path);
    await page.keyboard.press("Control+k");
    await ask(page, query);
    const links = await page
      .getByRole("option")
      .evaluateAll((rows) => rows.map((row) => new URL(row.href).pathname));
    return links.map((link) => /^\/(\w+)\/v(\d)/.exec(link).slice(1, 3).join(" "));
  };
  const unique = (list) => [...new Set(list)].sort();

  test("is searched in the version of its attribute, and in the page's language", async () => {
    assert.deepEqual(unique(await found("filter")), ["en 3"]);
    assert.deepEqual(unique(await found("both")), ["de 3"]);
  });

  test("is searched in the version that a page says, and in its language", async () => {
    assert.deepEqual(unique(await found("meta")), ["en 2"]);
    assert.deepEqual(unique(await found("german")), ["de 1", "de 2", "de 3"]);
  });

  test("is searched in the page's language, of whatever country", async () => {
    for (const path of ["portuguese", "portugal"])
      assert.deepEqual(unique(await found(path)), ["pt_BR 1", "pt_BR 2", "pt_BR 3"]);
  });

  test("is searched though its attributes name what the bundle lacks", async () => {
    assert.deepEqual(unique(await found("lacking")), ["en 1", "en 2", "en 3"]);
    const { page } = session;
    const groups = page.locator("findling-search .facet");
    assert.deepEqual(await groups.locator("b").allTextContents(), ["version"]);
    expectComplaints(page, /found colour in the attributes/, /found price in the attributes/);
  });

  test("says nothing of filters to a reader who has chosen none", async () => {
    const page = await session.visitSearch("wrong");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("install");
    const state = page.locator("findling-search .state.error");
    await state.waitFor();
    assert.doesNotMatch(await state.innerText(), /filter/i);
    expectComplaints(page, /unknown-attribute.*colour/);
  });

  test("is searched in all languages where the page has another, or it says so", async () => {
    assert.deepEqual(unique((await found("french")).map((text) => text.split(" ")[0])), [
      "de",
      "en",
      "pt_BR",
    ]);
    assert.ok(unique(await found("none")).length > 3);
  });

  test("offers no way around the filter that it set", async () => {
    const page = await session.visitSearch("filter");
    await page.keyboard.press("Control+k");
    await ask(page, "zeppelin");
    await page.getByRole("heading", { name: /zeppelin/ }).waitFor();
    assert.equal(await page.locator('[data-kind="filter"], [data-kind="everything"]').count(), 0);
    await ask(page, "install");
    assert.equal(await page.locator("findling-search .facet").count(), 0);
  });

  /** Opens the search of a site with parts, and asks it. The switch is a combobox as well. */
  const askParts = async () => {
    const page = await session.visitSearch("scopes");
    await page.keyboard.press("Control+k");
    await page.locator("findling-search input").fill("install");
    await answered(page);
    return { page, parts: page.locator("findling-search select") };
  };
  const rows = (page) => page.locator("findling-search [role=option]");

  test("is searched in the part that a reader chooses beside the box", async () => {
    const { page, parts } = await askParts();
    assert.equal(await parts.locator("b").count(), 0);
    const names = await parts.locator("option").allInnerTexts();
    assert.deepEqual(names, ["Version 3", "This page's", "<b>Old</b>", "All"]);
    const seen = {};
    for (const name of names) {
      await parts.selectOption(name);
      await answered(page);
      const links = await rows(page).evaluateAll((found) => found.map(({ href }) => href));
      seen[name] = unique(links.map((link) => /\/(\w+)\/v(\d)\//.exec(link).slice(1, 3).join(" ")));
    }
    assert.deepEqual(seen, {
      "Version 3": ["en 3"],
      "This page's": ["en 2"],
      "<b>Old</b>": ["de 1"],
      All: ["de", "en", "pt_BR"].flatMap((lang) => [1, 2, 3].map((n) => `${lang} ${n}`)),
    });
    assert.equal(await page.locator("findling-search input").inputValue(), "install");
  });

  test("has a switch of parts that keys move, and none where no part is named", async () => {
    const { page, parts } = await askParts();
    const before = await rows(page).count();
    await parts.focus();
    await page.keyboard.press("End");
    assert.equal(await parts.inputValue(), "none");
    await answered(page);
    assert.ok((await rows(page).count()) > before);
    assert.ok(await parts.evaluate((select) => select.matches(":focus")));
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    const without = await session.visitSearch("one-scope");
    await without.keyboard.press("Control+k");
    assert.equal(await without.locator("findling-search select").count(), 0);
  });

  test("has the same filter on its page of results", async () => {
    const page = await session.visitResults("results?q=install");
    const links = await page
      .locator("findling-results h3 a")
      .evaluateAll((rows) => rows.map((row) => new URL(row.href).pathname));
    assert.ok(links.length > 0 && links.every((link) => /^\/en\/v3\//.test(link)), links.join());
  });

  test("spreads and sorts by an attribute", async () => {
    const spread = (await found("spread")).slice(0, 3).map((text) => text.split(" ")[1]);
    assert.deepEqual(unique(spread), ["1", "2", "3"]);
    const sorted = (await found("sorted")).map((text) => Number(text.split(" ")[1]));
    assert.deepEqual(
      sorted,
      [...sorted].sort((a, b) => b - a),
    );
  });
});

describe("a site under a path", () => {
  const head = (script) => `<script type="module" src="${script}"></script>`;
  const page = (prefix, place = "findling") =>
    pageWith(
      "Page",
      head(`${prefix}${place}/findling-ui.js`),
      "<findling-search></findling-search>",
    );

  /** The site of the handbook below a directory, with its bundle in a place below it. */
  const under = (prefix, args = [], place = "findling") => {
    const root = scratch();
    const site = build({ args });
    const below = join(root, prefix);
    cpSync(site, below, { recursive: true });
    if (place !== "findling")
      cpSync(join(site, "findling"), join(below, place), { recursive: true });
    return root;
  };
  const opens = async (session, path, expected) => {
    const shown = await session.visitSearch(path);
    await shown.keyboard.press("Control+k");
    await ask(shown, "pinholes");
    const href = await shown
      .getByRole("option")
      .first()
      .evaluate(({ href }) => href);
    assert.equal(new URL(href).pathname, expected);
    assert.equal((await fetch(href.split("#")[0])).status, 200);
  };

  const plain = new Session(() =>
    serve([under("project"), under("two/parts"), under("nested", [], "assets/search")], {
      "/project/": page("/project/"),
      "/project/guide/page.html": page("/project/"),
      "/two/parts/": page("/two/parts/"),
      "/nested/": page("/nested/", "assets/search"),
      "/nested/faq/": page("/nested/", "assets/search"),
    }),
  );
  for (const [path, root] of [
    ["project/", "/project"],
    ["project/guide/page.html", "/project"],
    ["two/parts/", "/two/parts"],
    ["nested/", "/nested"],
    ["nested/faq/", "/nested"],
  ])
    test(`leads to its pages from ${path}, though it was built without the path`, async () => {
      await opens(plain, path, `${root}/guide/glaze.html`);
    });

  const based = new Session(() =>
    serve([under("docs", ["--base-url", "/docs/"])], { "/docs/": page("/docs/") }),
  );
  test("leads to its pages if it was built with the path", async () => {
    await opens(based, "docs/", "/docs/guide/glaze.html");
  });

  const apart = new Session(async () => {
    const cdn = await serve([build()]);
    cdn.isShared = true;
    const host = await serve([under("project"), under("")], {
      "/project/": pageWith(
        "Page",
        head(`${cdn.url}findling/findling-ui.js`),
        `<findling-search site="/project/"></findling-search>`,
      ),
      "/": page(cdn.url),
    });
    const { close } = host;
    host.close = async () => {
      await close();
      await cdn.close();
    };
    return host;
  });
  test("leads to its own pages with the bundle on another origin", async () => {
    await opens(apart, "project/", "/project/guide/glaze.html");
    // If the site sets nothing, the page's own origin is used, and a message tells the owner.
    await opens(apart, "", "/guide/glaze.html");
    expectComplaints(apart.page, /expected the attribute site/);
  });

  const rooted = new Session(() =>
    serve([under("", [], "assets/search")], {
      "/": page("/", "assets/search"),
      "/faq/deep/": page("/", "assets/search"),
    }),
  );
  for (const path of ["", "faq/deep/"])
    test(`leads to its pages from /${path}, with the bundle deeper than the pages`, async () => {
      await opens(rooted, path, "/guide/glaze.html");
    });
});

describe("a site that suggests searches", () => {
  const session = new Session(() =>
    serve([build()], {
      "/": withSearch(`mode="lexical" suggestions="thermocouple, <b>kiln</b> , ,how hot"`),
      "/search": withResults(`suggestions="thermocouple"`),
    }),
  );
  test("offers them on its page of results", async () => {
    const page = await session.visit("search");
    await page.locator("findling-results .state .button").click();
    await page.waitForURL(/q=thermocouple/);
    await page.locator("findling-results h3 a").first().waitFor();
  });
  test("offers them while nothing is typed", async () => {
    const page = await session.visitSearch();
    await page.keyboard.press("Control+k");
    const offered = page.locator("findling-search .state .button");
    assert.deepEqual(await offered.allInnerTexts(), ["thermocouple", "<b>kiln</b>", "how hot"]);
    await offered.first().click();
    await page.getByRole("option").first().waitFor();
    assert.equal(await page.getByRole("combobox").inputValue(), "thermocouple");
    assert.ok(await page.evaluate(() => document.activeElement.localName === "findling-search"));
    await page.getByRole("combobox").fill("");
    await offered.nth(1).click();
    assert.equal(await page.getByRole("combobox").inputValue(), "<b>kiln</b>");
    assert.equal(await page.locator("findling-search .state b").count(), 0);
  });
});

describe("a site that links to its search", () => {
  const session = new Session(() => serve([build()], { "/": withSearch(`parameter="q"`) }));
  for (const address of ["?q=pinholes", "#q=pinholes"])
    test(`opens it with the query of its address: ${address}`, async () => {
      const page = await session.visitSearch(address);
      await page.getByRole("option").first().waitFor();
      assert.equal(await page.getByRole("combobox").inputValue(), "pinholes");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    });

  test("opens it with the query of a link to the same page", async () => {
    const page = await session.visitSearch();
    for (const query of ["pinholes", "thermocouple"]) {
      await page.evaluate((query) => {
        location.hash = `q=${query}`;
      }, query);
      await page.locator("findling-search dialog[open]").waitFor();
      assert.equal(await page.getByRole("combobox").inputValue(), query);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    }
    await page.evaluate(() => {
      location.hash = "elsewhere";
    });
    await page.waitForTimeout(200);
    assert.equal(await page.getByRole("dialog").count(), 0);
  });

  test("stays closed where the address has none", async () => {
    const page = await session.visitSearch("?other=1#top");
    await page.waitForTimeout(300);
    assert.equal(await page.getByRole("dialog").count(), 0);
  });
});

describe("a site that listens for searches that were meant", () => {
  const session = new Session(() =>
    serve([build()], { "/": withSearch(`mode="lexical"`), "/search": withResults() }),
  );
  const listen = (page) =>
    page.evaluate(() => {
      window.settled = [];
      addEventListener("findling-settled", ({ detail }) => settled.push(detail));
      addEventListener("findling-select", (event) => event.preventDefault());
    });
  const settled = (page) => page.evaluate(() => window.settled);
  const init = withoutPauses;
  /** Types into a box without a pause, until the last letter. */
  const type = async (page, role, text) => {
    await page.getByRole(role).pressSequentially(text.slice(0, -1), { delay: 30 });
    await page.evaluate(() => {
      window.pauses = true;
    });
    await page.getByRole(role).press(text.at(-1));
  };

  test("hears of one search when a reader types, waits and closes", async () => {
    const page = await session.visitSearch("", { init });
    await listen(page);
    await page.keyboard.press("Control+k");
    await type(page, "combobox", "thermocouple");
    await page.waitForFunction(() => window.settled.length === 1);
    await page.keyboard.press("Escape");
    await page.waitForTimeout(200);
    const [search, ...others] = await settled(page);
    assert.deepEqual(others, []);
    assert.equal(search.query, "thermocouple");
    assert.equal(search.reason, "pause");
    assert.ok(search.pages > 0 && search.ms >= 0);
    assert.deepEqual([search.href, search.position], [null, null]);
  });

  test("hears what was chosen, and at which place", async () => {
    const page = await session.visitSearch("", { init });
    await listen(page);
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
    const second = page.locator("findling-search .page").nth(1).getByRole("option").first();
    const href = await second.evaluate(({ href }) => href.split(":~:")[0].replace(/#$/, ""));
    await second.click();
    const [search, ...others] = await settled(page);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [search.query, search.reason, search.href, search.position],
      ["kiln", "select", href, 2],
    );
  });

  test("hears of a search that a reader leaves without a choice", async () => {
    const page = await session.visitSearch("", { init });
    await listen(page);
    await page.keyboard.press("Control+k");
    await ask(page, '"no such phrase"');
    await page.keyboard.press("Escape");
    const [search, ...others] = await settled(page);
    assert.deepEqual(others, []);
    assert.deepEqual([search.query, search.reason, search.pages], ['"no such phrase"', "close", 0]);
  });

  test("hears of nothing while a reader types on, or deletes", async () => {
    const page = await session.visitSearch("", { init });
    await listen(page);
    await page.keyboard.press("Control+k");
    await type(page, "combobox", "thermo");
    await page.getByRole("combobox").fill("");
    await page.keyboard.press("Escape");
    await page.waitForTimeout(1800);
    assert.deepEqual(await settled(page), []);
  });

  test("hears the same of the page of results", async () => {
    const page = await session.visitResults("search", { init });
    await listen(page);
    await type(page, "searchbox", "thermocouple");
    await page.waitForFunction(() => window.settled.length === 1);
    await page.locator("findling-results h3 a").first().click();
    const found = (await settled(page)).map(({ reason, position }) => [reason, position]);
    assert.deepEqual(found, [
      ["pause", null],
      ["select", 1],
    ]);
  });
});

describe("a reader of the page of results", () => {
  const FILLER = `<style>findling-results .page { min-block-size: 20rem }</style>`;
  const session = new Session(() =>
    serve([build()], {
      "/search": withResults(`limit="3" mode="lexical"`, FILLER),
    }),
  );

  test("comes back to the place that the reader left", async () => {
    const page = await session.visitResults("search?q=kiln");
    await page.getByRole("button", { name: "More results" }).click();
    await page.waitForFunction(() => location.search.includes("page=2"));
    await page.evaluate(() => scrollTo(0, 300));
    const before = await page.evaluate(() => scrollY);
    assert.ok(before > 200);
    // Without the browser's own copy of the page.
    await page.evaluate(() => addEventListener("unload", () => {}));
    await page.locator("findling-results h3 a").nth(3).click();
    await page.waitForURL(/guide|faq|reference/);
    await page.goBack();
    await page.locator("findling-results [aria-busy=false].answered").waitFor();
    await page.waitForFunction((before) => Math.abs(scrollY - before) < 30, before);
    assert.equal(await page.locator("findling-results .list > .page").count(), 6);
  });

  test("sees what is searched for in the title of the window", async () => {
    const page = await session.visitResults("search?q=thermocouple");
    assert.match(await page.title(), /^thermocouple .* Search$/);
    await page.getByRole("searchbox").fill("");
    await page.waitForFunction(() => document.title === "Search");
  });

  test("searches for a word as it is written", async () => {
    const page = await session.visitResults("search?q=thermocuople");
    const corrected = page.locator("findling-results .corrected");
    await corrected.getByRole("button", { name: /as written/ }).click();
    await page.waitForURL(/verbatim=1/);
    await page.getByRole("heading", { name: /thermocuople/ }).waitFor();
    assert.equal(await corrected.isVisible(), false);
    await page.getByRole("searchbox").fill("thermocuople kiln");
    await page.waitForURL((url) => !url.searchParams.has("verbatim"));
    await corrected.waitFor();
  });
});
