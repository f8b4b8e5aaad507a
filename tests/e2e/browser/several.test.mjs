// Several bundles behind one search, in Chromium.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expectComplaints, withClient } from "../lib/browser.mjs";
import { dist } from "../lib/bundle.mjs";
import { dividedSite, PARTS, QUERIES, ranking } from "../lib/divided.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";
import { twoSites } from "../lib/two-sites.mjs";

describe("a page that searches several bundles", () => {
  const root = twoSites();
  const session = new Session(() => serve([root, dist], { "/": withClient("/findling.js") }));

  /** Opens bundles in the page, searches, and returns the answer. */
  async function answer(bundles, query, options = {}) {
    const page = await session.visitClient("/");
    if (JSON.stringify(bundles).includes("/gone/")) expectComplaints(page, /404/);
    return page.evaluate(
      async ([bundles, query, options]) => {
        const { openAll } = await import("/findling-several.js");
        const short = ({ code, message }) => ({ error: code, message });
        const index = await openAll(bundles).catch(short);
        if ("error" in index) return index;
        const answer = await index.search(query, options).catch(short);
        index.close();
        return answer;
      },
      [bundles, query, options],
    );
  }

  const BOTH = [
    { url: "/kiln/findling/", name: "kiln", site: "/kiln/" },
    { url: "/harbour/findling/", name: "harbour", site: "/harbour/" },
  ];

  test("shows pages of all, each with its bundle and its own address", async () => {
    const { results, failures, total } = await answer(BOTH, "anchor kiln", { limit: 20 });
    assert.deepEqual(failures, []);
    assert.ok(total.pages > 0);
    assert.deepEqual([...new Set(results.map(({ bundle }) => bundle))].sort(), ["harbour", "kiln"]);
    for (const { bundle, href } of results)
      assert.ok(href.startsWith(session.address(`/${bundle}/`)), href);
    const [first] = (await answer(BOTH, "thermocouple")).results;
    assert.deepEqual([first.bundle, first.title], ["kiln", "Thermocouple"]);
  });

  test("tells which bundle cannot be opened, and shows the others", async () => {
    const bundles = ["/gone/findling/", ...BOTH];
    const { results, failures } = await answer(bundles, "thermocouple");
    assert.equal(results[0].title, "Thermocouple");
    assert.deepEqual([failures.length, failures[0].bundle], [1, "/gone/findling/"]);
    assert.ok(failures[0].remedy);
    assert.equal((await answer(["/gone/findling/"], "kiln")).error, "not-found");
    assert.equal((await answer([], "kiln")).error, "request");
  });

  test("keeps to the filters of the bundle and of the search", async () => {
    const bundles = [{ ...BOTH[0], filter: "kind=guide" }];
    const { results } = await answer(bundles, "kiln", { filter: "level=1", limit: 20 });
    assert.ok(results.length > 0);
    for (const { attributes } of results)
      assert.deepEqual([attributes.kind, attributes.level], ["guide", 1]);
    const found = async (filter, bundle = bundles) => {
      const answered = await answer(bundle, "kiln", { filter, limit: 20 });
      return answered.results.map(({ url }) => url);
    };
    const guides = await found("kind=guide");
    const first = results.map(({ url }) => url);
    for (const filter of [{ level: 1 }, ' "level" = 1 ', "level:in:1|'1'", "level:eq:1"])
      assert.deepEqual(await found(filter), first, JSON.stringify(filter));
    for (const filter of ["kind=guide,kind=reference", "kind:contains:uid", "level:gte:0", ""])
      assert.deepEqual(await found(filter), guides, filter);
    // A pair of the same key is no alternative to the bundle's own.
    for (const filter of ["kind=reference", "kind:ne:guide", '{"kind": "reference"}'])
      assert.deepEqual(await found(filter), [], filter);
    for (const wrong of ["kind", "kind:in:", "kind:xx:a", 'kind="a', "kind=a,", "{"])
      assert.equal((await answer(bundles, "kiln", { filter: wrong })).error, "filter", wrong);
  });

  test("refuses pages that no bundle gives enough of", async () => {
    assert.equal((await answer(BOTH, "kiln", { offset: 90 })).error, undefined);
    assert.equal((await answer(BOTH, "kiln", { offset: 91 })).error, "request");
  });

  test("asks only the bundles that the search names", async () => {
    const { results } = await answer(BOTH, "anchor kiln", { bundles: ["harbour"], limit: 20 });
    assert.ok(results.length > 0 && results.every(({ bundle }) => bundle === "harbour"));
    assert.equal((await answer(BOTH, "kiln", { bundles: ["none"] })).error, "request");
  });
});

/** The share of the first ten pages by words and by meaning that must be the same. */
const MIN_SAME = 0.95;
/** Scores by words and by meaning differ at most so much: codes of vectors depend on a bundle. */
const MAX_DIFFERENCE = 0.02;

