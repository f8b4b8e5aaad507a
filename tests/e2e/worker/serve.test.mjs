// `findling serve` answers programs as the endpoint does: the same routes, parameters, answers and
// errors over the same bundle. The endpoint runs in Node here; other tests show that it answers the
// same in workerd.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ASKED, REFUSED } from "../lib/asked.mjs";
import { build, dist, findling, run, scratch } from "../lib/bundle.mjs";
import { questions, writeCorpus } from "../lib/corpus.mjs";
import { eventually } from "../lib/eventually.mjs";

const { createHandler, directory } = await import(join(dist, "findling-edge-server.js"));

/** Starts `findling serve` with options; returns its address and a function that ends it. */
async function serve(bundle, ...options) {
  const child = spawn(findling, ["serve", bundle, "--port", "0", ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(String(line).trim().replace(/\/$/, "")));
    child.once("exit", () => reject(new Error(`findling serve has ended:\n${log}`)));
  });
  const stop = () => {
    child.removeAllListeners("exit");
    child.kill();
  };
  return { url, stop, log: () => log };
}

describe("a program that asks findling serve", { timeout: 300_000 }, () => {
  const servers = [];
  let site;
  let native;
  let ask;
  before(async () => {
    site = build();
    native = await serve(join(site, "findling"), "--streamed", "--site", site);
    servers.push(native);
    const handler = createHandler({ log: "none" });
    const env = { ASSETS: directory(site) };
    /** The answers of both. */
    ask = async (target, init) => {
      const address = `${native.url}${target.replace("ORIGIN", native.url)}`;
      return [await handler.fetch(new Request(address, init), env), await fetch(address, init)];
    };
  });
  after(() => {
    for (const { stop } of servers) stop();
  });

  test("gets the answers of the endpoint", async () => {
    for (const target of ASKED) {
      const [expected, found] = await ask(target);
      const [body, own] = [await expected.json(), await found.json()];
      assert.deepEqual(own, body, target);
      for (const name of ["content-type"])
        assert.equal(found.headers.get(name), expected.headers.get(name), target);
      assert.equal(found.status, 200, target);
      assert.equal(found.headers.has("etag"), expected.headers.has("etag"), target);
    }
  });

  test("gets the errors of the endpoint", async () => {
    for (const target of REFUSED) {
      const init = { headers: { "x-request-id": "test/1" } };
      const [expected, found] = await ask(target, init);
      const [problem, own] = [await expected.json(), await found.json()];
      for (const name of ["type", "title", "status", "instance", "code"])
        assert.equal(own[name], problem[name], `${target}: ${name}`);
      assert.equal(own.error.code, problem.error.code);
      assert.ok(own.detail);
      assert.equal(found.status, expected.status, target);
      for (const name of ["content-type", "cache-control", "x-request-id"])
        assert.equal(found.headers.get(name), expected.headers.get(name), target);
    }
    const [expected, found] = await ask("/search?q=a", { method: "POST", body: "{}" });
    assert.equal(found.status, 405);
    assert.equal(found.headers.get("allow"), expected.headers.get("allow"));
    assert.equal((await found.json()).code, (await expected.json()).code);
  });

  test("reads the same description", async () => {
    const [expected, found] = await ask("/openapi.json");
    const [of, own] = [await expected.json(), await found.json()];
    delete of.paths["/mcp"];
    assert.deepEqual(own, of, "npm run openapi (in www) writes what the command line reads");
  });

  test("does not fetch an answer again that it has", async () => {
    for (const target of ["/search?q=kiln", "/suggest?q=k", "/openapi.json"]) {
      const first = await fetch(`${native.url}${target}`);
      const headers = { "if-none-match": first.headers.get("etag") };
      const again = await fetch(`${native.url}${target}`, { headers });
      assert.equal(again.status, 304, target);
      assert.equal(await again.text(), "");
    }
    const head = await fetch(`${native.url}/search?q=kiln`, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), "");
  });

  test("gets the site's files from the same server", async () => {
    assert.equal((await fetch(`${native.url}/findling/findling.idx`)).status, 200);
    assert.match(await (await fetch(`${native.url}/guide/glaze.html`)).text(), /pinholes/);
    assert.equal((await fetch(`${native.url}/nothing/here`)).status, 404);
  });

  test("gets the new build once there is one", async () => {
    const directory = scratch();
    writeCorpus(join(directory, "corpus"), 20);
    const bundle = join(directory, "bundle");
    const write = (...args) =>
      run("--quiet", "build", ...args, "-o", bundle, "--no-client", "--encoder", "hash");
    write(join(directory, "corpus"));
    const server = await serve(bundle, "--prefix", "/api");
    servers.push(server);
    const health = async () => (await fetch(`${server.url}/api/health`)).json();
    const first = await health();
    assert.equal(first.pages, 20);
    writeCorpus(join(directory, "corpus"), 30);
    write(join(directory, "corpus"));
    const later = await eventually(async () => {
      const now = await health();
      assert.equal(now.pages, 30);
      return now;
    });
    assert.notEqual(later.revision, first.revision);
    const [question] = questions();
    const answer = await fetch(`${server.url}/api/search?q=${encodeURIComponent(question)}`);
    assert.equal(answer.status, 200);
    assert.equal(server.log().includes(question), false, "a log has no queries");
  });
});
