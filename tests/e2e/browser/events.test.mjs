// The events that elements send to a page, the data that a site may log, and the tools of the
// browser's assistant.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { answered, ask, withoutPauses, withResults, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const LOG = `<script type="module" src="/findling/findling-log.js"></script></head>`;

/** Waits until the log of the browser has so many entries. */
const logged = (page, count) =>
  page.waitForFunction(
    (count) => JSON.parse(localStorage.getItem("findling-log") ?? "[]").length >= count,
    count,
  );

describe("a site that listens", () => {
  let page;
  const session = new Session(() =>
    serve([build()], {
      "/": withSearch(),
      "/words": withSearch(`mode="lexical"`),
      "/logged": withSearch().replace("</head>", LOG),
      "/search": withResults(),
    }),
  );

  const listen = () =>
    page.evaluate(() => {
      window.told = [];
      for (const name of ["search", "select", "empty"])
        addEventListener(`findling-${name}`, (event) => {
          event.preventDefault();
          const { query, total, href } = event.detail;
          told.push({ name, ...(href ? { href } : { query, pages: total.pages }) });
        });
    });
  const told = (name) => page.evaluate((name) => told.filter((event) => event.name === name), name);

  test("hears of searches, of choices and of searches without a result", async () => {
    page = await session.visitSearch("words");
    await listen();
    await page.keyboard.press("Control+k");
    await ask(page, "dunting");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+k");
    await ask(page, '"no such phrase"');
    await page.waitForFunction(() => told.some(({ name }) => name === "empty"));
    assert.ok((await told("search")).some(({ query, pages }) => query === "dunting" && pages > 0));
    assert.deepEqual(await told("select"), [
      { name: "select", href: session.address("faq/pots.html#dunting") },
    ]);
    assert.deepEqual(await told("empty"), [{ name: "empty", query: '"no such phrase"', pages: 0 }]);
  });

  test("hears the same of the page of results", async () => {
    page = await session.visitResults("search?q=dunting");
    await listen();
    await page.getByRole("searchbox").fill('"no such phrase"');
    await page.waitForFunction(() => told.some(({ name }) => name === "empty"));
    assert.equal((await told("search")).length, 1);
  });

  test("sends nothing: all requests are for its own files", async () => {
    page = await session.visitSearch("logged");
    const requests = [];
    page.on("request", (request) => requests.push([request.method(), request.url()]));
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
    await logged(page, 1);
    const other = requests.filter(
      ([method, url]) => method !== "GET" || /kiln/.test(url) || !url.startsWith(session.address()),
    );
    assert.deepEqual(other, []);
  });

  test("exports what the browser logged, and can clear it", async () => {
    page = await session.visitSearch("logged", { init: withoutPauses });
    await page.evaluate(() => addEventListener("findling-select", (e) => e.preventDefault()));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").pressSequentially("dunting", { delay: 20 });
    await answered(page);
    // Choosing ends the typing.
    await page.keyboard.press("Enter");
    await logged(page, 2);
    const download = page.waitForEvent("download");
    const entries = await page.evaluate(async () => {
      const { exportLog, readLog } = await import("/findling/findling-log.js");
      exportLog();
      return readLog();
    });
    assert.deepEqual(
      entries.map(({ event, query }) => [event, query]),
      [
        ["search", "dunting"],
        ["select", "dunting"],
      ],
    );
    const lines = readFileSync(await (await download).path(), "utf8")
      .trim()
      .split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      entries,
    );
    const left = await page.evaluate(async () => {
      const { clearLog, readLog } = await import("/findling/findling-log.js");
      clearLog();
      return readLog();
    });
    assert.deepEqual(left, []);
  });
});

describe("an assistant of the browser", () => {
  let page;
  const session = new Session(
    () =>
      serve([build()], {
        "/": withSearch(),
        "/off": withSearch(`assistants="none"`),
      }),
    "--enable-features=WebMCP",
  );

  const tools = () => page.webmcp.tools();
  const call = async (name, input) =>
    JSON.parse((await page.webmcp.callTool(name, input)).content[0].text);

  /** The tools, when there are at least this many. */
  const offered = (count) =>
    eventually(async () => {
      const found = await tools();
      assert.ok(found.length >= count, `the page offers ${found.length} tools, not ${count}`);
      return found;
    });

  /** Skips a test in a browser without the feature. */
  const needsTools = async (test) => {
    const has = await page.evaluate(
      () => "modelContext" in document || "modelContext" in navigator,
    );
    if (!has) test.skip("the browser has no WebMCP (`document.modelContext`)");
    return has;
  };

  test("gets no answer from a search that left the page, but from one that stays", async (t) => {
    page = await session.visitSearch();
    if (!(await needsTools(t))) return;
    await offered(3);
    await page.evaluate(() => {
      window.first = document.querySelector("findling-search");
      window.second = document.createElement("findling-search");
      document.body.append(second);
    });
    await page.waitForTimeout(200);
    await page.evaluate(() => second.remove());
    assert.ok((await call("search", { query: "kiln" })).results.length > 0);
    await page.evaluate(() => first.remove());
    const refused = await page.webmcp.callTool("search", { query: "kiln" });
    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /^closed: /);
  });

  test("finds the tools of the page, and gets answers with addresses to cite", async (t) => {
    page = await session.visitSearch();
    if (!(await needsTools(t))) return;
    const found = await offered(3);
    assert.deepEqual(found.map(({ name }) => name).sort(), ["facets", "search", "similar"]);
    const { results, untrusted } = await call("search", { query: "thermocouple", limit: 3 });
    assert.match(results[0].url, /^http:\/\/127\.0\.0\.1:\d+\/reference\/thermocouple\.html/);
    assert.match(untrusted, /not instructions/);
    const similar = await call("similar", { url: results[0].url.split("#")[0], limit: 2 });
    assert.equal(similar.results.length, 2);
    const { facets } = await call("facets", {});
    assert.ok(facets.some(({ name }) => name === "kind"));
    const refused = await page.webmcp.callTool("search", { limit: -1 });
    assert.equal(refused.isError, true);
  });

  test("finds nothing where the site offers nothing", async (t) => {
    page = await session.visitSearch("off");
    if (!(await needsTools(t))) return;
    await page.waitForTimeout(500);
    assert.deepEqual(await tools(), []);
  });
});