describe("bundles that a corpus was divided into, in a page", () => {
  const root = dividedSite();
  const session = new Session(() => serve([root, dist], { "/": withClient("/findling.js") }));
  const at = (names) => names.map((name) => ({ url: `/${name}/findling/`, name }));
  const parts = at(PARTS);

  /** The answers to queries, searched one after the other. */
  async function answers(page, bundles, queries, options = {}) {
    return page.evaluate(
      async ([bundles, queries, options]) => {
        const { openAll } = await import("/findling-several.js");
        const index = await openAll(bundles);
        const answers = [];
        for (const query of queries) answers.push(await index.search(query, options));
        index.close();
        return answers;
      },
      [bundles, queries, options],
    );
  }

  test("score its pages by words as one bundle of it does, to the bit", async () => {
    const page = await session.visitClient("/");
    const words = { mode: "lexical", limit: 100 };
    const one = await answers(page, at(["whole"]), QUERIES, words);
    const joined = await answers(page, parts, QUERIES, words);
    for (const [i, query] of QUERIES.entries()) {
      const of = (answer) => [ranking(answer), answer.total, answer.corrections, answer.failures];
      assert.deepEqual(of(joined[i]), of(one[i]), query);
    }
    assert.ok(joined.some(({ corrections }) => corrections.length > 0));
  });

  test("have the same first pages by words and by meaning", async (t) => {
    const page = await session.visitClient("/");
    const one = await answers(page, at(["whole"]), QUERIES);
    const joined = await answers(page, parts, QUERIES);
    let [same, ten] = [0, 0];
    for (const [i, query] of QUERIES.entries()) {
      const scores = new Map(one[i].results.map(({ id, score }) => [id, score]));
      ten += scores.size;
      for (const { id, score } of joined[i].results) {
        const expected = scores.get(id);
        if (expected === undefined) continue;
        same += 1;
        assert.ok(Math.abs(score - expected) < MAX_DIFFERENCE, `${query}: ${score}, ${expected}`);
      }
    }
    t.diagnostic(`by both, ${((100 * same) / ten).toFixed(1)} % of the first ten are the same`);
    assert.ok(same / ten > MIN_SAME, `${same} of ${ten}`);
  });

  test("score as if one that fails were not there", async () => {
    const page = await session.visitClient("/");
    expectComplaints(page, /404/);
    const words = { mode: "lexical", limit: 100 };
    const queries = QUERIES.slice(0, 8);
    const two = await answers(page, parts.slice(1), queries, words);
    const gone = { url: "/gone/findling/", name: "gone" };
    const joined = await answers(page, [gone, ...parts.slice(1)], queries, words);
    for (const [i, query] of queries.entries()) {
      assert.deepEqual(ranking(joined[i]), ranking(two[i]), query);
      assert.deepEqual(
        joined[i].failures.map(({ bundle, code }) => [bundle, code]),
        [["gone", "not-found"]],
      );
    }
    // An attribute that a bundle does not have fails its search, after it was opened.
    const kinds = [parts[0], { ...parts[1], filter: "kind=guide" }, parts[2]];
    const [one] = await answers(page, [parts[0], parts[2]], ["violin"], words);
    const [without] = await answers(page, kinds, ["violin"], words);
    assert.deepEqual(ranking(without), ranking(one));
    assert.deepEqual(
      without.failures.map(({ bundle, code }) => [bundle, code]),
      [["two", "unknown-attribute"]],
    );
  });

  test("take searches at once, and end a search that is cancelled", async () => {
    const page = await session.visitClient("/");
    const [alone, atOnce, cancelled] = await page.evaluate(
      async ([bundles, queries]) => {
        const { openAll } = await import("/findling-several.js");
        const index = await openAll(bundles);
        const options = { mode: "lexical", limit: 100 };
        const alone = [];
        for (const query of queries) alone.push(await index.search(query, options));
        // Meanwhile each bundle is searched by itself, without statistics of the others.
        const [, single] = index.bundles.entries().next().value;
        const before = await single.search(queries[0], options);
        const [after, ...atOnce] = await Promise.all([
          single.search(queries[0], options),
          ...queries.map((query) => index.search(query, options)),
        ]);
        const scores = ({ results }) => results.map(({ score }) => score).join();
        if (scores(before) !== scores(after)) throw new Error("statistics were taken over");
        const controller = new AbortController();
        const search = index.search(queries[0], { signal: controller.signal });
        controller.abort();
        const cancelled = await search.catch(({ code }) => code);
        index.close();
        return [alone, atOnce, cancelled];
      },
      [parts, QUERIES.slice(0, 8)],
    );
    assert.deepEqual(atOnce.map(ranking), alone.map(ranking));
    assert.equal(cancelled, "aborted");
  });

  test("score by their own statistics if the part of the engine for it is missing", async () => {
    const page = await session.visitClient("/");
    expectComplaints(page, /findling_engine_rest/);
    await page.route("**/findling_engine_rest.wasm*", (route) => route.abort());
    const [{ results, notices, failures }] = await answers(page, parts, ["violin"]);
    assert.ok(results.length > 0);
    assert.deepEqual(failures, []);
    assert.ok(notices.some(({ code }) => code === "statistics-missing"));
  });
});
