// `pagefind.js`: Pagefind's JavaScript API over a bundle of Findling.

import assert from "node:assert/strict";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { expectComplaints } from "../lib/browser.mjs";
import { eventually } from "../lib/eventually.mjs";
import { buildPagefind, PAGES, visitPagefind } from "../lib/pagefind.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("a page that searches with pagefind.js", () => {
  let page;
  const session = new Session(() => serve([buildPagefind()]));
  beforeEach(async () => {
    page = await visitPagefind(session);
  });

  const urls = (...args) => page.evaluate((args) => urls(pagefind.search(...args)), args);

  test("loads nothing but the module until it is used", async () => {
    assert.deepEqual(session.server.log, ["/index.html", "/pagefind/pagefind.js"]);
    await page.evaluate(() => pagefind.init());
    assert.ok(session.server.log.includes("/pagefind/findling.js"), session.server.log.join());
  });

  test("gets pages with all fields that Pagefind gives", async () => {
    const { answer, data } = await page.evaluate(async () => {
      const answer = await pagefind.search("reduction", { verbose: false });
      const data = await answer.results[0].data();
      return { answer: JSON.parse(JSON.stringify(answer)), data };
    });
    assert.equal(answer.results.length, 1);
    assert.equal(answer.unfilteredResultCount, 1);
    assert.ok(answer.timings[0].total >= answer.timings[0].search, JSON.stringify(answer.timings));
    const [{ id, score, words }] = answer.results;
    assert.match(id, /^en_[0-9a-f]{12}$/);
    assert.ok(score > 0);
    assert.deepEqual(words, []);
    assert.equal(data.url, "/kilns/gas/");
    assert.equal(data.raw_url, "/kilns/gas/");
    assert.deepEqual(data.meta, { title: "Gas kilns", author: "Ann Potter" });
    assert.deepEqual(data.filters, { fuel: ["gas"], size: ["large"] });
    assert.match(data.content, /^Gas kilns\. Ann Potter\. gas large A gas kiln fires quickly\. /);
    assert.equal(data.word_count, data.content.split(" ").length);
    assert.deepEqual(
      data.anchors.map(({ element, id, text, location }) => [element, id, text, location]),
      [
        ["h2", "safety", "Safety", 16],
        ["h2", "cost", "Cost", 24],
      ],
    );
    assert.match(data.excerpt, /quickly\. <mark>Reduction<\/mark> needs/);
    assert.match(data.plain_excerpt, /quickly\. Reduction needs/);
    const [location] = data.locations;
    assert.equal(data.content.split(" ")[location], "Reduction");
    assert.deepEqual(
      data.weighted_locations.map(({ weight, location }) => [weight, location]),
      [[1, location]],
    );
  });

  test("gets the parts of a page that match, and text of the site only as text", async () => {
    const data = await page.evaluate(async () =>
      (await pagefind.search("always ventilate")).results[0].data(),
    );
    assert.deepEqual(
      data.sub_results.map(({ title, url }) => [title, url]),
      [["Safety", "/kilns/gas/#safety"]],
    );
    assert.match(data.sub_results[0].excerpt, /<mark>&lt;always&gt;\.<\/mark>/);
    assert.equal(data.sub_results[0].anchor.id, "safety");
  });

  test("finds words in the metadata, and says in which", async () => {
    const [{ matchedMetaFields }] = await page.evaluate(async () => {
      const { results } = await pagefind.search("potter");
      return results.map(({ matchedMetaFields }) => ({ matchedMetaFields }));
    });
    assert.deepEqual(matchedMetaFields, ["author"]);
  });

  test("finds no text that the site leaves out", async () => {
    assert.deepEqual(await urls("secret"), []);
    assert.deepEqual(await urls("skip menu"), []);
  });

  test("filters by values, lists and conditions on conditions", async () => {
    const kilns = async (filters) => (await urls("kiln", { filters })).sort();
    const [electric, gas, home] = ["/kilns/electric/", "/kilns/gas/", "/"];
    assert.deepEqual(await kilns({}), [home, electric, gas]);
    assert.deepEqual(await kilns({ fuel: "gas" }), [gas]);
    assert.deepEqual(await kilns({ fuel: [] }), [home, electric, gas]);
    assert.deepEqual(await kilns({ size: ["small", "large"] }), [electric]);
    assert.deepEqual(await kilns({ size: { any: ["small", "large"] } }), [electric, gas]);
    assert.deepEqual(await kilns({ not: { fuel: "gas" } }), [home, electric]);
    assert.deepEqual(await kilns({ any: [{ fuel: "gas" }, { size: "small" }] }), [electric, gas]);
    assert.deepEqual(await kilns({ all: [{ size: "large" }, { fuel: { none: ["gas"] } }] }), [
      electric,
    ]);
    assert.deepEqual(await kilns({ fuel: "wood" }), []);
    assert.deepEqual(await kilns({ nothing: "like this" }), []);
  });

  test("counts the values of filters, with and without the reader's own", async () => {
    const { all, answer } = await page.evaluate(async () => ({
      all: await pagefind.filters(),
      answer: await pagefind.search("kiln", { filters: { fuel: "gas" } }),
    }));
    const size = { large: 2, small: 1 };
    assert.deepEqual(all, { fuel: { electricity: 1, gas: 1 }, size });
    assert.deepEqual(answer.totalFilters, { fuel: { electricity: 1, gas: 1 }, size });
    assert.deepEqual(answer.filters, {
      fuel: { electricity: 0, gas: 1 },
      size: { large: 1, small: 0 },
    });
    assert.equal(answer.unfilteredResultCount, 3);
  });

  test("lists all pages for `null`, and none for punctuation", async () => {
    assert.equal((await urls(null)).length, 4);
    assert.deepEqual(await urls(null, { filters: { fuel: "gas" } }), ["/kilns/gas/"]);
    assert.deepEqual(await urls("*"), []);
    const excerpt = await page.evaluate(async () => {
      const { results } = await pagefind.search(null, { filters: { size: "small" } });
      return (await results[0].data()).excerpt;
    });
    assert.match(excerpt, /^Electric kilns\. /);
  });

  test("sorts the pages that have the attribute", async () => {
    assert.deepEqual(await urls("kiln", { sort: { price: "desc" } }), [
      "/kilns/electric/",
      "/kilns/gas/",
    ]);
    assert.deepEqual(await urls(null, { sort: { price: "asc" } }), [
      "/kilns/gas/",
      "/kilns/electric/",
    ]);
    assert.deepEqual(await urls("kiln", { sort: { unknown: "asc" } }), []);
  });

  test("searches the pages of its own language, and of another when asked", async () => {
    assert.deepEqual(await urls("brennofen"), []);
    assert.deepEqual(
      await page.evaluate(() => {
        const german = pagefind.createInstance({ language: "de" });
        return urls(german.search("brennöfen"));
      }),
      ["/de/"],
    );
  });

  test("obeys options of addresses and excerpts", async () => {
    const data = await page.evaluate(async () => {
      await pagefind.options({
        baseUrl: "/docs/",
        highlightParam: "hi",
        excerptLength: 3,
        excerptEllipsis: "…",
      });
      return (await pagefind.search("Room ventilate!")).results[0].data();
    });
    assert.equal(data.url, "/docs/kilns/gas/?hi=room&hi=ventilate");
    assert.equal(data.sub_results[0].url, "/docs/kilns/gas/?hi=room&hi=ventilate#safety");
    assert.match(data.plain_excerpt, /^… \S+ \S+ \S+ …$/);
  });

  test("finds pages with every word, or else with some of them", async () => {
    assert.deepEqual(await urls("electric evenly"), ["/kilns/electric/"]);
    assert.deepEqual(await urls("quickly kiln"), ["/kilns/gas/"]);
    assert.deepEqual((await urls("quickly evenly")).sort(), ["/kilns/electric/", "/kilns/gas/"]);
  });

  test("finds words by one letter, and a beginning in place of a word of no page", async () => {
    assert.deepEqual(await urls("w"), ["/wheels/", "/"]);
    assert.deepEqual(await urls("firesomewhere"), ["/kilns/electric/", "/kilns/gas/"]);
  });

  test("loads the packed engine of the page's language", async () => {
    await page.evaluate(() => pagefind.init());
    const engines = session.server.log.filter((path) => /wasm/.test(path));
    assert.ok(engines.includes("/pagefind/wasm.en.pagefind"), engines.join());
    assert.ok(!engines.includes("/pagefind/findling_engine.wasm"), engines.join());
  });

  test("answers the last of several debounced searches", async () => {
    const answers = await page.evaluate(async () => {
      const searches = ["k", "ki", "kil"].map((term) => pagefind.debouncedSearch(term, {}, 20));
      return (await Promise.all(searches)).map((answer) => answer?.results.length ?? null);
    });
    assert.deepEqual(answers, [null, null, 3]);
  });

  test("searches on the page's own thread, and in a worker", async () => {
    const environment = (options) =>
      page.evaluate(async (options) => {
        const instance = pagefind.createInstance(options);
        console.log = () => {};
        const answer = await instance.search("kiln", { verbose: true });
        await instance.destroy();
        return answer.search_environment;
      }, options);
    assert.equal(await environment({ noWorker: true }), "mainthread");
    assert.equal(await environment({}), "webworker");
  });

  test("starts anew after destroy", async () => {
    await page.evaluate(() => pagefind.options({ baseUrl: "/old/" }));
    assert.deepEqual(await urls("reduction"), ["/old/kilns/gas/"]);
    await page.evaluate(() => pagefind.destroy());
    assert.deepEqual(await urls("reduction"), ["/kilns/gas/"]);
  });

  test("keeps the entry file in caches under the site's own tag", async () => {
    const requests = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.evaluate(async () => {
      await pagefind.options({ metaCacheTag: "build 7" });
      await pagefind.init();
    });
    await eventually(() => {
      const entries = requests.filter((url) => url.includes("pagefind-entry.json"));
      assert.deepEqual(entries, [session.address("pagefind/pagefind-entry.json?ts=build%207")]);
    });
  });
});

