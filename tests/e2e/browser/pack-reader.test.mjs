// The client's reader of packs, over a store whose answers the test decides.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { root } from "../lib/bundle.mjs";

/** Bytes of a unit, the least that a slot has. */
const UNIT = 64;
/** Two packs of 1024 units. The slots below are too far apart to be fetched together. */
const PACKS = [0, 1].map((pack) => ({ path: `pack${pack}`, units: 1024 }));
const [FIRST, FAR] = [0, 512].map((start) => ({ pack: 0, start, units: 1 }));
const OTHER = { pack: 1, start: 0, units: 1 };

describe("the reader of packs", () => {
  let PackReader;
  before(async () => {
    const { build } = createRequire(join(root, "www/package.json"))("esbuild");
    const entry = join(root, "www/src/pack-reader.ts");
    const built = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false });
    const [{ text }] = built.outputFiles;
    ({ PackReader } = await import(`data:text/javascript,${encodeURIComponent(text)}`));
  });

  /** A reader, and the requests to its store. Slots hold the number of the answer. */
  function reader({ cached = async () => undefined, part, units = 1024 } = {}) {
    const asked = [];
    const ranges = [];
    const kept = [];
    const bytes = (units) => {
      const bytes = new Uint8Array(units * UNIT).fill(asked.length);
      for (let end = UNIT - 1; end < bytes.length; end += UNIT) bytes[end] = UNIT - 1;
      return bytes;
    };
    const store = {
      cached,
      keep: (path) => kept.push(path),
      packed: async ({ file, start, end }, _traffic, options) => {
        asked.push(`part of ${file}`);
        ranges.push({ pack: file, start: start / UNIT, units: (end - start) / UNIT });
        await part?.(asked.length, options);
        return bytes((end - start) / UNIT);
      },
      pack: async (file, _traffic, { fresh }) => {
        asked.push(`${fresh ? "fresh " : ""}${file}`);
        const whole = bytes(units);
        await new Promise(setImmediate);
        return whole;
      },
    };
    const packs = new PackReader(
      store,
      PACKS.map(({ path }) => ({ path, units })),
    );
    const read = async (slot, options = {}, keeps = true) =>
      (await packs.read("shard", slot, {}, options, keeps))[0];
    const along = (slot) => packs.along("shard", slot, {});
    return { read, along, asked, ranges, kept };
  }

  const broken = () => Promise.reject(new TypeError("broken off"));
  const unreachable = (cause) =>
    Promise.reject(Object.assign(new Error("unreachable"), { code: "network", cause }));

  test("fetches what a cache that fails does not give", async () => {
    const { read, asked } = reader({ cached: broken });
    assert.equal(await read(FIRST), 1);
    assert.deepEqual(asked, ["part of pack0"]);
  });

  test("fetches nothing for a search that was aborted during the look into the cache", async () => {
    const { read, asked } = reader();
    const controller = new AbortController();
    const shard = read(FIRST, { signal: controller.signal });
    controller.abort();
    await assert.rejects(shard, { code: "aborted" });
    await assert.rejects(read(FIRST, { signal: AbortSignal.abort() }), { code: "aborted" });
    assert.deepEqual(asked, []);
  });

  test("stops a request that nobody waits for, and listens to no signal afterwards", async () => {
    let stopped;
    const part = (_, { signal }) =>
      new Promise((_, reject) => {
        stopped = signal;
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const { read } = reader({ part });
    const controller = new AbortController();
    const shard = read(FIRST, { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort();
    await assert.rejects(shard, { code: "aborted" });
    assert.ok(stopped.aborted);
    const { signal } = new AbortController();
    await reader().read(FIRST, { signal });
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  test("goes on asking for ranges after one that broke off, but not after two", async (t) => {
    t.mock.method(console, "warn", () => {});
    const part = (n) => (n === 1 || n === 4 ? unreachable(new TypeError("broken off")) : undefined);
    // Only a long pack that is sent whole is reported.
    const { read, asked } = reader({ part, units: 40_000 });
    await read(FIRST);
    assert.deepEqual(asked, ["part of pack0", "pack0"]);
    await read(OTHER);
    assert.equal(asked[2], "part of pack1");
    assert.equal(console.warn.mock.callCount(), 0);
    await read({ ...OTHER, start: 512 });
    assert.deepEqual(asked.slice(3), ["part of pack1", "pack1"]);
    assert.equal(console.warn.mock.callCount(), 1);
  });

  test("reads no older range once it has fetched a pack anew", async () => {
    const { read, asked } = reader();
    assert.equal(await read(FIRST), 1);
    assert.equal(await read(FAR), 2);
    assert.equal(await read(FIRST, { fresh: true }), 3);
    assert.equal(await read(FAR), 3);
    assert.deepEqual(asked, ["part of pack0", "part of pack0", "fresh pack0"]);
  });

  test("fetches a pack anew once for all shards that were damaged", async () => {
    const { read, asked } = reader();
    const first = [read(FIRST, { fresh: true }), read(FAR, { fresh: true })];
    await Promise.resolve().then(() => {});
    const all = await Promise.all([...first, read(FIRST, { fresh: true })]);
    assert.deepEqual(all, [1, 1, 1]);
    assert.deepEqual(asked, ["fresh pack0"]);
    assert.equal(await read(FIRST, { fresh: true }), 2);
  });

  const examples = readFileSync(join(root, "crates/bundle/tests/ranges.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  test("fetches the ranges of the examples", async () => {
    assert.equal(examples.length, 11);
    for (const line of examples) {
      const [wanted, ahead, expected] = line.split("|").map((part) =>
        [...part.matchAll(/(\d+):(\d+)\+(\d+)/g)].map(([, ...numbers]) => {
          const [pack, start, units] = numbers.map(Number);
          return { pack, start, units };
        }),
      );
      const { read, along, ranges } = reader();
      ahead.forEach(along);
      await Promise.all(wanted.map((slot) => read(slot)));
      await new Promise(setImmediate);
      const named = expected.map((range) => ({ ...range, pack: `pack${range.pack}` }));
      assert.deepEqual(ranges, named, line);
    }
  });

  test("has what came along, and puts it into the cache only when it is wanted", async () => {
    const { read, along, asked, kept } = reader();
    along({ ...FIRST, start: 5 });
    assert.equal(await read(FIRST), 1);
    assert.deepEqual(kept, ["shard"]);
    assert.equal(await read({ ...FIRST, start: 5 }), 1);
    assert.deepEqual([asked, kept], [["part of pack0"], ["shard", "shard"]]);
  });

  test("stops a request although something came along", async () => {
    let stopped;
    const part = (_, { signal }) =>
      new Promise((_, reject) => {
        stopped = signal;
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const { read, along } = reader({ part });
    const controller = new AbortController();
    along({ ...FIRST, start: 5 });
    const shard = read(FIRST, { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort();
    await assert.rejects(shard, { code: "aborted" });
    assert.ok(stopped.aborted);
  });

  test("keeps what it may keep", async () => {
    const { read, kept } = reader();
    await read(FIRST, {}, false);
    assert.deepEqual(kept, []);
    await read(FIRST);
    assert.deepEqual(kept, ["shard"]);
  });
});
