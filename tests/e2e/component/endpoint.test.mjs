// The endpoint as a WASI component, in wasmtime and in jco, gives the answers and the errors of the
// same handler in Node. It runs with `cargo xtask test --nightly`; `cargo xtask component` builds
// the component.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ASKED, REFUSED } from "../lib/asked.mjs";
import { build, dist, root, scratch } from "../lib/bundle.mjs";
import { freePort, serve } from "../lib/server.mjs";
import { twoSites } from "../lib/two-sites.mjs";
import { node } from "../lib/worker.mjs";

const { createHandler, directory } = await import(join(dist, "findling-edge-server.js"));

const component =
  process.env.FINDLING_COMPONENT ?? join(root, "target/component/findling-endpoint.wasm");
const wasmtime = process.env.FINDLING_WASMTIME ?? "wasmtime";
const jco = join(root, "www/component/node_modules/@bytecodealliance/jco/dist/jco.js");

const skip = existsSync(component) ? false : "no component: build it with cargo xtask component";

const servers = [];
after(() => {
  // jco serves in a separate child process.
  for (const { pid, exitCode } of servers) if (exitCode === null) process.kill(-pid);
});

/** Starts a program that serves at a port; returns its address and its output. */
async function started(program, args, port, env = {}) {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  servers.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      log += chunk;
    });
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/openapi.json`).then(
      () => true,
      () => false,
    );
  for (let i = 0; i < 1200 && child.exitCode === null && !(await isUp()); i++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(child.exitCode, null, log);
  return { url, child, log: () => log };
}

describe("the component in wasmtime", { skip, timeout: 1_200_000 }, () => {
  let compiled;
  let site;
  let server;
  let ask;
  before(async () => {
    compiled = join(scratch(), "endpoint.cwasm");
    execFileSync(wasmtime, ["compile", component, "-o", compiled]);
    site = build();
    server = await start(site);
    const handler = createHandler({ log: "none", cache: false });
    const env = { ASSETS: directory(site) };
    /** The answers of Node and of the component. */
    ask = async (target, init) => {
      const address = `${server.url}${target.replace("ORIGIN", server.url)}`;
      return [await handler.fetch(new Request(address, init), env), await fetch(address, init)];
    };
  });

  /** Serves with a directory as the host's root, and variables. */
  async function start(files, variables = {}) {
    const port = await freePort();
    const args = ["serve", "--allow-precompiled", "-S", "cli", "--addr", `127.0.0.1:${port}`];
    if (files) args.push("--dir", `${files}::/`);
    for (const [name, value] of Object.entries(variables)) args.push("--env", `${name}=${value}`);
    return started(wasmtime, [...args, compiled], port);
  }

  test("gives the answers of Node", async () => {
    for (const target of ASKED) {
      const [expected, found] = await ask(target);
      assert.deepEqual(await found.json(), await expected.json(), target);
      assert.equal(found.status, 200, target);
      for (const name of ["content-type", "etag", "cache-control", "access-control-allow-origin"])
        assert.equal(found.headers.get(name), expected.headers.get(name), `${target}: ${name}`);
    }
  });

  test("gives the errors of Node", async () => {
    for (const target of REFUSED) {
      const [expected, found] = await ask(target, { headers: { "x-request-id": "test/1" } });
      assert.deepEqual(await found.json(), await expected.json(), target);
      assert.equal(found.status, expected.status, target);
      for (const name of ["content-type", "cache-control", "x-request-id"])
        assert.equal(found.headers.get(name), expected.headers.get(name), target);
    }
    for (const [target, method, status] of [
      ["/search?q=a", "POST", 405],
      ["/search", "OPTIONS", 204],
      ["/nothing", "GET", 404],
    ]) {
      const [expected, found] = await ask(target, { method });
      assert.equal(found.status, status);
      assert.equal(expected.status, status);
      for (const name of ["allow", "access-control-allow-methods"])
        assert.equal(found.headers.get(name), expected.headers.get(name), target);
    }
  });

  test("describes itself, answers assistants, HEAD and If-None-Match", async () => {
    const [expected, found] = await ask("/openapi.json");
    assert.deepEqual(await found.json(), await expected.json());
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search", arguments: { query: "thermocouple" } },
    });
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    };
    const [other, own] = await ask("/mcp", { method: "POST", body, headers });
    assert.equal(own.status, 200);
    assert.deepEqual(await own.json(), await other.json());
    const first = await fetch(`${server.url}/search?q=kiln`);
    const again = await fetch(`${server.url}/search?q=kiln`, {
      headers: { "if-none-match": first.headers.get("etag") },
    });
    assert.equal(again.status, 304);
    const head = await fetch(`${server.url}/search?q=kiln`, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
  });

  test("answers many at once, and logs no queries", async () => {
    const queries = ["thermocouple", "kiln temperature", "crawling", "pots break"];
    const asked = Array.from({ length: 64 }, (_, i) =>
      fetch(`${server.url}/search?q=${queries[i % 4].replaceAll(" ", "+")}`),
    );
    for (const response of await Promise.all(asked))
      assert.equal(response.status, 200, server.log());
    assert.match(server.log(), /"route":"search","status":200/);
    assert.doesNotMatch(server.log(), /crawling/);
  });

  test("reads packs and a bundle on the web", async () => {
    const packed = build({ host: "plain" });
    const web = await serve([site]);
    try {
      const of = {
        packs: await start(packed),
        web: await start(undefined, { FINDLING_BUNDLE: `${web.url}findling/` }),
      };
      const expected = await (await fetch(`${server.url}/search?q=pots+break`)).json();
      for (const [name, { url, log }] of Object.entries(of)) {
        const response = await fetch(`${url}/search?q=pots+break`);
        assert.equal(response.status, 200, `${name}: ${log()}`);
        const { results } = await response.json();
        const pages = (list) => list.map(({ title, score }) => [title, score]);
        assert.deepEqual(pages(results), pages(expected.results), name);
      }
    } finally {
      await web.close();
    }
  });

  test("searches several bundles as one, by the statistics of all", async () => {
    const sites = twoSites();
    const FINDLING_BUNDLES = JSON.stringify({
      "/": [
        { bundle: "/kiln/findling/", name: "kiln" },
        { bundle: "/harbour/findling/", name: "harbour" },
        { bundle: "/gone/findling/", name: "gone" },
      ],
    });
    const { url } = await start(sites, { FINDLING_BUNDLES });
    const handler = createHandler({ log: "none", cache: false });
    const env = { ASSETS: directory(sites), FINDLING_BUNDLES };
    for (const q of ["kiln", "the harbour kiln", "pinholse"]) {
      const address = `${url}/search?q=${encodeURIComponent(q)}`;
      const expected = await (await handler.fetch(new Request(address), env)).json();
      const found = await (await fetch(address)).json();
      assert.deepEqual(found.results, expected.results, q);
      assert.deepEqual(
        found.failures.map(({ name, code }) => [name, code]),
        expected.failures.map(({ name, code }) => [name, code]),
      );
    }
  });

  test("says what is wrong with a bundle that is missing or damaged, and goes on", async () => {
    const nowhere = await start(undefined);
    const without = await fetch(`${nowhere.url}/search?q=kiln`);
    assert.equal(without.status, 503);
    assert.match((await without.json()).detail, /--dir/);
    const damaged = scratch();
    cpSync(site, damaged, { recursive: true });
    const { url } = await start(damaged);
    const shards = join(damaged, "findling/shards");
    const files = readdirSync(shards, { recursive: true }).filter((name) => name.endsWith(".bin"));
    for (const name of files) {
      const bytes = readFileSync(join(shards, name));
      bytes[bytes.length >> 1] ^= 1;
      writeFileSync(join(shards, name), bytes);
    }
    const handler = createHandler({ log: "none", cache: false });
    const ofNode = async () =>
      handler.fetch(new Request(`${url}/search?q=kiln`), { ASSETS: directory(damaged) });
    const lies = await fetch(`${url}/search?q=kiln`);
    const expected = await ofNode();
    assert.equal(lies.status, expected.status);
    assert.equal((await lies.json()).code, (await expected.json()).code);
    rmSync(join(damaged, "findling/findling.idx"));
    const gone = await fetch(`${url}/search?q=kiln`);
    assert.equal(gone.status, 503);
    cpSync(site, damaged, { recursive: true });
    assert.equal((await fetch(`${url}/search?q=kiln`)).status, 200);
  });
});

describe("the component in jco", { skip: skip || !existsSync(jco) }, () => {
  test("answers as in wasmtime", { timeout: 300_000 }, async () => {
    const site = build();
    const port = await freePort();
    const opening = join(scratch(), "opening.mjs");
    const shim = join(jco, "../../node_modules/@bytecodealliance/preview2-shim");
    writeFileSync(
      opening,
      `import { _setPreopens } from ${JSON.stringify(join(shim, "dist/nodejs/filesystem.js"))};
       _setPreopens({ "/": ${JSON.stringify(site)} });`,
    );
    const args = [jco, "serve", component, "--port", String(port), "--isolate-requests"];
    const { url, log } = await started(node, [...args, "instance", "--jco-import", opening], port);
    const found = await fetch(`${url}/search?q=pots+break`);
    assert.equal(found.status, 200, log());
    const handler = createHandler({ log: "none", cache: false });
    const request = new Request(`${url}/search?q=pots+break`);
    const expected = await handler.fetch(request, { ASSETS: directory(site) });
    assert.deepEqual(await found.json(), await expected.json());
  });
});