describe("a page that searches several sites with pagefind.js", () => {
  let page;
  const session = new Session(() => {
    const site = buildPagefind();
    const clay = `<html lang=en><h1>Clay for a kiln</h1><p>Clay.</p>
      <p data-pagefind-filter=fuel>gas</p></html>`;
    buildPagefind({ "stoneware/index.html": clay }, "-o", join(site, "clay/pagefind"));
    return serve([site]);
  });

  test("merges their results by score, filters and counts", async () => {
    page = await visitPagefind(session);
    const found = await page.evaluate(async () => {
      await pagefind.options({ mergeFilter: { site: "kilns" } });
      await pagefind.mergeIndex("/clay/pagefind/", {
        indexWeight: 1000,
        mergeFilter: { site: ["clay", "shop"] },
      });
      const all = await pagefind.search("kiln");
      const of = (site) => urls(pagefind.search("kiln", { filters: { site } }));
      return {
        urls: await urls(all),
        scores: all.results.map(({ score }) => score),
        clay: await of("shop"),
        kilns: await of("kilns"),
        filters: await pagefind.filters(),
        timings: all.timings.length,
      };
    });
    assert.equal(found.urls[0], "/clay/stoneware/");
    assert.deepEqual(
      found.scores,
      found.scores.toSorted((a, b) => b - a),
    );
    assert.deepEqual(found.clay, ["/clay/stoneware/"]);
    assert.equal(found.kilns.length, 3);
    assert.equal(found.filters.fuel.gas, 2);
    assert.deepEqual(found.filters.site, { kilns: 4, clay: 1, shop: 1 });
    assert.equal(found.timings, 2);
  });

  test("skips a bundle that it has already", async () => {
    page = await visitPagefind(session);
    expectComplaints(page, /is searched already/);
    await page.evaluate(() => pagefind.mergeIndex("/pagefind/"));
    assert.equal(
      await page.evaluate(async () => (await pagefind.search("kiln")).results.length),
      3,
    );
  });

  test("weighs a compound by the parts of it that the query has", async () => {
    const compound = "<html lang=en><p>A single reference to SaltGlazes</p></html>";
    const directory = buildPagefind({ "salt.html": compound, "index.html": PAGES["index.html"] });
    const { url } = session.keep(await serve([directory]));
    page = await visitPagefind(session, url);
    const locations = (query) =>
      page.evaluate(async (query) => {
        const { results } = await pagefind.search(query);
        const pages = await Promise.all(results.map((result) => result.data()));
        return pages.find(({ url }) => url === "/salt.html").weighted_locations;
      }, query);
    const [half] = await locations("salt");
    assert.equal(half.weight, 0.5);
    const [whole] = await locations("salt glazes");
    assert.equal(whole.weight, 1);
    // Two parts, each with twice the weight, which counts squared.
    assert.ok(Math.abs(whole.balanced_score - 8 * half.balanced_score) < 1e-9);
  });

  /** Opens a page of these pages, by their paths; returns the function `urls` of its searches. */
  const open = async (pages) => {
    const directory = buildPagefind({ "index.html": PAGES["index.html"], ...pages });
    const { url } = session.keep(await serve([directory]));
    page = await visitPagefind(session, url);
    return (query, options) =>
      page.evaluate(
        async ([query, options]) => {
          const instance = pagefind.createInstance(options);
          const found = await urls(instance.search(query));
          await instance.destroy();
          return found;
        },
        [query, options ?? {}],
      );
  };
  const english = (body, head = "") =>
    `<html lang=en><head>${head}</head><body>${body}</body></html>`;

  test("prefers the accents typed, or asks for them", async () => {
    const found = await open({
      "plain.html": english("<p>Our cafe in London, the best cafe around</p>"),
      "accent.html": english("<p>Our café in Paris</p>"),
    });
    assert.deepEqual(await found("café"), ["/accent.html", "/plain.html"]);
    assert.deepEqual(await found("cafe"), ["/plain.html", "/accent.html"]);
    assert.deepEqual(await found("café", { ranking: { diacriticSimilarity: 0 } }), [
      "/plain.html",
      "/accent.html",
    ]);
    assert.deepEqual(await found("café", { exactDiacritics: true }), ["/accent.html"]);
    assert.deepEqual(await found("cafe", { exactDiacritics: true }), ["/plain.html"]);
  });

  test("ranks by Pagefind's formula where the site asks for it", async () => {
    const filler = "Clay is dug, dried and wedged before it is thrown on a wheel. ".repeat(12);
    const found = await open({
      "long.html": english(`<p>A damper, a second damper. ${filler}</p>`),
      "short.html": english("<p>A damper closes the flue.</p>"),
      "title.html": english("<p>It closes the flue.</p>", "<title>The damper</title>"),
    });
    const order = (ranking) => found("damper", { ranking });
    const titled = ["/title.html", "/short.html", "/long.html"];
    assert.deepEqual(await order({ pageLength: 1 }), titled);
    const counted = { termFrequency: 0, metaWeights: { title: 0 } };
    assert.deepEqual(await order(counted), ["/long.html", "/short.html", "/title.html"]);
  });

  test("counts words by their weights, down to nothing", async () => {
    const found = await open({
      "light.html": english("<p data-pagefind-weight=0.1>Engobe, engobe, all engobe</p>"),
      "none.html": english("<p data-pagefind-weight=0>Engobe, engobe and engobe</p>"),
      "once.html": english("<p>A vase with clay and one layer of engobe</p>"),
      "heavy.html": english("<p data-pagefind-weight=5>Engobe</p><p>A vase of clay</p>"),
    });
    assert.deepEqual(await found("engobe"), [
      "/heavy.html",
      "/once.html",
      "/light.html",
      "/none.html",
    ]);
    const scores = await page.evaluate(async () =>
      (await pagefind.search("engobe")).results.map(({ score }) => score),
    );
    assert.equal(scores[3], 0);
  });

  test("reads more results than the first batch when they are asked for", async () => {
    const many = {};
    for (let at = 0; at < 70; at += 1)
      many[`p${at}.html`] = `<html lang=en><h1>Tile ${at}</h1><p>A tile of clay.</p></html>`;
    const directory = buildPagefind({ ...many, "index.html": PAGES["index.html"] });
    const { url } = session.keep(await serve([directory]));
    page = await visitPagefind(session, url);
    const { ids, urls: found } = await page.evaluate(async () => {
      const { results } = await pagefind.search("tile");
      const pages = await Promise.all(results.map((result) => result.data()));
      return { ids: results.map(({ id }) => id), urls: pages.map(({ url }) => url) };
    });
    assert.equal(new Set(ids).size, 70);
    assert.equal(new Set(found).size, 70);
  });
});
