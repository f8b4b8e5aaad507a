// Several bundles behind one search, in the real Workers runtime.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Response as ServiceResponse } from "miniflare";
import { dividedSite, PARTS, QUERIES, ranking } from "../lib/divided.mjs";
import { serveFiles, start, workerOf } from "../lib/miniflare.mjs";
import { twoSites } from "../lib/two-sites.mjs";

const KILN = { bundle: "/kiln/findling/", name: "kiln" };
const HARBOUR = { bundle: "/harbour/findling/", name: "harbour" };
const GONE = { bundle: "/gone/findling/", name: "gone" };

/** The share of the first ten pages by words and by meaning that must be the same. */
const MIN_SAME = 0.95;
describe("bundles that a corpus was divided into", () => {
  let worker;
  after(() => worker?.stop());

  test("score its pages as one bundle of it does", async (t) => {
    const root = dividedSite();
    const [whole, ...parts] = ["whole", ...PARTS].map((name) => `/${name}/findling/`);
    worker = await start({
      source: workerOf(`{ log: "none", cache: false }`),
      serviceBindings: { ASSETS: serveFiles(root, ServiceResponse) },
      bindings: {
        FINDLING_BUNDLES: JSON.stringify({ "/whole/": whole, "/parts/": parts }),
        FINDLING_SUBREQUESTS: "1000",
      },
    });
    const ask = async (name, query, more) => {
      const parameters = new URLSearchParams({ q: query, k: "100", ...more });
      const response = await fetch(`${worker.url}/${name}/search?${parameters}`);
      const answer = await response.json();
      const { total, corrections } = answer;
      return { pages: ranking(answer), total, corrections };
    };
    let [same, ten] = [0, 0];
    for (const query of QUERIES) {
      const words = { mode: "lexical" };
      const [one, joined] = [await ask("whole", query, words), await ask("parts", query, words)];
      assert.deepEqual(joined, one, `by words: ${query}`);
      const [both, ofParts] = [await ask("whole", query), await ask("parts", query)];
      const first = ({ pages }) => pages.slice(0, 10).map(([, page]) => page);
      const expected = first(both);
      same += first(ofParts).filter((page) => expected.includes(page)).length;
      ten += expected.length;
    }
    // By meaning, each bundle examines as many sections as one bundle of all pages, so parts find
    // more; and codes of vectors depend on the other vectors of their bundle.
    t.diagnostic(`by both, ${((100 * same) / ten).toFixed(1)} % of the first ten are the same`);
    assert.ok(same / ten > MIN_SAME, `${same} of ${ten}`);
    // Searches at once do not take each other's statistics.
    const at = QUERIES.slice(0, 12).flatMap((query) => [
      ["whole", query],
      ["parts", query],
    ]);
    const words = { mode: "lexical" };
    const answers = await Promise.all(at.map(([name, query]) => ask(name, query, words)));
    for (let i = 0; i < at.length; i += 2) assert.deepEqual(answers[i + 1], answers[i], at[i][1]);
  });
});

