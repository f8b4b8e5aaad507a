// The endpoint for assistants in the real Workers runtime, called by the protocol's official
// client.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { build } from "../lib/bundle.mjs";
import { dev } from "../lib/worker.mjs";

describe("an assistant that asks the endpoint", () => {
  let worker;
  let client;
  before(async () => {
    worker = await dev(build());
    client = new Client({ name: "tests", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${worker.url}/mcp`)));
  });
  after(async () => {
    await client?.close();
    await worker?.stop();
  });

  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result));
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
  };
  const refused = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(result.isError, JSON.stringify(result));
    return result.content[0].text;
  };

  test("sees tools that only read, and is told that texts are data", async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ["search", "similar", "facets", "context", "read"],
    );
    for (const { annotations, inputSchema, outputSchema, call } of tools) {
      assert.equal(annotations.readOnlyHint, true);
      assert.deepEqual([inputSchema.type, outputSchema.type], ["object", "object"]);
      assert.equal(call, undefined);
    }
    assert.match(client.getInstructions(), /not instructions/);
    assert.equal(client.getServerVersion().name, "findling");
  });

  // The client checks every answer against the tool's schema.
  test("gets the pages of /search, with addresses to cite", async () => {
    const { results, total, untrusted } = await call("search", { query: "thermocouple", limit: 3 });
    const response = await (await fetch(`${worker.url}/search?q=thermocouple&k=3`)).json();
    assert.deepEqual(
      results.map(({ title, score }) => [title, score]),
      response.results.map(({ title, score }) => [title, score]),
    );
    assert.equal(total, response.total.pages);
    assert.match(untrusted, /not instructions/);
    for (const { url, rank } of results) {
      assert.ok(url.startsWith(`${worker.url}/`), url);
      assert.ok(rank >= 1);
    }
    const next = await call("search", { query: "kiln", limit: 2, offset: 1 });
    const first = await call("search", { query: "kiln", limit: 3 });
    assert.deepEqual(next.results, first.results.slice(1));
  });

  test("filters, counts values and finds similar pages", async () => {
    const { facets } = await call("facets", {});
    const kinds = facets.find((facet) => facet.name === "kind").values;
    assert.ok(kinds.some(({ value, pages }) => value === "guide" && pages > 1));
    const { results } = await call("search", { query: "", filter: "kind=guide", limit: 50 });
    const guides = kinds.find(({ value }) => value === "guide").pages;
    assert.equal(results.length, guides);
    assert.ok(results.every(({ attributes }) => attributes.kind === "guide"));
    const similar = await call("similar", { url: results[0].url, limit: 3 });
    assert.ok(similar.results.length > 0);
    assert.ok(similar.results.every(({ title }) => title !== results[0].title));
  });

  test("gets what fits into the tokens, and how much did not", async () => {
    const all = await call("search", { query: "kiln", limit: 50, tokens: 50_000 });
    const few = await call("search", { query: "kiln", limit: 50, tokens: 400 });
    assert.equal(all.leftOut, 0);
    assert.ok(few.results.length < all.results.length);
    assert.equal(few.results.length + few.leftOut, all.results.length);
  });

  test("reads a page in full and in parts, and a section with its anchor", async () => {
    const { results } = await call("search", { query: "dip the pot into the glaze bucket" });
    const { url, snippet, headingPath } = results[0];
    const page = url.split("#")[0];
    const whole = await call("read", { url: page, tokens: 50_000 });
    assert.equal(whole.url, page);
    assert.equal(whole.title, "Glazing");
    assert.equal(whole.attributes.kind, "guide");
    assert.ok(whole.text.includes(snippet), whole.text);
    assert.match(whole.text, /^#+ Dipping$/m);
    assert.match(whole.text, /^#+ Crawling and pinholes$/m);
    assert.deepEqual([whole.offset, whole.length, whole.nextOffset], [0, whole.text.length, null]);
    const parts = [];
    for (let offset = 0; offset !== null && parts.length < 100; ) {
      const part = await call("read", { url: page, offset, tokens: 200 });
      assert.equal(part.length, whole.length);
      parts.push(part.text);
      offset = part.nextOffset;
    }
    assert.ok(parts.length > 1, "a few tokens are not enough for the page");
    assert.equal(parts.join(""), whole.text);
    const section = await call("read", { url });
    assert.equal(section.url, url);
    assert.ok(section.text.includes(snippet) && section.length < whole.length);
    assert.match(section.text, new RegExp(`^#+ ${headingPath.at(-1)}`));
    assert.doesNotMatch(section.text, /Crawling/);
  });

  test("gets passages within the tokens, each from the page that it names", async () => {
    const query = "how long do I dip a pot";
    const sizes = [];
    for (const tokens of [400, 1000, 8000]) {
      const { passages, tokens: used, leftOut } = await call("context", { query, tokens });
      assert.ok(used <= tokens && passages.length > 0, `${used} of ${tokens}`);
      const urls = passages.map(({ url }) => url);
      assert.equal(new Set(urls).size, urls.length);
      sizes.push([passages.length, leftOut]);
    }
    assert.ok(sizes[0][0] < sizes[2][0] && sizes[0][1] > sizes[2][1], JSON.stringify(sizes));
    const { passages } = await call("context", { query, tokens: 8000 });
    const dipping = passages.find(({ headingPath }) => headingPath.at(-1) === "Dipping");
    assert.match(dipping.text, /^Hold the pot with tongs .* sticks to the shelf\.$/s);
    assert.equal(dipping.whole, true, "a section is given in full if it fits");
    const { text } = await call("read", { url: dipping.url, tokens: 50_000 });
    assert.ok(text.includes(dipping.text));
    const guides = await call("context", { query, filter: "kind=guide", tokens: 8000 });
    assert.ok(guides.passages.length > 0 && guides.passages.length < passages.length);
  });

  test("reads errors as answers", async () => {
    assert.match(await refused("search", { query: 7 }), /^request: `query`/);
    assert.match(await refused("search", { words: "x" }), /^request: `words`/);
    assert.match(await refused("search", { query: "x", filter: "colour=red" }), /colour/);
    assert.match(await refused("similar", { url: "nowhere" }), /^no-such-page/);
    assert.match(await refused("similar", {}), /^request: `url`/);
    assert.match(await refused("read", { url: "nowhere" }), /^no-such-page/);
    assert.match(await refused("read", { url: "guide/glaze.html#no" }), /^request: `url`.*dipping/);
    assert.match(await refused("read", { url: "guide/glaze.html", offset: -1 }), /^request: `off/);
    assert.match(await refused("context", {}), /^request: `query`/);
    await assert.rejects(client.callTool({ name: "delete", arguments: {} }), { code: -32602 });
  });

  test("gets no character that hides or controls", async () => {
    const { results } = await call("search", { query: "", limit: 50, tokens: 50_000 });
    const text = JSON.stringify(results);
    assert.doesNotMatch(text, /[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069]/u);
    for (const { url } of results.filter(({ url }) => url.startsWith(worker.url))) {
      const page = await call("read", { url, tokens: 50_000 });
      assert.doesNotMatch(
        JSON.stringify({ ...page, text: page.text.replaceAll("\n", " ") }),
        /[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069]/u,
      );
    }
    const hidden = await call("search", { query: "qu\u202eokka\u001b[2J" });
    assert.doesNotMatch(JSON.stringify(hidden), /\u202e|\\u001b/);
  });

  test("is refused what is no message of the protocol", async () => {
    const post = (body, init = {}) => fetch(`${worker.url}/mcp`, { method: "POST", body, ...init });
    for (const [body, code] of [
      ["{", -32700],
      ["[]", -32600],
      ['{"id":1,"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","x":"${"x".repeat(70_000)}"}`, -32600],
    ]) {
      const response = await post(body);
      assert.equal(response.status, 400, body.slice(0, 60));
      assert.equal((await response.json()).error.code, code, body.slice(0, 60));
    }
    const unknown = await post('{"jsonrpc":"2.0","id":1,"method":"resources/list"}');
    assert.equal((await unknown.json()).error.code, -32601);
    const told = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    assert.deepEqual([told.status, await told.text()], [202, ""]);
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(`${worker.url}/mcp`, { method });
      assert.deepEqual([response.status, response.headers.get("allow")], [405, "POST, OPTIONS"]);
    }
  });
});
