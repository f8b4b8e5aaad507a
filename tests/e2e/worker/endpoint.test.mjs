// The endpoint in the real Workers runtime, and its answers to a program.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build, findling, run, scratch } from "../lib/bundle.mjs";
import { dev } from "../lib/worker.mjs";

/**
 * The engine's response from the command line, without the command's statements about itself. Its
 * exit status is 1 if nothing is found.
 */
function searched(...args) {
  const { status, stdout } = spawnSync(findling, ["search", ...args, "--json"], {
    encoding: "utf8",
  });
  const { _meta, ...response } = JSON.parse(stdout);
  assert.equal(status, response.results.length > 0 ? 0 : 1);
  assert.equal(_meta.schema, 1);
  return response;
}

describe("a program that asks the endpoint", () => {
  let site;
  let worker;
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
  /** The error must have the code, and its message must quote the wrong name. */
  const refused = async (query, code, name) => {
    const response = await get(query);
    assert.equal(response.status, 400, query);
    const { error } = await response.json();
    assert.equal(error.code, code);
    assert.ok(error.message.includes(`\`${name}\``), error.message);
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
        searched("--streamed", join(site, "findling"), query, ...options),
        parameters,
      );
    }
  });

  test("may ask from any site", async () => {
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

  test("gets only the headers of an answer with HEAD", async () => {
    const response = await get("q=kiln", { method: "HEAD" });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json/);
    assert.equal(await response.text(), "");
  });

  test("does not fetch an answer again that it has", async () => {
    const first = await get("q=kiln");
    const etag = first.headers.get("etag");
    assert.match(etag, /^(W\/)?"[0-9a-f]+"$/);
    assert.match(first.headers.get("cache-control"), /max-age=\d+/);
    const again = await get("q=kiln", { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
    assert.notEqual((await get("q=pots")).headers.get("etag"), etag);
  });

  test("gets an error that names the parameter at fault", async () => {
    await refused("", "request", "q");
    await refused("q=a&k=many", "request", "k");
    await refused("q=a&k=101", "request", "k");
    await refused("q=a&offset=-1", "request", "offset");
    await refused("q=a&mode=psychic", "request", "mode");
    await refused("q=a&fusion=cold", "request", "fusion");
    await refused("q=a&limit=3", "request", "limit");
    await refused("q=a&q=b", "request", "q");
    await refused(`q=${"a".repeat(1001)}`, "request", "q");
    await refused("q=a&also=b&also=c&also=d&also=e&also=f", "request", "also");
    await refused("q=a&suggest=maybe", "request", "suggest");
    await refused("q=a&filter=colour%3Dred", "unknown-attribute", "colour");
    await refused("q=a&filter=level%3Dhigh", "filter", "level");
    await refused("q=a&sort=size", "unknown-attribute", "size");
    const near = await (await get("q=a&filter=kind:near:red")).json();
    assert.equal(near.error.code, "filter");
  });

  test("gets pages similar to a page, and why a page is not first", async () => {
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

  test("asks with alternative phrasings", async () => {
    const { results } = await (await get("q=pinholes&also=thermocouple&also=&mode=lexical")).json();
    assert.ok(
      ["Glazing", "Thermocouple"].every((title) => results.some((page) => page.title === title)),
    );
  });

  test("gets facets and another order on request", async () => {
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

  test("gets 404 at other addresses and 405 for other methods", async () => {
    assert.equal((await fetch(`${worker.url}/nothing/here`)).status, 404);
    const posted = await fetch(`${worker.url}/search?q=kiln`, { method: "POST", body: "{}" });
    assert.equal(posted.status, 405);
    assert.match(posted.headers.get("allow"), /GET/);
    assert.equal((await posted.json()).error.code, "method");
  });

  test("gets the site's own files from the same Worker", async () => {
    assert.match(await (await fetch(`${worker.url}/guide/glaze`)).text(), /Crawling and pinholes/);
  });

  test("learns which build answers", async () => {
    const health = await (await fetch(`${worker.url}/health`)).json();
    assert.equal(health.status, "ok");
    assert.equal(health.pages, 12);
    assert.match(health.revision, /^[0-9a-f]{32}$/);
  });

  test("gets the right answers to many queries at once", async () => {
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
  let worker;
  let expected;
  before(async () => {
    const site = build();
    expected = searched(join(site, "findling"), "thermocouple");
    const assets = join(scratch(), "assets");
    mkdirSync(join(assets, "docs"), { recursive: true });
    const pages = join(site, "../pages");
    run("--quiet", "build", pages, join(site, "../records.jsonl"), "--root", pages, [
      ["--output", join(assets, "docs/handbook.findling"), "--single-file", "--no-client"],
      ["--encoder", "hash"],
    ]);
    cpSync(join(site, "faq"), join(assets, "faq"), { recursive: true });
    worker = await dev(assets, { FINDLING_BUNDLE: "/docs/handbook.findling" });
  });
  after(() => worker?.stop());

  test("gives the same answer as with the directory", async () => {
    assert.deepEqual(await (await fetch(`${worker.url}/search?q=thermocouple`)).json(), expected);
  });

  test("knows a page by the address that a reader sees, below the root of its host", async () => {
    const page = `${worker.url}/docs/guide/glaze.html`;
    const similar = await fetch(`${worker.url}/similar?url=${page}&k=3`);
    assert.equal(similar.status, 200);
    const { results } = await similar.json();
    assert.equal(results.length, 3);
    assert.ok(results.every(({ title }) => title !== "Glazing"));
    const explained = await fetch(`${worker.url}/search?q=kiln&why=${page}&k=0`);
    assert.equal((await explained.json()).why.page.title, "Glazing");
    const elsewhere = await fetch(`${worker.url}/similar?url=${worker.url}/docs/nowhere.html`);
    assert.equal(elsewhere.status, 404);
  });

  test("gives assistants the addresses of the pages beside the file", async () => {
    const call = { name: "search", arguments: { query: "thermocouple", limit: 1 } };
    const response = await fetch(`${worker.url}/mcp`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
    });
    const { result } = await response.json();
    const [{ url }] = result.structuredContent.results;
    const [page] = url.split("#");
    assert.equal(page, `${worker.url}/docs/reference/thermocouple.html`);
  });
});

describe("a Worker without its bundle", () => {
  test("tells what is missing and what to do", async () => {
    const assets = scratch();
    const site = build();
    cpSync(join(site, "faq"), join(assets, "faq"), { recursive: true });
    // This Worker is never healthy, so it is up as soon as it answers.
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
