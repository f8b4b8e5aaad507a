// The endpoint in the real Workers runtime: what a program that asks it gets.

import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build, run, scratch } from "../lib/bundle.mjs";
import { dev } from "../lib/worker.mjs";

describe("a program that asks the endpoint", () => {
  let site, worker;
  before(async () => {
    site = build();
    worker = await dev(site);
  });
  after(async () => {
    const log = worker?.log() ?? "";
    await worker?.stop();
    assert.doesNotMatch(log, /runtime crashed/i);
  });

  const get = (query, init) => fetch(`${worker.url}/search?${query}`, init);
  const refused = async (query, code, message) => {
    const response = await get(query);
    assert.equal(response.status, 400, query);
    const { error } = await response.json();
    assert.equal(error.code, code);
    assert.match(error.message, message);
  };

  test("gets the same JSON as the command line prints", async () => {
    for (const [parameters, options] of [
      ["q=thermocouple", []],
      ["q=kiln+temperature&k=3&offset=1", ["-k", "3", "--offset", "1"]],
      ["q=kiln&filter=kind%3Dreference&explain=1", ["--filter", "kind=reference", "--explain"]],
      ["q=pots+break&mode=lexical", ["--mode", "lexical"]],
      ["q=pots+break&mode=semantic", ["--mode", "semantic"]],
      ["q=pots+break&fusion=rrf", ["--fusion", "rrf"]],
      ["q=pinholse&verbatim=1&mode=lexical", ["--verbatim", "--mode", "lexical"]],
      ["q=%22crawling+pinholse%22&filter=kind%3Dguid", ["--filter", "kind=guid"]],
      ["q=kiln+level%3Ahigh&mode=lexical", ["--mode", "lexical"]],
      ["q=kiln+level%3A%3C3&mode=lexical", ["--mode", "lexical"]],
    ]) {
      const response = await get(parameters);
      assert.equal(response.status, 200);
      const query = new URLSearchParams(parameters).get("q");
      assert.deepEqual(
        await response.json(),
        JSON.parse(run("search", join(site, "findling"), query, "--json", ...options)),
        parameters,
      );
    }
  });

  test("may ask from any site, and is told so beforehand", async () => {
    const preflight = await fetch(`${worker.url}/search`, {
      method: "OPTIONS",
      headers: {
        origin: "https://example.org",
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-asked",
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
    assert.match(preflight.headers.get("access-control-allow-methods"), /GET/);
    assert.equal(preflight.headers.get("access-control-allow-headers"), "x-asked");
    assert.equal((await get("q=kiln")).headers.get("access-control-allow-origin"), "*");
    assert.equal((await get("k=kiln")).headers.get("access-control-allow-origin"), "*");
  });

  test("gets the head of an answer alone if that is all it wants", async () => {
    const response = await get("q=kiln", { method: "HEAD" });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json/);
    assert.equal(await response.text(), "");
  });

  test("need not fetch an answer again that it has", async () => {
    const first = await get("q=kiln");
    const etag = first.headers.get("etag");
    assert.match(etag, /^(W\/)?"[0-9a-f]+"$/);
    assert.match(first.headers.get("cache-control"), /max-age=\d+/);
    const again = await get("q=kiln", { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
    assert.notEqual((await get("q=pots")).headers.get("etag"), etag);
  });

  test("is told what is wrong with its question", async () => {
    await refused("", "request", /`q`.* missing/);
    await refused("q=a&k=many", "request", /`k` must be a whole number from 0 to 100/);
    await refused("q=a&k=101", "request", /`k`/);
    await refused("q=a&offset=-1", "request", /`offset`/);
    await refused("q=a&mode=psychic", "request", /`mode` must be hybrid or lexical or semantic/);
    await refused("q=a&fusion=cold", "request", /`fusion`/);
    await refused("q=a&limit=3", "request", /no parameter `limit`/);
    await refused("q=a&q=b", "request", /more than once/);
    await refused(`q=${"a".repeat(1001)}`, "request", /1001 characters/);
    await refused("q=a&filter=colour%3Dred", "unknown-attribute", /colour/);
    await refused("q=a&filter=kind:near:red", "filter", /near/);
    await refused(
      "q=a&filter=level%3Dhigh",
      "filter",
      /`level`: expected a number, found `high`;.*; the pages have \d+ to \d+$/,
    );
    await refused("q=a&sort=size", "unknown-attribute", /size/);
  });

  test("gets pages similar to one, and why one is not first", async () => {
    const similar = (query) => fetch(`${worker.url}/similar?${query}`);
    const answer = await similar("url=https://example.org/guide/glaze.html%23crawling&k=2");
    assert.equal(answer.status, 200);
    const { results, encoder } = await answer.json();
    assert.equal(results.length, 2);
    assert.equal(encoder, "page");
    assert.ok(results.every(({ title }) => title !== "Glazing"));
    const unknown = await similar("url=/nowhere.html");
    assert.equal(unknown.status, 404);
    assert.equal((await unknown.json()).error.code, "no-such-page");
    assert.equal((await similar("q=kiln")).status, 400);
    const { why } = await (await get("q=pinholes&why=guide/cones.html&k=0")).json();
    assert.equal(why.first.title, "Glazing");
  });

  test("asks the same in other words", async () => {
    const { results } = await (await get("q=pinholes&also=thermocouple&also=&mode=lexical")).json();
    assert.ok(
      ["Glazing", "Thermocouple"].every((title) => results.some((page) => page.title === title)),
    );
    await refused("q=a&also=b&also=c&also=d&also=e&also=f", "request", /at most 4/);
  });

  test("gets counts and other orders where it asks for them", async () => {
    const { facets, results } = await (
      await get("q=kiln&facets=kind&sort=-updated&k=3&mode=lexical")
    ).json();
    assert.deepEqual(
      facets.map(({ name }) => name),
      ["kind"],
    );
    const dates = results.map(({ attributes }) => attributes.updated ?? "");
    assert.deepEqual(dates, [...dates].sort().reverse());
  });

  test("is told that there is nothing elsewhere, and that only reading is answered", async () => {
    assert.equal((await fetch(`${worker.url}/nothing/here`)).status, 404);
    const posted = await fetch(`${worker.url}/search?q=kiln`, { method: "POST", body: "{}" });
    assert.equal(posted.status, 405);
    assert.match(posted.headers.get("allow"), /GET/);
    assert.equal((await posted.json()).error.code, "method");
  });

  test("gets the site's own files from the same address", async () => {
    assert.match(await (await fetch(`${worker.url}/guide/glaze`)).text(), /Crawling and pinholes/);
  });

  test("learns which build answers", async () => {
    const health = await (await fetch(`${worker.url}/health`)).json();
    assert.equal(health.status, "ok");
    assert.equal(health.pages, 12);
    assert.match(health.revision, /^[0-9a-f]{32}$/);
  });

  test("gets its answers under many questions at once", async () => {
    const words = ["kiln", "glaze", "cone", "thermocouple", "pots", "element", "quokka", "safety"];
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        get(`q=${words[i % words.length]}`).then((response) => response.json()),
      ),
    );
    for (const [i, answer] of answers.entries())
      assert.deepEqual(answer, answers[i % words.length]);
  });
});

describe("a Worker with the bundle in one file", () => {
  let worker, expect;
  before(async () => {
    const site = build();
    expect = JSON.parse(run("search", join(site, "findling"), "thermocouple", "--json"));
    const assets = join(scratch(), "assets");
    mkdirSync(assets);
    run(
      "--quiet",
      "build",
      join(site, "../pages"),
      join(site, "../records.jsonl"),
      "--root",
      join(site, "../pages"),
      "--output",
      join(assets, "handbook.findling"),
      "--single-file",
      "--no-client",
      "--encoder",
      "hash",
    );
    cpSync(join(site, "faq"), join(assets, "faq"), { recursive: true });
    worker = await dev(assets, { FINDLING_BUNDLE: "/handbook.findling" });
  });
  after(() => worker?.stop());

  test("answers as from the directory", async () => {
    assert.deepEqual(await (await fetch(`${worker.url}/search?q=thermocouple`)).json(), expect);
  });
});

describe("a Worker without its bundle", () => {
  test("says what is missing and what to do", async () => {
    const assets = scratch();
    const site = build();
    cpSync(join(site, "faq"), join(assets, "faq"), { recursive: true });
    // Such a Worker is never healthy: up is when it answers at all.
    const worker = await dev(assets, {}, () => true);
    try {
      const response = await fetch(`${worker.url}/search?q=kiln`);
      assert.equal(response.status, 503);
      const { error } = await response.json();
      assert.equal(error.code, "not-found");
      assert.match(error.message, /findling\.idx/);
      assert.ok(error.remedy);
    } finally {
      await worker.stop();
    }
  });
});
