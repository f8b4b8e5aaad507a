// Bundles in packs in Chromium: the same answers as from a file for each shard, with fewer
// requests, regardless of the server's handling of ranges.

import assert from "node:assert/strict";
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { expectComplaints } from "../lib/browser.mjs";
import { build, scratch } from "../lib/bundle.mjs";
import { clientSuite } from "../lib/client-suite.mjs";

const QUERIES = [
  ["thermocouple", {}],
  ["thermocouple", { mode: "lexical" }],
  ["pinholes", { mode: "semantic" }],
  ['"the kiln"', {}],
  ["thermocuple", {}],
  ["glaze kiln firing", {}],
];
const PACK = /\/shards\/[0-9a-f]{24}\.bin$/;
const SHARD = /\/shards\/([0-9a-f]{8}|[0-9a-f]{16})\.bin$/;

/** Pages of so many words that they fill many shards, between the rows of the encoder. */
const SYLLABLES = ["ba", "do", "fe", "ki", "lo", "mu", "na", "pi", "ro", "su", "ta", "to", "ve"];
const WORDY = SYLLABLES.map((first, page) => {
  const words = SYLLABLES.flatMap((second) => SYLLABLES.map((third) => first + second + third));
  return {
    path: `wordy/${first}.html`,
    title: `Words in ${first}`,
    kind: "guide",
    level: page,
    sections: SYLLABLES.map((id, part) => [
      id,
      `Part ${id}`,
      words.filter((_, at) => at % 13 === part || at % 12 === part).join(" "),
    ]),
  };
});

let packed;

