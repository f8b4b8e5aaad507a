// Several bundles behind one search, in Chromium.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expectComplaints, withClient } from "../lib/browser.mjs";
import { dist } from "../lib/bundle.mjs";
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
