// The endpoint over each kind of store, in the real Workers runtime: the same answers, within the
// limits of the free plan for a request.

import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build, run, scratch } from "../lib/bundle.mjs";
import { questions, writeCorpus } from "../lib/corpus.mjs";
import { eventually } from "../lib/eventually.mjs";
import { filesIn, serveFiles, start, workerOf } from "../lib/miniflare.mjs";

const { Response: ServiceResponse } = await import("miniflare");

/**
 * A generated site whose vectors are in cells, so that a search fetches only some of them. `host`
 * says whether its shards are in packs.
 */
function harbour(host = "files") {
  const directory = scratch();
  const corpus = join(directory, "corpus");
  writeCorpus(corpus, 120);
  const site = join(directory, "site");
  run("--quiet", "build", corpus, "--output", join(site, "findling"), [
    ["--no-client", "--encoder", "hash", "--graph-from", "200", "--host", host],
  ]);
  return site;
}

const search = async (worker, query, more = "") => {
  const response = await fetch(`${worker.url}/search?q=${encodeURIComponent(query)}${more}`);
  return { response, answer: await response.json() };
};

/** The fetches of a request, and the largest number at the same time. */
function fetched({ response }) {
  const [, used, most] = /"(\d+) fetched, (\d+) at once"/.exec(
    response.headers.get("server-timing"),
  );
  return { used: Number(used), most: Number(most) };
}

describe("the endpoint over ASSETS, R2 and KV", () => {
  const workers = {};
  const asked = questions().slice(0, 4);
  before(async () => {
    const site = harbour();
    // A first search of this bundle takes more files than the free plan permits for a request.
    const bindings = { FINDLING_SUBREQUESTS: "1000" };
    const assets = { serviceBindings: { ASSETS: serveFiles(site, ServiceResponse) } };
    workers.assets = await start({ bindings, ...assets });
    workers.r2 = await start({ bindings, r2Buckets: ["FINDLING_R2"] });
    workers.kv = await start({ bindings, kvNamespaces: ["FINDLING_KV"] });
    workers.free = await start(assets);
    const bucket = await workers.r2.miniflare.getR2Bucket("FINDLING_R2");
    const namespace = await workers.kv.miniflare.getKVNamespace("FINDLING_KV");
    for (const [path, file] of filesIn(site)) {
      const bytes = readFileSync(file);
      await bucket.put(path, bytes);
      await namespace.put(path, bytes);
    }
  });
  after(async () => {
    for (const worker of Object.values(workers)) await worker.stop();
  });

  test("gives the same answers from each", async () => {
    for (const query of asked) {
      const { answer } = await search(workers.assets, query);
      assert.ok(answer.total, query);
      for (const name of ["r2", "kv"])
        assert.deepEqual((await search(workers[name], query)).answer, answer, `${name}: ${query}`);
    }
  });

  test("makes at most 6 subrequests at once, and at most 50 on the free plan", async () => {
    for (const [name, worker] of Object.entries(workers)) {
      let sum = 0;
      for (const query of asked) {
        const { used, most } = fetched(await search(worker, `${query} again`));
        assert.ok(most <= 6, `${name}, ${query}: ${most} at once`);
        if (name === "free") assert.ok(used <= 50, `${query}: ${used} fetched`);
        sum += used;
      }
      assert.ok(sum > 0, "a search fetches what it needs");
    }
  });

  test("keeps files from R2 in the cache for other isolates", async () => {
    const cache = (await workers.r2.miniflare.getCaches()).default;
    const { revision } = await (await fetch(`${workers.r2.url}/health`)).json();
    // The Worker writes to the cache after it has answered.
    await eventually(async () => {
      const kept = await cache.match(`${workers.r2.url}/findling/shards/${revision}.bin`);
      assert.ok((await kept?.arrayBuffer())?.byteLength > 0, "the manifest is in the cache");
    });
    assert.equal(await cache.match(`${workers.r2.url}/findling/findling.idx`), undefined);
  });
});

