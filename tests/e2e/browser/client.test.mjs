// The typed client, on a page: what it answers, what it fetches, and what it says when things go
// wrong.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { launch, open } from "../lib/browser.mjs";
import { build, dist, run, scratch } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";

const PAGE = `<!doctype html><html lang="en"><title>client</title><script type="module">
  import * as findling from "/findling/findling.js";
  window.findling = findling;
  window.settled = (promise) => promise.then((value) => ({ value }), ({ name, code, message, remedy }) => ({ error: { name, code, message, remedy } }));
</script>`;

describe("a page with the client", () => {
  let browser, server, site, page;
  before(async () => {
    site = build();
    server = await serve([site], { "/": PAGE });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(async () => {
    Object.assign(server, {
      corrupt: undefined,
      missing: undefined,
      delay: () => 0,
      ranges: true,
      headers: {},
      directories: [site],
    });
    page = await fresh();
    server.log.length = 0;
  });
  afterEach(async () => {
    const { thrown } = page;
    await page.context().close();
    assert.deepEqual(thrown, []);
  });

  async function fresh() {
    const page = await open(browser, server.url);
    await page.waitForFunction(() => "findling" in window);
    return page;
  }
  const opened = (url = "/findling/", options = {}) =>
    page.evaluate(
      async ([url, options]) => {
        window.index = await findling.open(url, options);
        return { info: index.info, opening: index.opening, semantic: index.semantic };
      },
      [url, options],
    );
  const search = (query, options = {}) =>
    page.evaluate(([query, options]) => settled(index.search(query, options)), [query, options]);

  test("gets results with addresses, snippets, sections and what they cost", async () => {
    const { info } = await opened();
    assert.equal(info.pages, 12);
    assert.deepEqual(
      info.attributes.map(({ name, kind, facet }) => `${name} ${kind} ${facet}`),
      ["kind string true", "level number true", "updated date false"],
    );
    const { value } = await search("pinholes", { limit: 3, facets: ["*"] });
    const [best] = value.results;
    assert.equal(best.title, "Glazing");
    assert.equal(best.href, `${server.url}guide/glaze.html`);
    assert.equal(best.sections[0].href, `${server.url}guide/glaze.html#crawling`);
    assert.deepEqual(best.sections[0].headingPath, ["Glazing", "Crawling and pinholes"]);
    assert.deepEqual(best.snippet, best.sections[0].snippet);
    assert.ok(best.snippet.ranges.length > 0);
    for (const [start, end] of best.snippet.ranges)
      assert.match(best.snippet.text.slice(start, end), /^pinholes$/i);
    assert.ok(
      value.stats.bytesFetched > 0 && value.stats.requests > 0,
      JSON.stringify(value.stats),
    );
    assert.ok(value.stats.ms.total >= value.stats.ms.engine);
    assert.deepEqual(
      value.facets.map(({ name }) => name),
      ["kind", "level"],
    );
  });

  test("fetches the rest of the engine when it is needed, and not before", async () => {
    const rest = () =>
      server.log.filter((path) => path.endsWith("findling_engine_rest.pack")).length;
    await opened();
    for (const query of [
      "pinholes",
      "how do I fire a kiln",
      "thermocoup",
      "12.5 kg",
      "the",
      "\u65e5\u672c\u8a9e",
    ]) {
      for (const options of [
        { mode: "lexical", prefix: true, suggest: false },
        { prefix: true, facets: ["*"], facetsInstead: true, order: "relevance" },
        { mode: "semantic" },
      ]) {
        assert.ok((await search(query, options)).value, query);
      }
    }
    assert.equal(rest(), 0);
    // A slip is found out only on the way.
    assert.equal((await search("thermocuople")).value.results[0].title, "Thermocouple");
    assert.equal(rest(), 1);
    assert.ok(
      (await search("pinholes", { filter: "kind=guide", explain: true })).value.results.length > 0,
    );
    assert.equal(rest(), 1);
    for (const [query, options] of [
      ["pinholes", { filter: "kind=guide" }],
      ['"crawling and pinholes"', {}],
      ["kind:guide", {}],
      ["glaze -crawling", {}],
      ["", { limit: 3 }],
      ["glaze", { sort: { by: "level" } }],
    ]) {
      page = await fresh();
      server.log.length = 0;
      await opened();
      assert.ok((await search(query, options)).value.results.length > 0, query);
      assert.equal(rest(), 1, query);
    }
  });

  test("needs no more of the engine where pages are raised, copies of each other or found by other names", async () => {
    const into = scratch();
    const pages = join(into, "pages");
    mkdirSync(pages);
    for (const [name, front] of [
      ["a", "search:\n  boost: 2.5"],
      ["b", "aliases: [stoneware]"],
      ["c", "date: 2026-01-02"],
      ["d", "date: 2026-01-02"],
    ]) {
      writeFileSync(
        join(pages, `${name}.md`),
        `---\ntitle: Kilns ${name < "c" ? name : "old"}\n${front}\n---\n\nHow to fire a kiln slowly, and to what heat.\n`,
      );
    }
    writeFileSync(join(into, "synonyms.txt"), "kiln, oven\n");
    run(
      "--quiet",
      "build",
      pages,
      "--output",
      join(into, "findling"),
      "--client",
      dist,
      "--encoder",
      "static",
      "--synonyms",
      join(into, "synonyms.txt"),
    );
    server.directories = [into];
    await opened();
    for (const query of ["kiln", "how to fire an oven", "stoneware", "Kilns old"]) {
      const { value } = await search(query, { prefix: true, facets: ["*"], facetsInstead: true });
      assert.ok(value.results.length > 0, query);
    }
    assert.deepEqual(
      server.log.filter((path) => path.includes("engine_rest")),
      [],
    );
  });

  test("is told what else to ask where nothing is found, each with what it finds", async () => {
    await opened();
    const { value } = await search("pinholse", { verbatim: true, mode: "lexical" });
    assert.deepEqual(value.results, []);
    assert.deepEqual(
      value.suggestions.map(({ kind, query, pages }) => [kind, query, pages]),
      [
        ["words", "pinholes", 1],
        ["spelling", "pinholse", 1],
      ],
    );
    const { value: filtered } = await search("pinholes", {
      mode: "lexical",
      filter: { kind: "guid" },
    });
    for (const { query, filter, verbatim, pages } of filtered.suggestions) {
      assert.equal(
        (await search(query, { mode: "lexical", filter: filter ?? undefined, verbatim })).value
          .total.pages,
        pages,
      );
    }
    assert.deepEqual(
      filtered.suggestions.map(({ kind, filter }) => [kind, filter]),
      [
        ["value", "kind=guide"],
        ["filter", null],
      ],
    );
    assert.deepEqual(
      (await search("pinholse", { verbatim: true, mode: "lexical", suggest: false })).value
        .suggestions,
      [],
    );
  });

  test("shows the sentence most like a question that shares no word with the page, or the beginning where that cannot be told", async () => {
    const sentences = [
      "A lid that was lifted by its handle alone hangs askew, so both hands and a second person are wanted whenever it comes off.",
      "Smoke in the first hour is water and binder that leave the clay, and a window stands open all the while for it.",
      "Whoever wants to spend less money on electricity switches everything on at midnight, when current from the grid is cheapest.",
      "Shelves are turned over after every tenth time, as they bend under their load when they are red with heat.",
    ];
    const directory = build({
      encoder: "static",
      extra: [
        {
          path: "guide/night.html",
          title: "Evenings",
          kind: "guide",
          level: 1,
          updated: "2024-01-01",
          sections: [["", "", sentences.join(" ")]],
        },
      ],
    });
    server.directories = [directory];
    await opened();
    const evenings = async () => {
      const { value, error } = await search("lower my power bill", { mode: "semantic", limit: 20 });
      return value?.results.find(({ title }) => title === "Evenings").snippet.text ?? error.message;
    };
    assert.match(await evenings(), /^Whoever wants to spend less/);
    // Byte 4 of a shard is its kind.
    const shards = join(directory, "findling/shards");
    const codes = readdirSync(shards).filter((name) => readFileSync(join(shards, name))[4] === 13);
    assert.ok(codes.length > 0 && server.log.some((path) => path.includes(codes[0])));
    server.missing = new RegExp(codes.join("|"));
    page = await fresh();
    await opened();
    assert.match(await evenings(), /^A lid that was lifted/);
    server.missing = undefined;
    // What words find is shown by its words, and asks for none of this.
    page = await fresh();
    server.log.length = 0;
    await opened();
    const { value } = await search("current from the grid at midnight", { limit: 1 });
    assert.match(value.results.find(({ title }) => title === "Evenings").snippet.text, /midnight/);
    assert.ok(
      !server.log.some((path) => codes.some((name) => path.includes(name))),
      server.log.join(" "),
    );
  });

  describe("where a search turns out to need the rest of the engine in the middle of it", () => {
    /** A search whose query does not show what it needs. */
    const hidden = (query) =>
      page.evaluate((query) => {
        const { test } = RegExp.prototype;
        RegExp.prototype.test = function (text) {
          return text !== query && test.call(this, text);
        };
        return settled(index.search(query).finally(() => (RegExp.prototype.test = test)));
      }, query);

    test("begins it anew, and searches beside it", async () => {
      await opened("/findling/", { worker: false });
      const beside = page.evaluate(() =>
        Promise.all(
          ["thermocouple", "pinholes", "how do I fire a kiln"].map((query) =>
            settled(index.search(query)),
          ),
        ),
      );
      const { value } = await hidden("pinholes kind:guide");
      assert.equal(value.results[0].title, "Glazing");
      for (const { value, error } of await beside)
        assert.ok(value?.results.length > 0, error?.message);
      assert.equal((await search("pinholes")).value.results[0].title, "Glazing");
    });

    test("fails where it cannot be had, and no search after it does", async () => {
      server.missing = /engine_rest/;
      await opened("/findling/", { worker: false });
      const { error } = await hidden("pinholes kind:guide");
      assert.deepEqual(
        [error.code, /status 404/.test(error.message)],
        ["wasm", true],
        error.message,
      );
      assert.equal((await search("thermocouple")).value.results[0].title, "Thermocouple");
      // A word that the site does not have is then taken as it is spelt.
      const { value } = await search("thermocuople kiln");
      assert.ok(value.results.length > 0);
      assert.equal(value.notices[0].code, "corrections-missing");
      server.missing = undefined;
      assert.equal((await search("thermocuople")).value.results[0].title, "Thermocouple");
    });
  });

  test("never joins the parts of two engines, and says so; what the first part can do goes on", async () => {
    const other = scratch();
    cpSync(join(site, "findling"), join(other, "findling"), { recursive: true });
    // Whatever is a module and does not import this engine's build.
    cpSync(join(dist, "findling_engine.pack"), join(other, "findling/findling_engine_rest.pack"));
    server.directories = [other];
    await opened();
    const { error } = await search("pinholes", { filter: "kind=guide" });
    assert.equal(error.code, "wasm");
    assert.match(error.message, /belongs to another build/);
    assert.match(error.remedy, /Reload the page/);
    assert.equal((await search("pinholes")).value.results[0].title, "Glazing");
    // Once the right one is there, it is taken.
    cpSync(
      join(dist, "findling_engine_rest.pack"),
      join(other, "findling/findling_engine_rest.pack"),
    );
    assert.equal(
      (await search("pinholes", { filter: "kind=guide" })).value.results[0].title,
      "Glazing",
    );
  });

  test("moves nothing over the network for a question that was asked before", async () => {
    await opened();
    await search("pinholes");
    const sent = server.sent;
    const { value } = await search("pinholes");
    assert.equal(server.sent, sent);
    assert.deepEqual([value.stats.requests, value.stats.bytesFetched], [0, 0]);
  });

  test("finds on the next visit what an earlier one has fetched", async () => {
    await opened();
    await search("pinholes");
    const phrase = async () => (await search('"the glaze"')).value;
    assert.ok((await phrase()).stats.requests > 0);
    await page.waitForTimeout(200);
    server.log.length = 0;
    await page.reload();
    await page.waitForFunction(() => "findling" in window);
    await opened();
    const { value } = await search("pinholes");
    // What this visit has not asked for yet stays as well.
    await page.waitForTimeout(200);
    assert.equal((await phrase()).stats.requests, 0);
    assert.equal(value.results[0].title, "Glazing");
    assert.equal(value.stats.requests, 0);
    assert.ok(value.stats.cacheHits > 0);
    assert.deepEqual(
      server.log.filter((path) => path.startsWith("/findling/shards/")),
      [],
    );
  });

  test("answers offline what was asked before, and says plainly what it cannot", async () => {
    await opened();
    await search("pinholes");
    await page.waitForTimeout(200);
    await page.context().setOffline(true);
    const again = await search("pinholes");
    assert.equal(again.value.results[0].title, "Glazing");
    // A second index is opened from what is kept, the worker's script included.
    const reopened = await page
      .evaluate(async () => {
        window.index = await findling.open("/findling/", { worker: false });
        return index.info.pages;
      })
      .catch((error) => error.message);
    if (reopened === 12) assert.equal((await search("pinholes")).value.results[0].title, "Glazing");
    await page.context().setOffline(false);
  });

  test("filters in every spelling alike", async () => {
    await opened();
    const titles = async (filter) => {
      const { value, error } = await search("kiln", { filter, mode: "lexical" });
      assert.equal(error, undefined);
      return value.results.map(({ title }) => title);
    };
    const expect = await titles({ kind: "reference" });
    assert.ok(expect.length > 0);
    assert.deepEqual(await titles("kind=reference"), expect);
    assert.deepEqual(await titles({ must: [{ match: { kind: "reference" } }] }), expect);
    assert.deepEqual(await titles("level:gte:3"), expect);
  });

  test("is told what is wrong with a filter, and with which attribute", async () => {
    await opened();
    const { error } = await search("kiln", { filter: "colour=red" });
    assert.equal(error.name, "FindlingError");
    assert.equal(error.code, "unknown-attribute");
    assert.match(error.message, /colour.*kind/);
    assert.equal((await search("kiln", { filter: "kind:near:red" })).error.code, "filter");
    const misfit = (await search("kiln", { filter: "level=high" })).error;
    assert.equal(misfit.code, "filter");
    assert.match(
      misfit.message,
      /`level`: expected a number, found `high`;.*; the pages have \d+ to \d+$/,
    );
  });

  test("cancels a search: the promise is rejected, the next search is not disturbed", async () => {
    await opened();
    server.delay = (path) => (path.includes("/shards/") ? 150 : 0);
    const { cancelled, answered } = await page.evaluate(async () => {
      const controller = new AbortController();
      const first = settled(index.search("thermocouple", { signal: controller.signal }));
      const second = settled(index.search("thermocouple"));
      controller.abort();
      return { cancelled: await first, answered: await second };
    });
    assert.equal(cancelled.error.code, "aborted");
    assert.equal(answered.value.results[0].title, "Thermocouple");
    const before = await page.evaluate(() =>
      settled(index.search("kiln", { signal: AbortSignal.abort() })),
    );
    assert.equal(before.error.code, "aborted");
  });

  test("asks for a shard once, however many searches wait for it", async () => {
    await opened();
    server.log.length = 0;
    server.delay = (path) => (path.includes("/shards/") ? 50 : 0);
    await page.evaluate(() =>
      Promise.all(Array.from({ length: 8 }, () => index.search("thermocouple"))),
    );
    const shards = server.log.filter((path) => path.includes("/shards/"));
    assert.deepEqual(shards, [...new Set(shards)]);
  });

  test("refuses a shard that was changed on the way, and says what to do", async () => {
    await opened();
    server.corrupt = /\/shards\//;
    const { error } = await search("thermocouple");
    assert.equal(error.code, "shard-corrupt");
    assert.match(error.message, /shards\/([0-9a-f]{8}|[0-9a-f]{16})\.bin is damaged/);
    assert.match(error.remedy, /Deploy the bundle again/);
    server.corrupt = undefined;
    assert.equal((await search("thermocouple")).value.results[0].title, "Thermocouple");
  });

  test("answers by words where what meaning needs cannot be had, says so, and recovers", async () => {
    await opened();
    server.log.length = 0;
    const words = (await search("thermocouple", { mode: "lexical" })).value;
    const needed = new Set(server.log);
    for (const fault of ["corrupt", "missing"]) {
      await page.context().close();
      page = await fresh();
      await opened();
      server[fault] = { test: (path) => path.includes("/shards/") && !needed.has(path) };
      const { value } = await search("thermocouple");
      assert.equal(value.notices[0].code, "meaning-missing", fault);
      assert.match(value.notices[0].message, /Words alone were searched: .*\.bin/);
      assert.deepEqual(value.results, words.results);
      assert.equal(
        (await search("thermocouple", { mode: "semantic" })).error.code,
        fault === "corrupt" ? "shard-corrupt" : "shard-missing",
      );
      server[fault] = undefined;
      const again = (await search("thermocouple")).value;
      assert.ok(!again.notices.some(({ code }) => code === "meaning-missing"));
    }
  });

  test("answers by words where what meaning needs is slow, says so, and has it for the next search", async () => {
    await opened();
    server.log.length = 0;
    const words = (await search("thermocouple", { mode: "lexical" })).value;
    const needed = new Set(server.log);
    await page.context().close();
    page = await fresh();
    await opened();
    server.delay = (path) => (path.includes("/shards/") && !needed.has(path) ? 5000 : 0);
    const { value } = await search("thermocouple");
    assert.equal(value.notices[0].code, "meaning-missing");
    assert.match(
      value.notices[0].message,
      /Words alone were searched: .* not arrived within 3 seconds/,
    );
    assert.deepEqual(value.results, words.results);
    server.delay = () => 0;
    await page.waitForTimeout(5000);
    const again = (await search("thermocouple")).value;
    assert.ok(!again.notices.some(({ code }) => code === "meaning-missing"));
  });

  test("is no other in two tabs at once, and what one has fetched the other need not", async () => {
    const other = await page.context().newPage();
    await other.goto(server.url);
    await other.waitForFunction(() => "findling" in window);
    await opened();
    await other.evaluate(async () => (window.index = await findling.open("/findling/")));
    const asked = ["thermocouple", "kiln", "glaze", "how hot does it get"];
    const ask = (tab, queries) =>
      tab.evaluate(
        (queries) =>
          Promise.all(
            queries.map(async (query) => (await index.search(query)).results.map(({ id }) => id)),
          ),
        queries,
      );
    const [one, two] = await Promise.all([ask(page, asked), ask(other, [...asked].reverse())]);
    assert.deepEqual(one, two.reverse());
    await page.waitForTimeout(300);
    const third = await page.context().newPage();
    await third.goto(server.url);
    await third.waitForFunction(() => "findling" in window);
    await third.evaluate(async () => (window.index = await findling.open("/findling/")));
    server.log.length = 0;
    assert.deepEqual(await ask(third, asked), one);
    assert.deepEqual(
      server.log.filter((path) => path.includes("/shards/")),
      [],
    );
  });

  test("keeps memory within what the page allows, however much is asked", async () => {
    const words = [
      "kiln",
      "glaze",
      "thermocouple",
      "clay",
      "cone",
      "pot",
      "firing",
      "heat",
      "wheel",
      "slip",
    ];
    const queries = Array.from(
      { length: 50 },
      (_, i) => `${words[i % 10]} ${words[(i * 7 + 3) % 10]}`,
    );
    const asked = async (memory) => {
      await opened("/findling/", { memory });
      return page.evaluate(async (queries) => {
        const answers = [];
        for (const query of queries) {
          const { results, stats } = await index.search(query);
          answers.push({ ids: results.map(({ id }) => id), bytes: stats.residentBytes });
        }
        return answers;
      }, queries);
    };
    const free = await asked(undefined);
    const most = Math.max(...free.map(({ bytes }) => bytes));
    const limit = Math.round(most / 3);
    const bound = await asked(limit);
    assert.ok(
      bound.every(({ bytes }) => bytes <= limit),
      `${Math.max(...bound.map(({ bytes }) => bytes))} of ${limit}`,
    );
    assert.deepEqual(
      bound.map(({ ids }) => ids),
      free.map(({ ids }) => ids),
    );
  });

  test("fetches a shard again that a cache had spoilt, and the reader notices nothing", async () => {
    await opened();
    await search("thermocouple");
    await page.waitForTimeout(200);
    const spoilt = await page.evaluate(async () => {
      let n = 0;
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          if (!request.url.includes("/shards/")) continue;
          await cache.put(request, new Response(new Uint8Array([1, 2, 3])));
          n++;
        }
      }
      return n;
    });
    assert.ok(spoilt > 0);
    await page.reload();
    await page.waitForFunction(() => "findling" in window);
    await opened();
    assert.equal((await search("thermocouple")).value.results[0].title, "Thermocouple");
  });

  test("is told when there is no bundle, when the module is missing, and when the server is down", async () => {
    const failing = (url, options) =>
      page.evaluate(([url, options]) => settled(findling.open(url, options)), [url, options]);
    const nowhere = await failing("/elsewhere/");
    assert.equal(nowhere.error.code, "not-found");
    assert.match(nowhere.error.message, /elsewhere\/findling\.idx/);
    const html = await failing("/page/");
    assert.equal(html.error.code, "not-found");
    server.pages["/fallback/findling.idx"] =
      "<!doctype html><p>Every path answers with this page.</p>";
    const fallback = await failing("/fallback/");
    assert.equal(fallback.error.code, "bundle");
    assert.match(fallback.error.message, /not a Findling file/);
  });

  test("is told when the engine is missing, cut off or damaged, and has it once it is whole", async () => {
    const other = scratch();
    cpSync(join(site, "findling"), join(other, "findling"), { recursive: true });
    server.directories = [other];
    const place = join(other, "findling/findling_engine.pack");
    const pack = readFileSync(place);
    const failing = () => page.evaluate(() => settled(findling.open("/findling/")));
    const damaged = Uint8Array.from(pack);
    damaged[pack.length >> 1] ^= 1;
    for (const [bytes, says] of [
      [undefined, /status 404/],
      [pack.subarray(0, 9), /no packed module/],
      [pack.subarray(0, 50_000), /damaged/],
      [damaged, /damaged/],
      [
        Buffer.from("<!doctype html><p>Every path answers with this page.</p>"),
        /damaged, or no packed module/,
      ],
    ]) {
      rmSync(place, { force: true });
      if (bytes) writeFileSync(place, bytes);
      const { error } = await failing();
      assert.deepEqual([error?.code, says.test(error?.message)], ["wasm", true], error?.message);
      assert.match(error.remedy, /findling_engine\.pack/);
    }
    writeFileSync(place, pack);
    await opened();
    assert.equal((await search("pinholes")).value.results[0].title, "Glazing");
  });

  test("unpacks the engine once, and another build's anew", async () => {
    const other = scratch();
    cpSync(join(site, "findling"), join(other, "findling"), { recursive: true });
    server.directories = [other];
    const again = async () => {
      await page.reload();
      await page.waitForFunction(() => "findling" in window);
      await opened();
      assert.equal(
        (await search("pinholes", { filter: "kind=guide" })).value.results[0].title,
        "Glazing",
      );
      await page.waitForTimeout(200);
      return page.evaluate(async () =>
        (await (await caches.open("findling engine")).keys()).map(({ url }) => url).sort(),
      );
    };
    const kept = await again();
    assert.equal(kept.length, 2, kept);
    // Nothing but what it is named by is the same: what is kept serves.
    for (const name of ["findling_engine.pack", "findling_engine_rest.pack"]) {
      const bytes = readFileSync(join(other, "findling", name));
      writeFileSync(join(other, "findling", name), bytes.fill(0, 16));
    }
    assert.deepEqual(await again(), kept);
    // With all languages it is another; the rest is the same for all sites.
    for (const name of ["", "_rest"])
      cpSync(
        join(dist, `findling_engine${name}.pack`),
        join(other, `findling/findling_engine${name}.pack`),
      );
    const next = await again();
    assert.equal(next.length, 2, next);
    assert.deepEqual(
      next.map((url) => kept.includes(url)),
      [false, true],
      next,
    );
  });

  test("goes on when the site is deployed anew under the reader's eyes", async () => {
    const changing = scratch();
    cpSync(site, changing, { recursive: true });
    server.directories = [changing];
    await opened();
    // Counting alone leaves the texts to be fetched later.
    await search("thermocouple", { limit: 0 });
    const next = build({
      extra: [
        {
          path: "guide/new.html",
          title: "Saggar firing",
          kind: "guide",
          level: 2,
          updated: "2025-01-01",
          sections: [
            ["", "", "A saggar is a box that keeps the pot from the flame. New in this edition."],
          ],
        },
      ],
    });
    rmSync(changing, { recursive: true });
    server.directories = [next];
    const { value } = await search("saggar");
    assert.equal(value.results[0].title, "Saggar firing");
    // What only the old build had is no longer kept.
    await page.waitForTimeout(300);
    const kept = await page.evaluate(async () => {
      const urls = [];
      for (const name of await caches.keys())
        for (const request of await (await caches.open(name)).keys())
          urls.push(new URL(request.url).pathname);
      return urls;
    });
    for (const path of kept.filter((path) => path.includes("/shards/"))) {
      const answer = await page.request.get(new URL(path, server.url).href);
      assert.equal(answer.status(), 200, `${path} is of an earlier build`);
    }
  });

  test("opens a bundle in one file, asking for its parts alone where the server can", async () => {
    const directory = scratch();
    const single = join(directory, "handbook.findling");
    run(
      "--quiet",
      "build",
      join(site, "..", "pages"),
      join(site, "..", "records.jsonl"),
      "--root",
      join(site, "..", "pages"),
      "--output",
      single,
      "--single-file",
      "--no-client",
      "--encoder",
      "hash",
    );
    server.directories = [directory, site];
    await opened("/findling/", { vectors: "resident" });
    const expect = (await search("thermocouple", { facets: ["*"] })).value;
    for (const ranges of [true, false]) {
      server.ranges = ranges;
      page = await (async () => {
        await page.context().close();
        return fresh();
      })();
      await opened("/handbook.findling");
      const { value } = await search("thermocouple", { facets: ["*"] });
      const same = ({ results, facets, total }) => ({ results, facets, total });
      assert.deepEqual(same(value), same(expect));
    }
  });

  test("answers the same where there are no workers", async () => {
    await opened();
    const expect = (await search("kiln temperature")).value.results;
    await opened("/findling/", { worker: false });
    assert.deepEqual((await search("kiln temperature")).value.results, expect);
    // Forbidden by policy rather than by choice.
    server.pages["/strict"] = PAGE;
    server.headers = {
      "content-security-policy":
        "worker-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
    };
    await page.goto(`${server.url}strict`);
    await page.waitForFunction(() => "findling" in window);
    await opened();
    assert.deepEqual((await search("kiln temperature")).value.results, expect);
    page.thrown.length = 0;
  });

  test("loads nothing of the transformer for a bundle that needs none", async () => {
    server.log.length = 0;
    const { semantic } = await opened();
    const { value } = await search("kiln");
    assert.equal(semantic, "ready");
    assert.equal(value.encoder, "hash");
    assert.deepEqual(
      server.log.filter((path) => path.includes("encoder")),
      [],
    );
    const words = await search("kiln", { mode: "lexical" });
    assert.equal(words.value.mode, "lexical");
  });

  test("says that meaning is not to be had in a bundle without vectors", async () => {
    server.directories = [build({ encoder: "none" })];
    page = await (async () => {
      await page.context().close();
      return fresh();
    })();
    const { semantic } = await opened();
    assert.equal(semantic, "none");
    const { error } = await page.evaluate(() => settled(index.ready("semantic")));
    assert.equal(error.code, "encoder-unavailable");
    const { value } = await search("kiln");
    assert.equal(value.mode, "lexical");
    assert.ok(value.results.length > 0);
  });

  test("is led nowhere but to web addresses", async () => {
    await opened();
    const resolve = (url) => page.evaluate((url) => index.resolve(url), url);
    assert.equal(await resolve("javascript:window.harmed=true"), null);
    assert.equal(await resolve(" JavaScript:window.harmed=true"), null);
    assert.equal(await resolve("data:text/html,<script>"), null);
    assert.equal(await resolve("https://example.org/a#b"), "https://example.org/a#b");
    assert.equal(
      await resolve("/guide/glaze.html#dipping"),
      `${server.url}guide/glaze.html#dipping`,
    );
    // Deployed below another root than the one indexed.
    await opened("/findling/", { site: "/docs/v2/" });
    assert.equal(
      await resolve("/guide/glaze.html#dipping"),
      `${server.url}docs/v2/guide/glaze.html#dipping`,
    );
    assert.equal(await resolve("guide/glaze.html"), `${server.url}docs/v2/guide/glaze.html`);
  });

  test("is told why a page is not first", async () => {
    await opened();
    const { value } = await search("pinholes glaze", {
      why: `${server.url}guide/cones.html`,
      limit: 0,
    });
    const { why } = value;
    assert.match(why.page.url, /guide\/cones/);
    assert.equal(why.first.title, "Glazing");
    assert.equal(why.first.href, `${server.url}guide/glaze.html`);
    assert.match(why.reason, /\.$/);
    assert.deepEqual(
      why.words.map(({ word }) => word),
      ["pinholes", "glaze"],
    );
    assert.deepEqual(value.results, []);
    const { error } = await search("pinholes", { why: "guide/nowhere.html" });
    assert.equal(error.code, "no-such-page");
    assert.match(error.message, /nowhere/);
  });

  test("searches for the same in other words, and gets one list", async () => {
    await opened();
    const titles = async (query, options) =>
      (await search(query, options)).value.results.map(({ title }) => title);
    const lexical = { mode: "lexical", limit: 20 };
    const [one, other] = [await titles("pinholes", lexical), await titles("thermocouple", lexical)];
    const both = await titles("pinholes", { ...lexical, also: ["thermocouple"] });
    assert.deepEqual([...both].sort(), [...new Set([...one, ...other])].sort());
    const hybrid = (await search("pinholes", { also: ["thermocouple", ""] })).value;
    assert.equal(hybrid.encoder, "hash");
    assert.ok(
      ["Glazing", "Thermocouple"].every((title) =>
        hybrid.results.slice(0, 2).some((page) => page.title === title),
      ),
    );
    assert.equal((await search("a", { also: ["b", "c", "d", "e", "f"] })).error.code, "request");
  });

  test("finds pages similar to the one that is read, whatever of its address is given", async () => {
    await opened();
    const similar = (address, options = {}) =>
      page.evaluate(
        ([address, options]) => settled(index.similar(address, options)),
        [address, options],
      );
    const { value } = await similar(`${server.url}guide/glaze.html#crawling`, { limit: 3 });
    assert.equal(value.results.length, 3);
    assert.equal(value.encoder, "page");
    assert.ok(
      value.results.every(({ title, href }) => title !== "Glazing" && href.startsWith(server.url)),
    );
    assert.deepEqual(
      (await similar("guide/glaze.html", { limit: 3 })).value.results,
      value.results,
    );
    const sent = server.sent;
    await similar("guide/glaze.html", { limit: 3 });
    assert.equal(server.sent, sent, "nothing is fetched again");
    const references = (await similar("guide/glaze.html", { filter: { kind: "reference" } })).value
      .results;
    assert.ok(
      references.length > 0 &&
        references.every(({ attributes }) => attributes.kind === "reference"),
    );
    const words = (await similar("guide/glaze.html", { mode: "lexical" })).value;
    assert.ok(words.results.length > 0 && words.encoder === null);
    assert.equal((await similar("nowhere.html")).error.code, "no-such-page");
    // Deployed below another root than the one indexed.
    await opened("/findling/", { site: "/docs/v2/" });
    const moved = (await similar(`${server.url}docs/v2/guide/glaze.html`, { limit: 3 })).value
      .results;
    assert.deepEqual(
      moved.map(({ id }) => id),
      value.results.map(({ id }) => id),
    );
  });

  test("lets go of what it closed", async () => {
    await opened();
    const { error } = await page.evaluate(() => {
      index.close();
      return settled(index.search("kiln"));
    });
    assert.equal(error.code, "closed");
  });
});
