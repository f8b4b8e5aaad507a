// The client on a page: its answers.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { expectComplaints, withClient } from "../lib/browser.mjs";
import { build, run, scratch, shardsOfKind } from "../lib/bundle.mjs";
import { clientSuite } from "../lib/client-suite.mjs";
import { gate } from "../lib/server.mjs";

clientSuite("a page that searches with the client", (client) => {
  test("gets results with addresses, snippets, sections and costs", async () => {
    const { info } = await client.open();
    assert.equal(info.pages, 12);
    assert.deepEqual(
      info.attributes.map(({ name, kind, facet }) => `${name} ${kind} ${facet}`),
      ["kind string true", "level number true", "updated date false"],
    );
    const { results, stats, facets } = await client.find("pinholes", { limit: 3, facets: ["*"] });
    const [best] = results;
    assert.equal(best.title, "Glazing");
    assert.equal(best.href, `${client.server.url}guide/glaze.html`);
    assert.equal(best.sections[0].href, `${client.server.url}guide/glaze.html#crawling`);
    assert.deepEqual(best.sections[0].headingPath, ["Glazing", "Crawling and pinholes"]);
    assert.deepEqual(best.snippet, best.sections[0].snippet);
    assert.ok(best.snippet.ranges.length > 0);
    for (const [start, end] of best.snippet.ranges)
      assert.match(best.snippet.text.slice(start, end), /^pinholes$/i);
    assert.ok(stats.bytesFetched > 0 && stats.requests > 0, JSON.stringify(stats));
    assert.ok(stats.ms.total >= stats.ms.engine);
    assert.deepEqual(
      facets.map(({ name }) => name),
      ["kind", "level"],
    );
  });

  test("gets suggestions if nothing is found, each with the number of pages it finds", async () => {
    await client.open();
    const lexical = { mode: "lexical" };
    const misspelt = await client.find("pinholse", { ...lexical, verbatim: true });
    assert.deepEqual(misspelt.results, []);
    assert.deepEqual(
      misspelt.suggestions.map(({ kind, query, pages }) => [kind, query, pages]),
      [
        ["words", "pinholes", 1],
        ["spelling", "pinholse", 1],
      ],
    );
    const filtered = await client.find("pinholes", { ...lexical, filter: { kind: "guid" } });
    for (const { query, filter, verbatim, pages } of filtered.suggestions) {
      const options = { ...lexical, verbatim, filter: filter ?? undefined };
      assert.equal((await client.find(query, options)).total.pages, pages);
    }
    assert.deepEqual(
      filtered.suggestions.map(({ kind, filter }) => [kind, filter]),
      [
        ["value", "kind=guide"],
        ["filter", null],
      ],
    );
    const silent = { ...lexical, verbatim: true, suggest: false };
    assert.deepEqual((await client.find("pinholse", silent)).suggestions, []);
  });

  test("gets the results of its own words before a correction is known", async () => {
    const spelling = shardsOfKind(join(client.site, "findling"), "spelling");
    const { hold, open } = gate((path) => spelling.some((name) => path.endsWith(name)));
    await client.open();
    client.server.hold = hold;
    // The words arrive while the server holds back the shards of spellings.
    const words = await client.page.evaluate(() => {
      window.answers = [];
      return new Promise((resolve) => {
        window.answer = index.search("thermocuople kiln", {
          mode: "lexical",
          onWords: (words) => {
            answers.push("words");
            resolve(words);
          },
        });
        window.answer.then(() => answers.push("answer"));
      });
    });
    assert.deepEqual(words.corrections, []);
    assert.ok(words.results.length > 0);
    assert.ok(words.results.every(({ href }) => href !== null));
    open();
    const answer = await client.page.evaluate(() => window.answer);
    assert.deepEqual(
      answer.corrections.map(({ word, replacement }) => [word, replacement]),
      [["thermocuople", "thermocouple"]],
    );
    assert.equal(answer.results[0].title, "Thermocouple");
    assert.deepEqual(await client.page.evaluate(() => answers), ["words", "answer"]);
  });

  test("gets one answer for words that are spelt correctly", async () => {
    await client.open();
    const calls = await client.page.evaluate(async () => {
      let calls = 0;
      const onWords = () => calls++;
      for (const query of ["thermocouple", "kiln temperature", "thermocou"])
        await index.search(query, { mode: "lexical", prefix: true, onWords });
      return calls;
    });
    assert.equal(calls, 0);
  });

  test("gets the sentence closest to a question that shares no word with the page", async () => {
    const sentences = [
      "A lid that was lifted by its handle alone hangs askew, so both hands and a second " +
        "person are wanted whenever it comes off.",
      "Smoke in the first hour is water and binder that leave the clay, and a window stands " +
        "open all the while for it.",
      "Whoever wants to spend less money on electricity switches everything on at midnight, " +
        "when current from the grid is cheapest.",
      "Shelves are turned over after every tenth time, as they bend under their load when " +
        "they are red with heat.",
    ];
    const page = {
      path: "guide/night.html",
      title: "Evenings",
      kind: "guide",
      level: 1,
      updated: "2024-01-01",
      sections: [["", "", sentences.join(" ")]],
    };
    const directory = build({ encoder: "static", extra: [page] });
    const codes = shardsOfKind(join(directory, "findling"), "sentences");
    assert.ok(codes.length > 0);
    const anyCodes = new RegExp(codes.join("|"));
    client.server.directories = [directory];
    await client.open();
    const evenings = async (query, options) => {
      const { results } = await client.find(query, options);
      return results.find(({ title }) => title === "Evenings").snippet.text;
    };
    const semantic = { mode: "semantic", limit: 20 };
    assert.match(await evenings("lower my power bill", semantic), /^Whoever wants to spend less/);
    assert.ok(client.requested(anyCodes).length > 0);
    // Without the codes of sentences, the snippet is the beginning.
    client.server.missing = anyCodes;
    await client.renew();
    expectComplaints(client.page, anyCodes);
    await client.open();
    assert.match(await evenings("lower my power bill", semantic), /^A lid that was lifted/);
    client.server.missing = undefined;
    // A page that the words find has a snippet of those words and needs no codes.
    await client.renew();
    client.server.log.length = 0;
    await client.open();
    assert.match(await evenings("current from the grid at midnight", { limit: 1 }), /midnight/);
    assert.deepEqual(client.requested(anyCodes), []);
  });

  test("filters alike in every spelling of a filter", async () => {
    await client.open();
    const titles = (filter) => client.titles("kiln", { filter, mode: "lexical" });
    const expected = await titles({ kind: "reference" });
    assert.ok(expected.length > 0);
    assert.deepEqual(await titles("kind=reference"), expected);
    assert.deepEqual(await titles({ must: [{ match: { kind: "reference" } }] }), expected);
    assert.deepEqual(await titles("level:gte:3"), expected);
  });

  test("gets an error that names the attribute at fault in a filter", async () => {
    await client.open();
    const refused = async (filter) => (await client.search("kiln", { filter })).error;
    const unknown = await refused("colour=red");
    assert.deepEqual([unknown.name, unknown.code], ["FindlingError", "unknown-attribute"]);
    assert.match(unknown.message, /`colour`/);
    assert.equal((await refused("kind:near:red")).code, "filter");
    const mismatch = await refused("level=high");
    assert.equal(mismatch.code, "filter");
    assert.match(mismatch.message, /`level`.*`high`/);
  });

  test("cancels a search without disturbing another", async () => {
    await client.open();
    const { hold, open } = gate((path) => path.includes("/shards/"));
    client.server.hold = hold;
    const cancelled = await client.page.evaluate(async () => {
      const controller = new AbortController();
      const first = settled(index.search("thermocouple", { signal: controller.signal }));
      window.second = settled(index.search("thermocouple"));
      controller.abort();
      return first;
    });
    assert.equal(cancelled.error.code, "aborted");
    open();
    const answered = await client.page.evaluate(() => window.second);
    assert.equal(answered.value.results[0].title, "Thermocouple");
    const before = await client.page.evaluate(() =>
      settled(index.search("kiln", { signal: AbortSignal.abort() })),
    );
    assert.equal(before.error.code, "aborted");
  });

  test("answers the last of several searches, each of which cancels the one before", async () => {
    // The files of a cancelled search are on their way when the next search needs them.
    for (let time = 0; time < 20; time++) {
      await client.renew();
      await client.open();
      const last = await client.page.evaluate(async () => {
        let controller;
        let last;
        for (const query of ["t", "th", "the", "ther", "therm", "thermo"]) {
          controller?.abort();
          controller = new AbortController();
          const options = { prefix: true, signal: controller.signal, onWords: () => {} };
          last = settled(index.search(query, options));
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return last;
      });
      assert.equal(last.error, undefined);
      assert.equal(last.value.results[0].title, "Thermocouple");
    }
  });

  test("opens a bundle in a single file, with ranges and without", async () => {
    const directory = scratch();
    const pages = join(client.site, "../pages");
    run("--quiet", "build", pages, join(client.site, "../records.jsonl"), "--root", pages, [
      ["--output", join(directory, "handbook.findling"), "--single-file", "--no-client"],
      ["--encoder", "hash"],
    ]);
    client.server.directories = [directory, client.site];
    await client.open("/findling/", { vectors: "resident" });
    const same = ({ results, facets, total }) => ({ results, facets, total });
    const expected = same(await client.find("thermocouple", { facets: ["*"] }));
    for (const ranges of [true, false]) {
      client.server.ranges = ranges;
      await client.renew();
      await client.open("/handbook.findling");
      assert.deepEqual(same(await client.find("thermocouple", { facets: ["*"] })), expected);
    }
    // A page that has the file passes it on, and no part of it is fetched or kept.
    await client.renew();
    client.server.log.length = 0;
    await client.page.evaluate(async () => {
      const bytes = await (await fetch("/handbook.findling")).arrayBuffer();
      window.index = await findling.open("/memory.findling", { bytes });
    });
    assert.deepEqual(same(await client.find("thermocouple", { facets: ["*"] })), expected);
    assert.deepEqual(client.requested(/\.(?:findling|idx|bin)$/), ["/handbook.findling"]);
    assert.deepEqual(await client.page.evaluate(() => caches.keys()), []);
  });

  test("gets the same answers without workers", async () => {
    await client.open();
    const expected = (await client.find("kiln temperature")).results;
    await client.open("/findling/", { worker: false });
    assert.deepEqual((await client.find("kiln temperature")).results, expected);
    // The policy forbids workers.
    client.server.pages["/strict"] = withClient();
    client.server.headers = {
      "content-security-policy":
        "worker-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
    };
    await client.page.goto(`${client.server.url}strict`);
    await client.page.waitForFunction(() => "findling" in window);
    expectComplaints(client.page, /Content Security Policy/);
    await client.open();
    assert.deepEqual((await client.find("kiln temperature")).results, expected);
  });

  test("opens on a page whose policy forbids WebAssembly", async () => {
    await client.open();
    const expected = (await client.find("kiln temperature")).results;
    client.server.pages["/strict"] = withClient();
    client.server.headers = {
      "content-security-policy": "script-src 'self' 'unsafe-inline'",
    };
    await client.page.goto(`${client.server.url}strict`);
    await client.page.waitForFunction(() => "findling" in window);
    await client.open();
    assert.deepEqual((await client.find("kiln temperature")).results, expected);
  });

  test("does not load the transformer for a bundle without one", async () => {
    const { semantic } = await client.open();
    assert.equal(semantic, "ready");
    assert.equal((await client.find("kiln")).encoder, "hash");
    assert.deepEqual(client.requested(/encoder/), []);
    assert.equal((await client.find("kiln", { mode: "lexical" })).mode, "lexical");
  });

  test("searches by words only in a bundle without vectors", async () => {
    client.server.directories = [build({ encoder: "none" })];
    await client.renew();
    const { semantic } = await client.open();
    assert.equal(semantic, "none");
    const { error } = await client.page.evaluate(() => settled(index.ready("semantic")));
    assert.equal(error.code, "encoder-unavailable");
    const { mode, results } = await client.find("kiln");
    assert.equal(mode, "lexical");
    assert.ok(results.length > 0);
  });

  test("gets web addresses only", async () => {
    await client.open();
    const { url } = client.server;
    const resolve = (address) => client.page.evaluate((address) => index.resolve(address), address);
    assert.equal(await resolve("javascript:window.harmed=true"), null);
    assert.equal(await resolve(" JavaScript:window.harmed=true"), null);
    assert.equal(await resolve("data:text/html,<script>"), null);
    assert.equal(await resolve("https://example.org/a#b"), "https://example.org/a#b");
    assert.equal(await resolve("/guide/glaze.html#dipping"), `${url}guide/glaze.html#dipping`);
    // The site is deployed below another root than the indexed one.
    await client.open("/findling/", { site: "/docs/v2/" });
    const moved = `${url}docs/v2/guide/glaze.html`;
    assert.equal(await resolve("/guide/glaze.html#dipping"), `${moved}#dipping`);
    assert.equal(await resolve("guide/glaze.html"), moved);
  });

  test("learns why a page is not first", async () => {
    await client.open();
    const { url } = client.server;
    const options = { why: `${url}guide/cones.html`, limit: 0 };
    const { why, results } = await client.find("pinholes glaze", options);
    assert.match(why.page.url, /guide\/cones/);
    assert.equal(why.first.title, "Glazing");
    assert.equal(why.first.href, `${url}guide/glaze.html`);
    assert.ok(why.reason.length > 0);
    assert.deepEqual(
      why.words.map(({ word }) => word),
      ["pinholes", "glaze"],
    );
    assert.deepEqual(results, []);
    const { error } = await client.search("pinholes", { why: "guide/nowhere.html" });
    assert.equal(error.code, "no-such-page");
    assert.match(error.message, /nowhere/);
  });

  test("searches for alternative phrasings and gets one list", async () => {
    await client.open();
    const lexical = { mode: "lexical", limit: 20 };
    const one = await client.titles("pinholes", lexical);
    const other = await client.titles("thermocouple", lexical);
    const both = await client.titles("pinholes", { ...lexical, also: ["thermocouple"] });
    assert.deepEqual([...both].sort(), [...new Set([...one, ...other])].sort());
    const hybrid = await client.find("pinholes", { also: ["thermocouple", ""] });
    assert.equal(hybrid.encoder, "hash");
    const first = hybrid.results.slice(0, 2).map(({ title }) => title);
    assert.deepEqual(first.sort(), ["Glazing", "Thermocouple"]);
    const { error } = await client.search("a", { also: ["b", "c", "d", "e", "f"] });
    assert.equal(error.code, "request");
  });

  test("finds pages similar to a page, by any form of its address", async () => {
    await client.open();
    const { url } = client.server;
    const settled = (address, options = {}) =>
      client.page.evaluate(
        ([address, options]) => window.settled(index.similar(address, options)),
        [address, options],
      );
    const similar = async (address, options) => (await settled(address, options)).value;
    const { results, encoder } = await similar(`${url}guide/glaze.html#crawling`, { limit: 3 });
    assert.equal(results.length, 3);
    assert.equal(encoder, "page");
    for (const { title, href } of results) {
      assert.notEqual(title, "Glazing");
      assert.ok(href.startsWith(url));
    }
    const sent = client.server.sent;
    assert.deepEqual((await similar("guide/glaze.html", { limit: 3 })).results, results);
    assert.equal(client.server.sent, sent, "nothing is fetched again");
    const references = await similar("guide/glaze.html", { filter: { kind: "reference" } });
    assert.ok(references.results.length > 0);
    for (const { attributes } of references.results) assert.equal(attributes.kind, "reference");
    const words = await similar("guide/glaze.html", { mode: "lexical" });
    assert.ok(words.results.length > 0);
    assert.equal(words.encoder, null);
    assert.equal((await settled("nowhere.html")).error.code, "no-such-page");
    // The site is deployed below another root than the indexed one.
    await client.open("/findling/", { site: "/docs/v2/" });
    const moved = await similar(`${url}docs/v2/guide/glaze.html`, { limit: 3 });
    assert.deepEqual(
      moved.results.map(({ id }) => id),
      results.map(({ id }) => id),
    );
  });

  test("cannot search in a closed index", async () => {
    await client.open();
    const { error } = await client.page.evaluate(() => {
      index.close();
      return settled(index.search("kiln"));
    });
    assert.equal(error.code, "closed");
  });
});