describe("the endpoint over a bundle in packs in R2 and KV", () => {
  const asked = questions().slice(0, 6);
  const workers = {};
  /** The files, by their keys. */
  let stored;
  before(async () => {
    const [files, packed] = [harbour(), harbour("plain")];
    assert.ok(filesIn(packed).length < filesIn(files).length / 4, "shards are in packs");
    stored = new Map(filesIn(packed).map(([path, file]) => [path, readFileSync(file)]));
    const bindings = { FINDLING_SUBREQUESTS: "1000" };
    const source = workerOf("{ cache: false }");
    const assets = { serviceBindings: { ASSETS: serveFiles(files, ServiceResponse) } };
    workers.files = await start({ bindings, source, ...assets });
    workers.r2 = await start({ bindings, source, r2Buckets: ["FINDLING_R2"] });
    workers.kv = await start({ bindings, source, kvNamespaces: ["FINDLING_KV"] });
    workers.free = await start({ source, r2Buckets: ["FINDLING_R2"] });
    workers.cached = await start({ bindings, kvNamespaces: ["FINDLING_KV"] });
    for (const name of ["r2", "free"]) {
      const bucket = await workers[name].miniflare.getR2Bucket("FINDLING_R2");
      for (const [path, bytes] of stored) await bucket.put(path, bytes);
    }
    for (const name of ["kv", "cached"]) {
      const namespace = await workers[name].miniflare.getKVNamespace("FINDLING_KV");
      for (const [path, bytes] of stored) await namespace.put(path, bytes);
    }
  });
  after(async () => {
    for (const worker of Object.values(workers)) await worker.stop();
  });
  const logged = (worker) =>
    worker
      .log()
      .split("\n")
      .flatMap((line) => (line.startsWith('{"findling"') ? JSON.parse(line).findling : []));

  test("answers as over a bundle in files", async () => {
    for (const query of asked) {
      const { answer } = await search(workers.files, query);
      assert.ok(answer.total.pages, query);
      for (const name of ["r2", "kv", "free"]) {
        const { response, answer: own } = await search(workers[name], query);
        assert.equal(response.status, 200, `${name}: ${query}`);
        assert.deepEqual(own, answer, `${name}: ${query}`);
      }
    }
  });

  test("reads ranges from R2, within the free plan, and whole packs from KV", async (t) => {
    const whole = Math.max(...[...stored.values()].map(({ length }) => length));
    const sum = (name, of) => logged(workers[name]).reduce((all, entry) => all + entry[of], 0);
    // The runtime hands a line of the log over after the answer.
    await eventually(() => {
      for (const name of ["files", "r2", "kv", "free"])
        assert.ok(logged(workers[name]).length >= asked.length, `the log of ${name}`);
    });
    for (const name of ["files", "r2", "kv"]) {
      const [n, bytes] = [sum(name, "subrequests"), sum(name, "bytes")];
      t.diagnostic(`${asked.length} queries, ${name}: ${n} subrequests, ${bytes} bytes`);
    }
    assert.ok(sum("r2", "subrequests") < sum("files", "subrequests"), "a pack saves requests");
    for (const { subrequests } of logged(workers.free)) assert.ok(subrequests <= 50);
    const all = [...stored.values()].reduce((sum, { length }) => sum + length, 0);
    assert.ok(sum("r2", "bytes") < all, `${sum("r2", "bytes")} of ${all} bytes from R2`);
    assert.ok(sum("kv", "bytes") >= whole, "KV sends a whole pack");
    assert.ok(sum("kv", "subrequests") <= sum("r2", "subrequests"));
  });

  test("keeps a whole pack from KV in the cache as what it is, no range of it", async () => {
    for (const query of asked) {
      const { answer } = await search(workers.files, query);
      assert.deepEqual((await search(workers.cached, query)).answer, answer, query);
    }
    const cache = (await workers.cached.miniflare.getCaches()).default;
    const packs = [...stored].filter(([path]) => /\/[0-9a-f]{24}\.bin$/.test(path));
    await eventually(async () => {
      const kept = await Promise.all(
        packs.map(async ([path, { length }]) => {
          const found = await cache.match(`${workers.cached.url}/${path}`);
          if (found) assert.equal((await found.arrayBuffer()).byteLength, length);
          return found !== undefined;
        }),
      );
      assert.ok(kept.includes(true), "the first pack that was asked for is in the cache");
    });
  });

  test("a file of a bundle in packs fits into a value of KV", async () => {
    for (const [path, { length }] of stored) assert.ok(length <= 25 << 20, path);
    const namespace = await workers.kv.miniflare.getKVNamespace("FINDLING_KV");
    await assert.rejects(namespace.put("too long", new Uint8Array((25 << 20) + 1)));
  });
});

