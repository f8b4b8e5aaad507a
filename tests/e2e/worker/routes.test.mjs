// The routes of the endpoint, called by a program: their description, errors, limits and log.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Response as ServiceResponse } from "miniflare";
import createClient from "openapi-fetch";
import openapiTS, { astToString } from "openapi-typescript";
import { build, root, scratch } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { serveFiles, start, workerOf } from "../lib/miniflare.mjs";

const assets = (site) => ({ serviceBindings: { ASSETS: serveFiles(site, ServiceResponse) } });

/** The lines that the Worker has logged, as objects. */
const logged = (worker) =>
  worker
    .log()
    .split("\n")
    .filter((line) => line.includes('{"findling":'))
    .map((line) => JSON.parse(line.slice(line.indexOf("{"))).findling);

/** Waits until a condition gives something, and returns it. */
const until = (condition) =>
  eventually(async () => {
    const found = await condition();
    assert.ok(found, "it did not come");
    return found;
  });

describe("a program that knows the endpoint by its description", () => {
  let worker;
  let document;
  before(async () => {
    worker = await start(assets(build()));
    document = await (await fetch(`${worker.url}/openapi.json`)).json();
  });
  after(() => worker?.stop());
  const get = (path, init) => fetch(`${worker.url}${path}`, init);

  test("gets a valid document of OpenAPI 3.1 with all routes", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(document.openapi, "3.1.0");
    const routes = ["/search", "/similar", "/suggest", "/page", "/health", "/openapi.json", "/mcp"];
    assert.deepEqual(Object.keys(document.paths), routes);
    const { url } = document.servers[0];
    assert.equal(url, worker.url);
  });

  test("gets answers of the form that the document describes", async () => {
    const { default: Ajv } = await import("ajv/dist/2020.js");
    const ajv = new Ajv({ strict: false });
    ajv.addSchema({ $id: "doc", components: document.components });
    for (const path of [
      "/search?q=kiln&facets=*&explain=1&why=guide/glaze.html",
      "/search?q=zzzz",
      "/similar?url=guide/glaze.html",
      "/suggest?q=ki",
      "/page?url=guide/glaze.html",
      "/health",
      "/search",
    ]) {
      const response = await get(path);
      const { responses } = document.paths[path.split("?")[0]].get;
      const [[type, { schema }]] = Object.entries(responses[response.status].content);
      assert.ok(response.headers.get("content-type").startsWith(type), path);
      const check = ajv.compile({ $ref: schema.$ref.replace("#", "doc#") });
      assert.ok(check(await response.json()), `${path}: ${JSON.stringify(check.errors)}`);
    }
  });

  test("asks by a client that is generated from the document", async () => {
    const client = scratch();
    writeFileSync(join(client, "schema.d.ts"), astToString(await openapiTS(document)));
    writeFileSync(
      join(client, "client.ts"),
      `import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";
const client = createClient<paths>({ baseUrl: "" });
export async function titles(q: string): Promise<string[]> {
  const { data } = await client.GET("/search", { params: { query: { q, k: 3 } } });
  return data?.results.map(({ title }) => title) ?? [];
}
// @ts-expect-error: the mode is not one of the document
await client.GET("/search", { params: { query: { q: "kiln", mode: "psychic" } } });
// @ts-expect-error: the query is missing
await client.GET("/search", { params: { query: {} } });
`,
    );
    symlinkSync(join(root, "tests/e2e/node_modules"), join(client, "node_modules"));
    const tsc = join(root, "www/node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        [tsc, "--noEmit", "--strict", "--module", "esnext", "--moduleResolution", "bundler"],
        ["--target", "es2022", "--skipLibCheck", "--allowImportingTsExtensions", "client.ts"],
      ].flat(),
      { cwd: client, encoding: "utf8" },
    );
    assert.equal(status, 0, stdout);

    const asked = createClient({ baseUrl: worker.url });
    const { data } = await asked.GET("/search", { params: { query: { q: "thermocouple", k: 1 } } });
    assert.equal(data.results[0].title, "Thermocouple");
    const { error } = await asked.GET("/similar", { params: { query: { url: "/nowhere" } } });
    assert.equal(error.code, "no-such-page");
  });

  test("gets pages as suggestions while somebody types, also for an address bar", async () => {
    const { query, suggestions } = await (await get("/suggest?q=thermoc&k=3")).json();
    assert.equal(query, "thermoc");
    assert.equal(suggestions[0].text, "Thermocouple");
    assert.match(suggestions[0].url, /thermocouple/);
    const bar = await get("/suggest?q=thermoc&format=opensearch");
    assert.match(bar.headers.get("content-type"), /^application\/x-suggestions\+json/);
    const [typed, titles, details, urls] = await bar.json();
    assert.deepEqual([typed, titles[0]], ["thermoc", "Thermocouple"]);
    assert.equal(details.length, urls.length);
  });

  test("reads a page in full, or a section of it", async () => {
    const page = await (await get("/page?url=guide/glaze.html")).json();
    assert.equal(page.title, "Glazing");
    assert.ok(page.sections.length > 1);
    const part = await (await get("/page?url=guide/glaze.html%23crawling")).json();
    assert.equal(part.sections[0].anchor, "crawling");
    assert.ok(part.sections.length < page.sections.length);
    assert.equal((await get("/page?url=nowhere.html")).status, 404);
  });

  test("gets a problem with a code, a remedy and the request's identity", async () => {
    const response = await get("/search?q=a&filter=colour%3Dred", {
      headers: { "x-request-id": "ticket-7" },
    });
    assert.equal(response.status, 400);
    assert.match(response.headers.get("content-type"), /^application\/problem\+json/);
    assert.equal(response.headers.get("x-request-id"), "ticket-7");
    const { status, code, type, instance, error } = await response.json();
    assert.deepEqual([status, code, error.code], [400, "unknown-attribute", "unknown-attribute"]);
    assert.ok(type.endsWith(code) && instance.endsWith("ticket-7"));
    const missing = await start({});
    try {
      const body = await (await fetch(`${missing.url}/search?q=kiln`)).json();
      assert.equal(body.status, 503);
      assert.ok(body.remedy);
    } finally {
      await missing.stop();
    }
  });

  test("does not send on an identity that is none", async () => {
    const given = `x${"y".repeat(200)}`;
    const response = await get("/health", { headers: { "x-request-id": given } });
    assert.match(response.headers.get("x-request-id"), /^[0-9a-f-]{36}$/);
  });

  test("does not fetch again what it has, on any route", async () => {
    for (const path of ["/search?q=kiln", "/suggest?q=ki", "/page?url=faq/break.html"]) {
      const first = await get(path);
      if (first.status === 404) continue;
      const etag = first.headers.get("etag");
      const again = await get(path, { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304, path);
      assert.equal(await again.text(), "");
    }
    const etag = (await get("/openapi.json")).headers.get("etag");
    const again = await get("/openapi.json", { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
  });

  test("is answered from the cache the second time", async () => {
    const first = await get("/search?q=a+query+of+its+own");
    let again;
    const entry = await until(async () => {
      again = await get("/search?q=a+query+of+its+own");
      return logged(worker).find(({ cached }) => cached !== undefined);
    });
    for (const name of ["etag", "cache-control", "content-type", "access-control-allow-origin"])
      assert.equal(again.headers.get(name), first.headers.get(name), name);
    assert.deepEqual(await again.json(), await first.json());
    assert.equal(entry.cached, "fresh");
    assert.equal(entry.engineMs, 0);
  });

  test("leaves a line in the log that does not tell what was searched for", async () => {
    await get("/search?q=secretword&k=2", { headers: { "x-request-id": "log-1" } });
    const entry = await until(() => logged(worker).find(({ id }) => id === "log-1"));
    assert.deepEqual([entry.method, entry.route, entry.status], ["GET", "search", 200]);
    assert.match(entry.revision, /^[0-9a-f]{32}$/);
    assert.ok(entry.subrequests >= 0 && entry.ms >= 0);
    await get("/search?q=secretword&nope=1", { headers: { "x-request-id": "log-2" } });
    await until(() => logged(worker).find(({ id }) => id === "log-2"));
    assert.doesNotMatch(worker.log(), /secretword/);
  });
});

describe("an endpoint with limits", () => {
  let worker;
  after(() => worker?.stop());

  test("refuses a client that asks too often, and tells when to ask again", async () => {
    worker = await start({
      ...assets(build()),
      ratelimits: { FINDLING_RATE_LIMIT: { namespace_id: "1", simple: { limit: 5, period: 60 } } },
      bindings: { FINDLING_LOG_QUERIES: "1" },
    });
    const answers = [];
    // More than twice the limit: a new period may begin between two of them.
    for (let i = 0; i < 12; i++) answers.push(await fetch(`${worker.url}/search?q=kiln+${i}`));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 2);
    assert.equal(answers[0].status, 200);
    assert.match(refused[0].headers.get("retry-after"), /^\d+$/);
    assert.equal((await refused[0].json()).code, "too-many-requests");
    await until(() => logged(worker).some(({ query }) => query === "kiln 0"));
  });
});