clientSuite("a page with a bundle in packs", (client) => {
  /** Serves a separate copy of a bundle in packs. */
  function servePacks(site) {
    packed ??= build({ host: "plain" });
    const directory = scratch();
    cpSync(site ?? packed, directory, { recursive: true });
    client.server.directories = [directory];
    client.packedSite = directory;
    return join(directory, "findling");
  }

  /** The results of all queries in a new page. */
  async function answers() {
    await client.renew();
    await client.open();
    const all = [];
    for (const [query, options] of QUERIES) {
      const { results, corrections } = await client.find(query, options);
      all.push({ query, results, corrections });
    }
    return all;
  }

  const packs = (bundle) =>
    readdirSync(join(bundle, "shards")).filter((name) => /^[0-9a-f]{24}\.bin$/.test(name));

  test("has the answers of a bundle in files, with fewer requests", async () => {
    const expected = await answers();
    const before = client.requested(SHARD).length;
    servePacks();
    client.server.log.length = 0;
    assert.deepEqual(await answers(), expected);
    assert.equal(client.requested(SHARD).length, 0);
    const after = client.requested(PACK).length;
    assert.equal(client.server.nRanges, after);
    // The site is small: most of it comes with the manifest.
    assert.ok(after > 0 && after < before, `${after} of ${before} requests`);
  });

  test("what the next search wants comes along with the files of this one", async () => {
    servePacks(build({ host: "plain", encoder: "static", extra: WORDY }));
    const query = "glaze bakilo tomuna";
    const requests = async (options) => {
      await client.renew();
      await client.open();
      client.server.log.length = 0;
      const words = await client.find(query, { mode: "lexical", ...options });
      const first = client.requested(PACK).length;
      const whole = await client.find(query);
      return { first, all: client.requested(PACK).length, found: [words, whole] };
    };
    const alone = await requests({});
    const ahead = await requests({ ahead: "hybrid" });
    const found = ({ found }) => found.map(({ results }) => results);
    assert.deepEqual(found(ahead), found(alone));
    assert.equal(ahead.first, alone.first);
    assert.ok(ahead.all < alone.all, `${ahead.all} of ${alone.all} requests`);
  });

  test("has them from a server that ignores ranges, which sends each pack once", async () => {
    const expected = await answers();
    const bundle = servePacks();
    client.server.ranges = false;
    client.server.log.length = 0;
    assert.deepEqual(await answers(), expected);
    const asked = client.requested(PACK);
    assert.ok(asked.length > 0);
    // Requests for several ranges of one pack can be under way when the first answer comes.
    assert.ok(asked.length <= 3 * packs(bundle).length, `${asked.length} requests`);
  });

  test("asks for nothing again that an earlier visit has cached", async () => {
    servePacks();
    const expected = await answers();
    await client.rests();
    client.server.log.length = 0;
    await client.reload();
    await client.open();
    const [query, options] = QUERIES[0];
    assert.deepEqual((await client.find(query, options)).results, expected[0].results);
    assert.equal(client.requested(PACK).length, 0);
  });

  for (const [fault, alterRange] of [
    ["another range", (start, body) => ({ start: start + 32, body })],
    ["a part of the range", (start, body) => ({ start, body: body.subarray(0, body.length >> 1) })],
    ["other bytes", (start, body) => ({ start, body: body.map((byte) => byte ^ 1) })],
    ["a compressed range", (start, body) => ({ start, body, encoding: "gzip" })],
  ]) {
    test(`takes the whole pack if a server sends ${fault}`, async () => {
      servePacks();
      await client.renew();
      await client.open();
      if (fault === "a compressed range")
        expectComplaints(client.page, /ERR_CONTENT_DECODING_FAILED/);
      client.server.alterRange = alterRange;
      assert.equal((await client.titles("thermocouple"))[0], "Thermocouple");
    });
  }

  test("refuses packs that are damaged, and recovers", async () => {
    servePacks();
    await client.renew();
    await client.open();
    const alter = (start, body) => ({ start, body: body.map((byte) => byte ^ 1) });
    client.server.alterRange = alter;
    client.server.alterWhole = (path, body) => (PACK.test(path) ? alter(0, body).body : body);
    const { error } = await client.search("thermocouple");
    assert.equal(error.code, "shard-corrupt");
    client.server.reset();
    client.server.directories = [client.packedSite];
    assert.equal((await client.titles("thermocouple"))[0], "Thermocouple");
  });

  test("fetches the places of positions again if the cache has damaged them", async () => {
    servePacks();
    await client.renew();
    await client.open();
    const expected = await client.titles('"the kiln"');
    const damage = () =>
      client.page.evaluate(async () => {
        const name = (await caches.keys()).find((name) => name.startsWith("findling "));
        const cache = await caches.open(name);
        const [places] = (await cache.keys()).filter(({ url }) => url.endsWith(".slots"));
        for (const request of await cache.keys())
          if (!/\/(findling\.idx|[0-9a-f]{32}\.bin)$/.test(request.url))
            await cache.delete(request);
        if (places) await cache.put(places, new Response(new Uint8Array(40).fill(0xff)));
        return places !== undefined;
      });
    await client.rests();
    assert.ok(await damage(), "the places of positions are kept");
    await client.reload();
    await client.open();
    assert.deepEqual(await client.titles('"the kiln"'), expected);
  });

  test("says that a pack is missing", async () => {
    servePacks();
    await client.renew();
    await client.open();
    expectComplaints(client.page, /^404: .*\/shards\//, /404/);
    client.server.missing = PACK;
    const { error } = await client.search("thermocouple");
    assert.equal(error.code, "shard-missing");
  });

  test("refuses a directory of packs that is damaged", async () => {
    const bundle = servePacks();
    const entry = readFileSync(join(bundle, "findling.idx"));
    assert.equal(entry.length, 72);
    const opening = join(bundle, `shards/${entry.toString("hex", 52, 68)}.bin`);
    const whole = readFileSync(opening);
    const length = entry.readUInt32LE(12);
    assert.equal(whole[length], 0, "the directory has no name");
    const flipped = Buffer.from(whole);
    flipped.fill(0xff, length + 5, length + 40);
    writeFileSync(opening, flipped);
    await client.open();
    assert.equal((await client.search("thermocouple")).error.code, "shard-corrupt");
    writeFileSync(opening, whole);
    await client.renew();
    await client.open();
    assert.equal((await client.titles("thermocouple"))[0], "Thermocouple");
  });

  test("goes on after a build with the same contents in files", async () => {
    const bundle = servePacks();
    await client.renew();
    await client.open();
    const other = join(client.site, "findling");
    const manifest = (bundle) => readFileSync(join(bundle, "findling.idx")).subarray(16, 32);
    assert.deepEqual(manifest(other), manifest(bundle));
    for (const name of packs(bundle)) writeFileSync(join(bundle, "shards", name), "gone");
    for (const name of readdirSync(join(other, "shards")))
      copyFileSync(join(other, "shards", name), join(bundle, "shards", name));
    copyFileSync(join(other, "findling.idx"), join(bundle, "findling.idx"));
    assert.equal((await client.titles("thermocouple"))[0], "Thermocouple");
  });
});