describe("a request with too few subrequests for meaning", () => {
  let worker;
  after(() => worker?.stop());

  test("is answered by words, and the next one as a whole", async () => {
    worker = await start({
      source: workerOf("{ budget: { subrequests: 16, reserve: 10 }, mcpPath: false }"),
      serviceBindings: { ASSETS: serveFiles(harbour(), ServiceResponse) },
    });
    const [query] = questions();
    const codes = [];
    for (let i = 0; i < 20 && codes.at(-1) !== "whole"; i++) {
      const { response, answer } = await search(worker, query);
      if (response.status === 503) {
        codes.push(answer.error.code);
        continue;
      }
      assert.ok(fetched({ response }).used <= 16);
      codes.push(answer.notices.some(({ code }) => code === "meaning-missing") ? "words" : "whole");
      const isWhole = codes.at(-1) === "whole";
      assert.equal(response.headers.get("cache-control") === "no-store", !isWhole);
    }
    assert.notEqual(codes[0], "whole", codes.join());
    assert.equal(codes.at(-1), "whole", codes.join());
  });
});

describe("requests that wait for the same files", () => {
  let worker;
  after(() => worker?.stop());

  test("are answered in part only if their own subrequests are spent", async () => {
    worker = await start({
      source: workerOf("{ budget: { subrequests: 24, reserve: 6 }, cache: false }"),
      serviceBindings: { ASSETS: serveFiles(harbour(), ServiceResponse) },
    });
    const asked = questions().slice(0, 8);
    for (let i = 0; i < 3; i++) {
      const answers = await Promise.all(asked.map((query) => search(worker, query)));
      for (const { response, answer } of answers) {
        if (response.status === 503) continue;
        const isPart = answer.notices.some(({ code }) => code === "meaning-missing");
        const { used } = fetched({ response });
        assert.ok(used <= 24 && (!isPart || used >= 18), `${used} fetched, in part: ${isPart}`);
      }
    }
  });
});

describe("a request whose file never comes", () => {
  let worker;
  after(() => worker?.stop());

  test("is refused in time, and the next one opens the bundle anew", async () => {
    const whole = serveFiles(harbour(), ServiceResponse);
    let isHeld = true;
    const held = (request) => {
      const isShard = new URL(request.url).pathname.includes("/shards/");
      return isHeld && isShard ? new Promise(() => {}) : whole(request);
    };
    worker = await start({
      source: workerOf("{ cache: false, timeout: 600_000, requestTimeout: 500 }"),
      serviceBindings: { ASSETS: held },
      bindings: { FINDLING_SUBREQUESTS: "1000" },
    });
    const [query] = questions();
    const { response, answer } = await search(worker, query);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get("retry-after"), "1");
    assert.equal(answer.code, "timeout");
    isHeld = false;
    await eventually(async () => {
      const { response, answer } = await search(worker, query);
      assert.equal(response.status, 200, answer.detail);
      assert.ok(answer.results.length > 0);
    });
  });
});

describe("another build that is deployed", () => {
  let worker;
  after(() => worker?.stop());

  test("takes over while the earlier one goes on answering", async () => {
    const site = scratch();
    cpSync(build(), site, { recursive: true });
    worker = await start({
      source: workerOf("{ revisionCheck: 0 }"),
      serviceBindings: { ASSETS: serveFiles(site, ServiceResponse) },
    });
    const revision = async () => (await (await fetch(`${worker.url}/health`)).json()).revision;
    const first = await revision();
    const sections = [["", "", "A wombat lives in the kiln room."]];
    const page = { path: "guide/wombat.html", title: "Wombat", sections };
    const extra = [{ ...page, kind: "guide", level: 1, updated: "2026-01-01" }];
    const next = build({ extra });
    rmSync(join(site, "findling"), { recursive: true });
    cpSync(next, site, { recursive: true });
    // A search that needs files of the earlier build finds that they are gone, and changes to the
    // new build.
    for (const query of ["kiln", "glaze", "wombat", "crawling pinholes"]) {
      const { response } = await search(worker, query);
      assert.equal(response.status, 200, query);
    }
    await eventually(async () => assert.notEqual(await revision(), first));
    const { answer } = await search(worker, "wombat");
    assert.equal(answer.results[0].title, "Wombat");
  });
});