describe("an endpoint with many bundles", () => {
  let worker;
  after(() => worker?.stop());

  test("answers from the bundle of the path or of the host", async () => {
    const sections = [["", "", "A wombat lives in the kiln room."]];
    const page = { path: "guide/wombat.html", title: "Wombat", sections };
    const next = build({ extra: [{ ...page, kind: "guide", level: 1, updated: "2026-01-01" }] });
    const [files, filesOfNext] = [build(), next].map((site) => serveFiles(site, ServiceResponse));
    const ASSETS = (request) => {
      const url = new URL(request.url);
      const isNext = url.pathname.startsWith("/next/");
      url.pathname = url.pathname.replace(/^\/(next|old)\//, "/");
      return (isNext ? filesOfNext : files)({ url: url.href, headers: request.headers });
    };
    const mounts = {
      "/v1/": "/old/findling/",
      "/v2/": "/next/findling/",
      "next.example": "/next/findling/",
    };
    worker = await start({
      source: workerOf("{ bundles: 1 }"),
      serviceBindings: { ASSETS },
      bindings: { FINDLING_BUNDLES: JSON.stringify(mounts) },
    });
    const ask = async (path, host) => {
      const response = await worker.miniflare.dispatchFetch(`http://${host}${path}`);
      return { status: response.status, body: await response.json() };
    };
    const titles = async (path, host = "any.example") =>
      (await ask(`${path}?q=wombat&mode=lexical`, host)).body.results.map(({ title }) => title);
    // One bundle is open at a time, so each request closes the other one.
    for (let i = 0; i < 3; i++) {
      assert.ok((await titles("/v2/search")).includes("Wombat"));
      assert.ok(!(await titles("/v1/search")).includes("Wombat"));
      assert.ok((await titles("/search", "next.example")).includes("Wombat"));
    }
    assert.equal((await ask("/search?q=kiln", "any.example")).status, 404);
    const { body } = await ask("/v2/openapi.json", "any.example");
    assert.equal(body.servers[0].url, "http://any.example/v2");
  });
});
