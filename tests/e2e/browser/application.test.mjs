// The local application, `findling serve`: what its user sees for every kind of collection, and
// that other pages and programs have no access.

import assert from "node:assert/strict";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { expectComplaints } from "../lib/browser.mjs";
import { HOSTILE_QUESTION, makeCollections, serveApplication } from "../lib/collections.mjs";
import { eventually } from "../lib/eventually.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

describe("the user of the local application", () => {
  let page;
  let sources;
  const session = new Session(async () => {
    sources = makeCollections();
    return serveApplication();
  });

  /** Opens a path of the application as its user, who has opened the printed address before. */
  const visit = async (path, options = {}) => {
    const { token } = session.server;
    page = await session.visit(path, {
      init: (token) => localStorage.setItem("findling-token", token),
      argument: token,
      ...options,
    });
    return page;
  };
  const card = (name) => page.locator(".card").filter({ has: page.getByRole("heading", { name }) });
  const results = () => page.locator("collections-results .list > li");
  const answered = () => page.locator("collections-results [aria-busy=false].answered").waitFor();
  const read = () => page.locator(".reader[aria-busy=false]").waitFor();
  const harmed = () => page.evaluate(() => window.harmed === true);

  test("opens the printed address and sees a card of each collection", async () => {
    page = await session.visit(session.server.printed);
    await card("notes").locator(".badge.fresh").waitFor();
    assert.equal(await page.locator(".card").count(), 5);
    assert.ok(!page.url().includes(session.server.token), "the token stays in the address");
    const text = await card("handbook").innerText();
    for (const part of [/Pages\s+10/, /Files\s+1\d/, /Size/, /Last sync\s+(now|\d)/])
      assert.match(text, part);
    assert.match(text, new RegExp(join(sources, "handbook")));
  });

  for (const [language, title, direction] of [
    ["de-AT", "In Ihren Sammlungen suchen", ""],
    [
      "ar",
      "\u0627\u0628\u062d\u062b \u0641\u064a \u0645\u062c\u0645\u0648\u0639\u0627\u062a\u0643",
      "rtl",
    ],
    ["tlh", "Search your collections", ""],
  ])
    test(`sees the application in the language of the browser, ${language}`, async () => {
      await visit("", { locale: language });
      await card("notes").locator(".badge.fresh").waitFor();
      assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), title);
      assert.equal(await page.getByRole("combobox").getAttribute("placeholder"), title);
      const html = await page.locator("html").evaluate(({ lang, dir }) => [lang, dir]);
      assert.deepEqual(html, [language === "tlh" ? "en" : language.slice(0, 2), direction]);
    });

  test("searches while typing on the first page, and goes to a hit by a key", async () => {
    await visit("");
    await page.getByRole("combobox").fill("bisque crawling");
    await page.getByRole("option").first().waitFor();
    await page
      .getByRole("option", { name: /stop a glaze/ })
      .first()
      .waitFor();
    await page
      .getByRole("option", { name: /stop a glaze/ })
      .first()
      .click();
    await page.waitForURL(/\/read\?in=chats/);
    await read();
  });

  test("sees one list of all collections, and filters it by one", async () => {
    await visit("search?q=glaze");
    await answered();
    const tags = async () =>
      new Set(await page.locator("collections-results .tag").allInnerTexts());
    assert.ok((await tags()).size >= 4, [...(await tags())].join());
    await page.getByRole("checkbox", { name: /^papers/ }).click();
    await page.waitForURL(/f\.collection=papers/);
    await page.waitForFunction(
      () =>
        document.querySelector("collections-results").shadowRoot.querySelectorAll(".list > li")
          .length === 1,
    );
    // Author, date and place are shown next to the collection.
    assert.deepEqual(
      [...(await tags())],
      ["papers · de Vries and Ash (2019) · Journal of Ceramics"],
    );
    // The counts of the other collections do not change.
    await page.getByRole("checkbox", { name: /^chats/ }).waitFor();
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("f.collection"));
    await answered();
  });

  test("goes from a hit of a site to the site, and from all others to the reader", async () => {
    await visit("search?q=glaze");
    await answered();
    const links = await results()
      .locator("h3 a")
      .evaluateAll((all) => all.map((link) => link.href));
    assert.ok(links.some((href) => href.startsWith("https://kiln.example/guide/glaze.html")));
    const others = links.filter((href) => !href.startsWith("https://kiln.example/"));
    assert.ok(others.length >= 3);
    for (const href of others) assert.match(href, /^http:\/\/127\.0\.0\.1:\d+\/read\?in=/);
  });

  test("reads a conversation by turns, at the one that was found", async () => {
    await visit("read?in=chats&page=glaze.json%2Fglaze&q=pinholes%20escape#turn-4");
    await read();
    const roles = await page.locator(".turn h2").allInnerTexts();
    assert.deepEqual(roles.slice(0, 4), ["User", "Assistant", "User", "Assistant"]);
    const target = (text) => page.locator(".turn.target").filter({ hasText: text });
    const found = target("Slow the firing down");
    await found.waitFor();
    assert.ok(await found.evaluate((turn) => turn.getBoundingClientRect().top < innerHeight));
    const marks = new Set(await page.locator("article mark").allInnerTexts());
    assert.deepEqual([...marks].sort(), ["escapes", "pinholes"]);
    await page.getByRole("button", { name: "Next match" }).click();
    await page.getByText(/^Matches: 1 \/ \d+$/).waitFor();
    // Each turn has an address.
    await page.getByRole("link", { name: "Turn 1", exact: true }).click();
    await page.waitForURL(/#turn-1$/);
    await target("stop a glaze").waitFor();
    assert.equal(await page.locator(".turn.target").count(), 1);
    assert.equal(await page.locator(".turn pre .keyword").first().innerText(), "def");
  });

  test("reads a source file as it is, with the lines marked that were found", async () => {
    await visit("search?q=soak%20cone%20bends&f.collection=controller");
    await answered();
    await results().first().locator("h3 a").click();
    await read();
    assert.equal(await page.locator(".line").count(), 16);
    const marked = await page.locator(".line.target").allInnerTexts();
    assert.match(marked.join(""), /pub fn soak/);
    assert.ok(!marked.join("").includes("pub fn ramp"));
    assert.equal(await page.locator(".line .keyword").first().innerText(), "use");
    assert.ok((await page.locator(".line mark").allInnerTexts()).includes("soak"));
  });

  test("is told that a source file has changed, and sees what was indexed", async () => {
    const file = join(sources, "controller/kiln.rs");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, `// a\n// b\n// c\n// d\n${before}`);
    await visit("read?in=controller&page=kiln.rs#L12-L16");
    await read();
    await page.getByRole("note").waitFor();
    assert.match(await page.locator("article").innerText(), /pub fn soak/);
    writeFileSync(file, before);
  });

  test("sees a paper with what is known of it, copies its citation and opens its PDF", async () => {
    await visit("search?q=willemite%20crystals");
    await answered();
    await results().first().getByRole("link").first().click();
    await read();
    const about = await page.locator("aside").innerText();
    for (const part of ["Robin Ash", "Journal of Ceramics", "10.1000/glaze.2019", "2019"])
      assert.ok(about.includes(part), `${part}: ${about}`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("combobox", { name: "Cite" }).selectOption("BibTeX");
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied").waitFor();
    const entry = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(entry, /^@article\{/);
    assert.match(entry, /de Vries.* and Ash/, "authors are in the order of the paper");
    const link = page.getByRole("link", { name: "Open the PDF: Page 3" });
    const href = await link.getAttribute("href");
    assert.match(href, /^\/file\/[\w-]+#page=3$/);
    const pdf = await fetch(new URL(href, session.server.url));
    assert.equal(pdf.headers.get("content-type"), "application/pdf");
    assert.ok((await pdf.text()).startsWith("%PDF-1.4"));
  });

  test("reads a note with its headings and code", async () => {
    await visit("read?in=notes&page=firing.md&q=witness#cones");
    await read();
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Firing log");
    const target = (text) => page.locator("section.target").filter({ hasText: text });
    await target("witness cone bent late").waitFor();
    assert.equal(await page.locator("article p code").innerText(), "save_program");
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.getByRole("link", { name: "Next time" }).click();
    await target("shelf to cool").waitFor();
    assert.equal(await page.locator("section.target").count(), 1);
  });

  test("sees a change of a source, syncs the collection, and finds what is new", async () => {
    writeFileSync(join(sources, "notes/raku.md"), "# Raku\n\nStraw makes the smoke black.\n");
    await visit("");
    await card("notes").getByText("Changed files: 1").waitFor();
    await card("notes").getByRole("button", { name: "Sync notes" }).click();
    await card("notes").locator(".badge.fresh").waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: "notes: New: 1, changed: 0, deleted: 0" })
      .waitFor();
    await visit("search?q=straw");
    await answered();
    assert.match(await results().first().innerText(), /Raku/);
  });

  test("syncs all collections at once", async () => {
    writeFileSync(join(sources, "controller/new.rs"), "fn anew() {}\n");
    await visit("");
    await card("controller").getByText("Changed files: 1").waitFor();
    await page.getByRole("button", { name: "Sync all" }).click();
    await page.locator(".badge.fresh").nth(4).waitFor();
  });

  test("is told what is wrong with a collection, and the others go on", async () => {
    const [here, gone] = [join(sources, "controller"), join(sources, "gone")];
    renameSync(here, gone);
    try {
      await visit("");
      expectComplaints(page, /500/);
      await card("controller").getByText("Sources missing").waitFor();
      await card("controller").getByRole("button").click();
      await card("controller").getByText("Sync failed").waitFor();
      assert.ok((await card("controller").locator(".errors").innerText()).includes(here));
      await card("notes").locator(".badge.fresh").waitFor();
      await page.getByRole("combobox").fill("soaking");
      await page
        .getByRole("option", { name: /kiln\.rs/ })
        .first()
        .waitFor();
    } finally {
      renameSync(gone, here);
    }
  });

  test("is told that there is no such page", async () => {
    await visit("read?in=notes&page=nothing.md");
    expectComplaints(page, /400/);
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
  });

  test("sees text of a collection as text, never as markup", async () => {
    await visit("search?q=kiln%20melt");
    await answered();
    assert.ok((await results().first().innerText()).includes("<img src=x"));
    await visit("read?in=chats&page=glaze.json%2Fglaze&q=melt#turn-5");
    await read();
    assert.ok((await page.locator(".turn.target").innerText()).includes(HOSTILE_QUESTION));
    assert.equal(await page.locator("article img, article script").count(), 0);
    await visit("read?in=controller&page=kiln.rs");
    await read();
    assert.ok(
      (await page.locator("pre.file").innerText()).includes("<img src=x onerror=alert(1)>"),
    );
    assert.equal(await harmed(), false);
  });

  test("may open pages of the application in other tabs", async () => {
    await visit("search?q=glaze");
    await answered();
    const other = await page.context().newPage();
    await other.goto(session.address("read?in=notes&page=firing.md"));
    await other.locator(".reader[aria-busy=false]").waitFor();
    assert.equal(await other.getByRole("heading", { level: 1 }).innerText(), "Firing log");
  });

  for (const [name, options] of Object.entries({
    light: {},
    dark: { colorScheme: "dark" },
    "a phone": { viewport: { width: 390, height: 844 } },
  }))
    for (const [what, path, ready] of [
      ["the first page", "", ".badge.fresh"],
      ["results", "search?q=glaze", "collections-results .answered"],
      ["a conversation", "read?in=chats&page=glaze.json%2Fglaze&q=glaze#turn-3", ".turn.target"],
      ["a source file", "read?in=controller&page=kiln.rs#L6-L9", ".line.target"],
      ["a paper", "read?in=papers&page=library.bib%2Fash2019glaze&q=zinc", ".cite"],
    ])
      test(`sees ${what} that assistive technology can use, ${name}`, async () => {
        await visit(path, { reducedMotion: "reduce", ...options });
        await page.locator(ready).first().waitFor();
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(wide, 0, "the page scrolls sideways");
        await page.evaluate(readFileSync(axe, "utf8"));
        const { violations } = await page.evaluate(
          (values) => window.axe.run(document, { runOnly: { type: "tag", values } }),
          RULES,
        );
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html)}`);
        assert.deepEqual(found, []);
      });
});

describe("the local application", () => {
  const session = new Session(async () => {
    makeCollections({ only: ["notes"] });
    return serveApplication();
  });
  const ask = (headers, body = { query: "cone" }) =>
    fetch(session.address("api/search"), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  test("asks a page without the token for the printed address, and shows it nothing", async () => {
    const page = await session.visit("search?q=cone");
    expectComplaints(page, /401/);
    await page.getByRole("heading", { name: "Open the printed address" }).waitFor();
    assert.ok(!(await page.locator("body").innerText()).includes("Firing"));
  });

  test("answers a program with the token, in the JSON of the command line", async () => {
    const answer = await ask({ authorization: `Bearer ${session.server.token}` });
    assert.equal(answer.status, 200);
    const { results, total } = await answer.json();
    assert.equal(results[0].title, "Firing log");
    assert.ok(total.pages >= 1 && results[0].sections[0].snippet.text.length > 0);
  });

  test("does not answer pages of other origins, nor by another name", async () => {
    const authorization = `Bearer ${session.server.token}`;
    assert.equal((await ask({ authorization, origin: "http://evil.example" })).status, 401);
    assert.equal((await ask({ authorization: "Bearer x" })).status, 401);
    const status = await new Promise((resolve, reject) => {
      const sent = request(session.address(), { headers: { host: "evil.example" } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject).end();
    });
    assert.equal(status, 403);
  });

  test("gives a page of another origin neither answers nor a frame", async () => {
    const { url, token } = session.server;
    const other = session.keep(
      await serve([], {
        "/": `<!doctype html><link rel="icon" href="data:,"><title>Other</title>`,
      }),
    );
    const page = await session.visit(other.url);
    expectComplaints(page, /CORS|403|401|ERR_FAILED|ERR_BLOCKED|frame-ancestors/);
    const outcome = await page.evaluate(
      async ([url, token]) => {
        const asked = await fetch(`${url}api/search`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
          body: "{}",
        }).then(
          () => "answered",
          () => "refused",
        );
        await new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.src = url;
          frame.onload = resolve;
          document.body.append(frame);
        });
        return asked;
      },
      [url, token],
    );
    assert.equal(outcome, "refused");
    // The browser shows an error in place of the application.
    await eventually(() => assert.match(page.frames()[1].url(), /^chrome-error:/));
  });
});
