// The client on a page: what it fetches, caches and keeps in memory.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { expectComplaints, RECOVERY } from "../lib/browser.mjs";
import { build, dist, run, scratch } from "../lib/bundle.mjs";
import { clientSuite } from "../lib/client-suite.mjs";
import { eventually } from "../lib/eventually.mjs";
import { gate } from "../lib/server.mjs";

const DEFERRED = /engine_rest\.wasm$/;
const SHARD = /\/shards\//;

clientSuite("a page with the client", (client) => {
  /** Serves a copy of the site's bundle that the test may change; returns its directory. */
  function copyOfBundle() {
    const other = scratch();
    cpSync(join(client.site, "findling"), join(other, "findling"), { recursive: true });
    client.server.directories = [other];
    return join(other, "findling");
  }

  test("asks for all that opening takes before any of it has arrived", async () => {
    const first = /\/findling(-worker\.js|_engine\.wasm|\.idx)$/;
    const { hold, open } = gate((path) => first.test(path));
    client.server.hold = hold;
    const opened = client.open();
    while (new Set(client.requested(first)).size < 3) await client.page.waitForTimeout(10);
    open();
    await opened;
    for (const path of new Set(client.requested(first)))
      assert.equal(client.requested(first).filter((other) => other === path).length, 1, path);
    // The structure, the facets and the centroids came with the manifest.
    assert.equal(client.requested(SHARD).length, 1);
    client.server.log.length = 0;
    await client.find("", { limit: 0, facets: ["*"], mode: "lexical" });
    assert.deepEqual(client.requested(SHARD), []);
  });

  test("asks for the engine once where the host does not name its type", async () => {
    const { ".wasm": _, ...types } = client.server.types;
    client.server.types = types;
    await client.open();
    assert.ok((await client.titles("pinholes")).length > 0);
    assert.equal(client.requested(/\/findling_engine\.wasm$/).length, 1);
  });

  test("loads the deferred part of the engine once, when a search needs it", async () => {
    await client.open();
    const japanese = "\u65e5\u672c\u8a9e";
    const simple = ["pinholes", "how do I fire a kiln", "thermocoup", "12.5 kg", "the", japanese];
    for (const query of simple) {
      for (const options of [
        { mode: "lexical", prefix: true, suggest: false },
        { prefix: true, facets: ["*"], facetsInstead: true, order: "relevance" },
        { mode: "semantic" },
      ])
        await client.find(query, options);
    }
    assert.deepEqual(client.requested(DEFERRED), []);
    // Only the search itself finds out that a word is misspelt.
    assert.deepEqual((await client.titles("thermocuople"))[0], "Thermocouple");
    assert.equal(client.requested(DEFERRED).length, 1);
    await client.find("pinholes", { filter: "kind=guide", explain: true });
    assert.equal(client.requested(DEFERRED).length, 1);
    for (const [query, options] of [
      ["pinholes", { filter: "kind=guide" }],
      ['"crawling and pinholes"', {}],
      ["kind:guide", {}],
      ["glaze -crawling", {}],
      ["glaze -\u99ac", {}],
      ["", { limit: 3 }],
      ["glaze", { sort: { by: "level" } }],
    ]) {
      await client.renew();
      client.server.log.length = 0;
      await client.open();
      assert.ok((await client.titles(query, options)).length > 0, query);
      assert.equal(client.requested(DEFERRED).length, 1, query);
    }
  });

  test("needs no deferred part for boosted pages, copies, aliases and synonyms", async () => {
    const into = scratch();
    const pages = join(into, "pages");
    mkdirSync(pages);
    const page = (title, front) =>
      `---\ntitle: ${title}\n${front}\n---\n\nHow to fire a kiln slowly, and to what heat.\n`;
    writeFileSync(join(pages, "a.md"), page("Kilns a", "search:\n  boost: 2.5"));
    writeFileSync(join(pages, "b.md"), page("Kilns b", "aliases: [stoneware]"));
    writeFileSync(join(pages, "c.md"), page("Kilns old", "date: 2026-01-02"));
    writeFileSync(join(pages, "d.md"), page("Kilns old", "date: 2026-01-02"));
    const synonyms = join(into, "synonyms.txt");
    writeFileSync(synonyms, "kiln, oven\n");
    run("--quiet", "build", pages, "--output", join(into, "findling"), "--client", dist, [
      ["--encoder", "static"],
      ["--synonyms", synonyms],
    ]);
    client.server.directories = [into];
    await client.open();
    for (const query of ["kiln", "how to fire an oven", "stoneware", "Kilns old"]) {
      const options = { prefix: true, facets: ["*"], facetsInstead: true };
      assert.ok((await client.titles(query, options)).length > 0, query);
    }
    assert.deepEqual(client.requested(DEFERRED), []);
  });

  describe("whose search calls the deferred part before it is loaded", () => {
    /** A search whose query hides from the client that it needs the deferred part. */
    const hidden = (query) =>
      client.page.evaluate((query) => {
        const { test } = RegExp.prototype;
        RegExp.prototype.test = function (text) {
          return text !== query && test.call(this, text);
        };
        const restore = () => {
          RegExp.prototype.test = test;
        };
        return settled(index.search(query).finally(restore));
      }, query);

    test("repeats a search that the client takes for words, and counts it", async () => {
      await client.open();
      expectComplaints(client.page, RECOVERY);
      client.expectedRecoveries = 1;
      // A condition on the attribute `kind`, which looks like a path.
      await client.find("pinholes kind::guide");
      assert.equal(client.requested(DEFERRED).length, 1);
      await client.find("pinholes kind::guide");
    });

    test("repeats the search, and the searches beside it go on", async () => {
      expectComplaints(client.page, RECOVERY);
      await client.open("/findling/", { worker: false });
      const beside = client.page.evaluate(() => {
        const queries = ["thermocouple", "pinholes", "how do I fire a kiln"];
        return Promise.all(queries.map((query) => settled(index.search(query))));
      });
      const { value } = await hidden("pinholes kind:guide");
      assert.equal(value.results[0].title, "Glazing");
      assert.equal(value.stats.recoveries, 1);
      for (const { value, error } of await beside)
        assert.ok(value?.results.length > 0, error?.message);
      assert.equal((await client.titles("pinholes"))[0], "Glazing");
    });

    test("gets an error if the part is missing, and other searches work", async () => {
      client.server.missing = DEFERRED;
      expectComplaints(client.page, /404.*engine_rest\.wasm/, RECOVERY);
      await client.open("/findling/", { worker: false });
      assert.equal((await hidden("pinholes kind:guide")).error.code, "wasm");
      assert.equal((await client.titles("thermocouple"))[0], "Thermocouple");
      // Without the part, a misspelt word is searched as it is written.
      const { results, notices } = await client.find("thermocuople kiln");
      assert.ok(results.length > 0);
      assert.equal(notices[0].code, "corrections-missing");
      client.server.missing = undefined;
      assert.equal((await client.titles("thermocuople"))[0], "Thermocouple");
    });
  });

  test("never links parts of two builds, and works with the first part alone", async () => {
    const bundle = copyOfBundle();
    const place = join(bundle, "findling_engine_rest.wasm");
    // A module that does not import this engine's build.
    cpSync(join(dist, "findling_engine.wasm"), place);
    await client.open();
    const { error } = await client.search("pinholes", { filter: "kind=guide" });
    assert.equal(error.code, "wasm");
    assert.ok(error.remedy.length > 0);
    assert.equal((await client.titles("pinholes"))[0], "Glazing");
    // The right part is used as soon as it is available.
    cpSync(join(dist, "findling_engine_rest.wasm"), place);
    assert.equal((await client.titles("pinholes", { filter: "kind=guide" }))[0], "Glazing");
  });

  test("fetches nothing for a query that was asked before", async () => {
    await client.open();
    await client.find("pinholes");
    const { sent } = client.server;
    const { stats } = await client.find("pinholes");
    assert.equal(client.server.sent, sent);
    assert.deepEqual([stats.requests, stats.bytesFetched], [0, 0]);
  });

  test("fetches nothing on the next visit that an earlier visit has fetched", async () => {
    await client.open();
    await client.find("pinholes");
    assert.ok((await client.find('"the glaze"')).stats.requests > 0);
    await client.kept(SHARD);
    client.server.log.length = 0;
    await client.reload();
    await client.open();
    const { results, stats } = await client.find("pinholes");
    assert.equal(results[0].title, "Glazing");
    assert.equal(stats.requests, 0);
    assert.ok(stats.cacheHits > 0);
    // Files that this visit has not asked for yet stay in the cache, also when it is pruned.
    await client.page.waitForTimeout(300);
    assert.equal((await client.find('"the glaze"')).stats.requests, 0);
    assert.deepEqual(client.requested(SHARD), []);
  });

  test("asks for a shard once, however many searches wait for it", async () => {
    await client.open();
    client.server.log.length = 0;
    const { hold, open } = gate((path) => SHARD.test(path));
    client.server.hold = hold;
    const eight = client.page.evaluate(() =>
      Promise.all(Array.from({ length: 8 }, () => index.search("thermocouple"))),
    );
    await eventually(() => assert.ok(client.requested(SHARD).length > 0, "a shard is asked for"));
    open();
    await eight;
    const shards = client.requested(SHARD);
    assert.ok(shards.length > 0);
    assert.deepEqual(shards, [...new Set(shards)]);
  });

  test("gives the same results in two tabs, which share the cache", async () => {
    const tab = async () => {
      const page = await client.page.context().newPage();
      await page.goto(client.server.url);
      await page.waitForFunction(() => "findling" in window);
      await page.evaluate(async () => {
        window.index = await findling.open("/findling/");
      });
      return page;
    };
    const ask = (page, queries) =>
      page.evaluate(async (queries) => {
        const answers = await Promise.all(queries.map((query) => index.search(query)));
        return answers.map(({ results }) => results.map(({ id }) => id));
      }, queries);
    await client.open();
    const other = await tab();
    const queries = ["thermocouple", "kiln", "glaze", "how hot does it get"];
    const [one, two] = await Promise.all([
      ask(client.page, queries),
      ask(other, [...queries].reverse()),
    ]);
    assert.deepEqual(one, two.reverse());
    await client.kept(SHARD);
    const third = await tab();
    client.server.log.length = 0;
    assert.deepEqual(await ask(third, queries), one);
    assert.deepEqual(client.requested(SHARD), []);
  });

  test("keeps memory within the limit that the page sets", async () => {
    const words = "kiln glaze thermocouple clay cone pot firing heat wheel slip".split(" ");
    const query = (i) => `${words[i % 10]} ${words[(i * 7 + 3) % 10]}`;
    const queries = Array.from({ length: 50 }, (_, i) => query(i));
    const searched = async (memory) => {
      await client.open("/findling/", { memory });
      return client.page.evaluate(async (queries) => {
        const answers = [];
        for (const query of queries) {
          const { results, stats } = await index.search(query);
          answers.push({ ids: results.map(({ id }) => id), bytes: stats.residentBytes });
        }
        return answers;
      }, queries);
    };
    const most = (answers) => Math.max(...answers.map(({ bytes }) => bytes));
    const ids = (answers) => answers.map(({ ids }) => ids);
    const unlimited = await searched(undefined);
    const limit = Math.round(most(unlimited) / 3);
    const limited = await searched(limit);
    assert.ok(most(limited) <= limit, `${most(limited)} of ${limit} bytes`);
    assert.deepEqual(ids(limited), ids(unlimited));
  });

  test("searches the new build after a deployment, and drops the old files", async () => {
    const old = scratch();
    cpSync(client.site, old, { recursive: true });
    client.server.directories = [old];
    await client.open();
    // A search that only counts leaves the texts to be fetched later.
    await client.find("thermocouple", { limit: 0 });
    const text = "A saggar is a box that keeps the pot from the flame. New in this edition.";
    const page = { path: "guide/new.html", title: "Saggar firing", kind: "guide", level: 2 };
    const extra = [{ ...page, updated: "2025-01-01", sections: [["", "", text]] }];
    const next = build({ extra });
    rmSync(old, { recursive: true });
    client.server.directories = [next];
    expectComplaints(client.page, /^404: .*\/shards\//, /404/);
    assert.equal((await client.titles("saggar"))[0], "Saggar firing");
    // No promise reports that the cache is pruned.
    await eventually(async () => {
      const shards = (await client.cached()).filter((path) => SHARD.test(path));
      assert.ok(shards.length > 0);
      for (const path of shards) {
        const answer = await fetch(new URL(path, client.server.url));
        assert.equal(answer.status, 200, `${path} is of an earlier build`);
      }
    });
  });
});