describe("a program that asks an endpoint with several bundles", () => {
  let worker;
  let root;
  before(async () => {
    root = twoSites();
    const mounts = {
      "/": [KILN, HARBOUR],
      "/kiln/": KILN,
      "/harbour/": HARBOUR,
      "/broken/": [KILN, GONE],
      "/none/": [GONE, { ...GONE, name: "gone too" }],
      "/heavy/": [{ ...KILN, weight: 0 }, HARBOUR],
      "/guides/": [{ ...KILN, filter: "kind=guide" }, HARBOUR],
    };
    worker = await start({
      source: workerOf(`{ log: "none" }`),
      serviceBindings: { ASSETS: serveFiles(root, ServiceResponse) },
      bindings: { FINDLING_BUNDLES: JSON.stringify(mounts), FINDLING_SUBREQUESTS: "1000" },
    });
  });
  after(() => worker?.stop());
  const get = (path) => fetch(`${worker.url}${path}`);
  const ask = async (path) => (await get(path)).json();

  test("gets pages of all, each with its bundle and an absolute address", async () => {
    const both = await ask("/search?q=anchor+kiln&k=20&mode=lexical");
    assert.deepEqual(both.failures, []);
    const names = new Set(both.results.map(({ bundle }) => bundle));
    assert.deepEqual([...names].sort(), ["harbour", "kiln"]);
    for (const { bundle, url } of both.results)
      assert.ok(url.startsWith(`${worker.url}/${bundle}/`), url);
    const alone = await Promise.all(
      ["kiln", "harbour"].map((name) => ask(`/${name}/search?q=anchor+kiln&k=20&mode=lexical`)),
    );
    assert.equal(both.total.pages, alone[0].total.pages + alone[1].total.pages);
    // Scores use the statistics of both bundles, so they are comparable.
    const scores = both.results.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
  });

  test("gets the bundle first that answers the query", async () => {
    const [first] = (await ask("/search?q=thermocouple")).results;
    assert.deepEqual([first.bundle, first.title], ["kiln", "Thermocouple"]);
  });

  test("gets the next pages, facets of all and counts without a page twice", async () => {
    const query = "/search?q=anchor+kiln&mode=lexical&facets=kind,shelf";
    const all = await ask(`${query}&k=12`);
    const parts = [await ask(`${query}&k=6`), await ask(`${query}&k=6&offset=6`)];
    assert.deepEqual(
      parts.flatMap(({ results }) => results.map(({ url }) => url)),
      all.results.map(({ url }) => url),
    );
    assert.deepEqual(all.facets.map(({ name }) => name).sort(), ["kind", "shelf"]);
  });

  test("sets a bundle back by its weight, and keeps to its filter", async () => {
    const heavy = await ask("/heavy/search?q=kiln&k=20&mode=lexical");
    const last = heavy.results.findLastIndex(({ bundle }) => bundle === "harbour");
    const first = heavy.results.findIndex(({ bundle }) => bundle === "kiln");
    assert.ok(first > last, "a weight of 0 puts a bundle behind all others");
    const guides = await ask("/guides/search?q=kiln&k=20&mode=lexical&filter=level%3D1");
    const kiln = guides.results.filter(({ bundle }) => bundle === "kiln");
    assert.ok(kiln.length > 0);
    assert.ok(kiln.every(({ attributes: { kind, level } }) => kind === "guide" && level === 1));
    // The other bundle has no such attribute, and says so.
    assert.deepEqual(
      guides.failures.map(({ bundle, code }) => [bundle, code]),
      [["harbour", "unknown-attribute"]],
    );
  });

  test("keeps to the filter of a bundle whatever a search asks for", async () => {
    const found = async (filter) => {
      const asked = encodeURIComponent(filter);
      const answer = await ask(`/guides/search?q=kiln&k=20&mode=lexical&filter=${asked}`);
      // Scores differ if the harbour, which has no such attribute, cannot answer.
      const pages = answer.results.filter(({ bundle }) => bundle === "kiln");
      return pages.map(({ url }) => url);
    };
    const guides = await found("");
    assert.ok(guides.length > 0);
    for (const filter of ["kind=reference", "kind:in:reference", '{"kind": "reference"}'])
      assert.deepEqual(await found(filter), [], filter);
    for (const filter of ["kind=reference,kind=guide", "kind:ne:reference", '{"kind": "guide"}'])
      assert.deepEqual(await found(filter), guides, filter);
    const refused = await get("/guides/search?q=kiln&filter=kind");
    assert.equal(refused.status, 400);
  });

  test("is refused pages that no bundle gives enough of", async () => {
    const last = await ask("/search?q=kiln&k=10&offset=90");
    assert.deepEqual(last.failures, []);
    const beyond = await get("/search?q=kiln&k=10&offset=91");
    assert.equal(beyond.status, 400);
    assert.equal((await beyond.json()).error.code, "request");
    assert.equal((await get("/kiln/search?q=kiln&k=10&offset=91")).status, 200);
  });

  test("is told which bundle failed, and gets the answers of the others", async () => {
    const response = await get("/broken/search?q=thermocouple");
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const { results, failures } = await response.json();
    assert.equal(results[0].title, "Thermocouple");
    assert.deepEqual([failures[0].bundle, failures[0].code], ["gone", "not-found"]);
    assert.ok(failures[0].remedy);
    assert.equal((await get("/none/search?q=kiln")).status, 503);
  });

  test("reads a page, and finds pages like it, in the bundle that has it", async () => {
    assert.equal((await ask("/page?url=guide/glaze.html")).title, "Glazing");
    const { results } = await ask("/similar?url=page-017.md&k=3");
    assert.equal(results.length, 3);
    assert.equal((await get("/page?url=nowhere.html")).status, 404);
  });

  test("gets an answer of all if a request may not fetch enough for meaning", async () => {
    const small = await start({
      source: workerOf('{ log: "none", cache: false, budget: { subrequests: 30, reserve: 12 } }'),
      serviceBindings: { ASSETS: serveFiles(root, ServiceResponse) },
      bindings: { FINDLING_BUNDLES: JSON.stringify({ "/": [KILN, HARBOUR] }) },
    });
    try {
      let answer;
      for (let i = 0; i < 10 && !answer; i++) {
        const response = await fetch(`${small.url}/search?q=anchor+kiln+${i}&k=20`);
        if (response.status !== 200) continue;
        // The first requests open the bundles, which counts for their limit of subrequests.
        const given = await response.json();
        if (given.failures.length === 0) answer = given;
      }
      assert.ok(answer.results.length > 0);
    } finally {
      await small.stop();
    }
  });

  test("assistants search all of them", async () => {
    const call = { name: "search", arguments: { query: "thermocouple", limit: 1 } };
    const response = await fetch(`${worker.url}/mcp`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
    });
    const { result } = await response.json();
    const [page] = result.structuredContent.results;
    assert.ok(page.url.startsWith(`${worker.url}/kiln/reference/thermocouple.html`), page.url);
  });

  test("gets an answer by words from a bundle whose files for meaning are gone", async () => {
    rmSync(join(root, "harbour/findling"), { recursive: true });
    const { failures, results } = await ask("/search?q=never+asked+before+kiln");
    assert.ok(results.length > 0);
    assert.ok(failures.length <= 1);
  });
});
