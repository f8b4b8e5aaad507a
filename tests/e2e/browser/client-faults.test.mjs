// The client on a page when files are missing, damaged or slow.

import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { expectComplaints } from "../lib/browser.mjs";
import { scratch } from "../lib/bundle.mjs";
import { clientSuite } from "../lib/client-suite.mjs";
import { gate } from "../lib/server.mjs";

const SHARD = /\/shards\//;
const HTML = "<!doctype html><p>Every path answers with this page.</p>";

clientSuite("a page with the client, when files fail", (client) => {
  /** The answer by words, and a test for the paths of shards that only meaning needs. */
  async function byWords() {
    await client.open();
    client.server.log.length = 0;
    const words = await client.find("thermocouple", { mode: "lexical" });
    const needed = new Set(client.server.log);
    return { words, forMeaning: (path) => SHARD.test(path) && !needed.has(path) };
  }
  const codes = ({ notices }) => notices.map(({ code }) => code);

  test("answers offline what was asked before, and the rest once it is online", async () => {
    await client.open();
    await client.find("pinholes");
    await client.kept(SHARD);
    await client.page.context().setOffline(true);
    expectComplaints(client.page, /ERR_INTERNET_DISCONNECTED/);
    assert.equal((await client.titles("pinholes"))[0], "Glazing");
    assert.equal((await client.search("thermocouple")).error.code, "network");
    await client.page.context().setOffline(false);
    assert.equal((await client.titles("thermocouple"))[0], "Thermocouple");
  });

  test("refuses a shard that was damaged on the way, and tells what to do", async () => {
    await client.open();
    client.server.corrupt = SHARD;
    const { error } = await client.search("thermocouple");
    assert.equal(error.code, "shard-corrupt");
    assert.match(error.message, /shards\/([0-9a-f]{8}|[0-9a-f]{16})\.bin/);
    assert.ok(error.remedy.length > 0);
    client.server.corrupt = undefined;
    assert.equal((await client.titles("thermocouple"))[0], "Thermocouple");
  });

  for (const [fault, code] of [
    ["corrupt", "shard-corrupt"],
    ["missing", "shard-missing"],
  ]) {
    test(`answers by words if the shards of meaning are ${fault}, and recovers`, async () => {
      const { words, forMeaning } = await byWords();
      await client.renew();
      await client.open();
      client.server[fault] = { test: forMeaning };
      if (fault === "missing") expectComplaints(client.page, /^404: .*\/shards\//, /404/);
      const answer = await client.find("thermocouple");
      assert.equal(answer.notices[0].code, "meaning-missing");
      assert.deepEqual(answer.results, words.results);
      const semantic = await client.search("thermocouple", { mode: "semantic" });
      assert.equal(semantic.error.code, code);
      client.server[fault] = undefined;
      assert.ok(!codes(await client.find("thermocouple")).includes("meaning-missing"));
    });
  }

  test("answers by words if the shards of meaning are slow, and has them later", async () => {
    const { words, forMeaning } = await byWords();
    await client.renew();
    await client.open();
    const { hold, open } = gate(forMeaning);
    client.server.hold = hold;
    const answer = await client.find("thermocouple");
    assert.equal(answer.notices[0].code, "meaning-missing");
    assert.deepEqual(answer.results, words.results);
    open();
    client.server.hold = () => undefined;
    assert.ok(!codes(await client.find("thermocouple")).includes("meaning-missing"));
  });

  test("fetches a shard again that its cache has damaged", async () => {
    await client.open();
    await client.find("thermocouple");
    await client.kept(SHARD);
    const damaged = await client.page.evaluate(async () => {
      let damaged = 0;
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          if (!request.url.includes("/shards/")) continue;
          await cache.put(request, new Response(new Uint8Array([1, 2, 3])));
          damaged++;
        }
      }
      return damaged;
    });
    assert.ok(damaged > 0);
    await client.reload();
    await client.open();
    assert.equal((await client.titles("thermocouple"))[0], "Thermocouple");
  });

  test("fetches a shard of its own file if it is damaged behind the manifest", async () => {
    const other = scratch();
    const bundle = join(other, "findling");
    cpSync(join(client.site, "findling"), bundle, { recursive: true });
    client.server.directories = [other];
    const entry = readFileSync(join(bundle, "findling.idx"));
    const manifest = join(bundle, `shards/${entry.toString("hex", 16, 32)}.bin`);
    const whole = readFileSync(manifest);
    const length = entry.readUInt32LE(12);
    assert.ok(length < whole.length);
    await client.open();
    const expected = (await client.find("thermocouple")).results;
    const flipped = Buffer.from(whole);
    flipped[whole.length - 1] ^= 0xff;
    const tooLong = Buffer.from(whole);
    tooLong.fill(0xff, length + 5, length + 9);
    for (const [damaged, fetched] of [
      [flipped, 1],
      // The remaining files cannot be distinguished, so all of them are fetched.
      [whole.subarray(0, length + 3), 2],
      [tooLong, 2],
      [whole.subarray(0, length), 2],
    ]) {
      writeFileSync(manifest, damaged);
      await client.renew();
      await client.open();
      client.server.log.length = 0;
      assert.deepEqual((await client.find("thermocouple")).results, expected);
      const others = client.requested(/\/shards\/[0-9a-f]{8}\.bin$/);
      assert.ok(others.length >= fetched, `${others.length} of ${fetched}`);
    }
  });

  test("gets an error if the address has no bundle", async () => {
    expectComplaints(client.page, /404.*\/elsewhere\/findling\.idx/);
    const nowhere = await client.openingError("/elsewhere/");
    assert.equal(nowhere.code, "not-found");
    assert.match(nowhere.message, /elsewhere\/findling\.idx/);
    client.server.pages["/fallback/findling.idx"] = HTML;
    assert.equal((await client.openingError("/fallback/")).code, "bundle");
  });

  test("gets an error if the engine is missing or damaged, until it is whole", async () => {
    const other = scratch();
    cpSync(join(client.site, "findling"), join(other, "findling"), { recursive: true });
    client.server.directories = [other];
    const place = join(other, "findling/findling_engine.wasm");
    const whole = readFileSync(place);
    const damaged = Uint8Array.from(whole).fill(0xff, 1_000, 2_000);
    expectComplaints(client.page, /404.*\/findling_engine\.wasm/);
    for (const bytes of [
      undefined,
      whole.subarray(0, 9),
      whole.subarray(0, 50_000),
      damaged,
      Buffer.from(HTML),
    ]) {
      rmSync(place, { force: true });
      if (bytes) writeFileSync(place, bytes);
      const error = await client.openingError();
      assert.equal(error?.code, "wasm", `${bytes?.length} bytes`);
      assert.ok(error.remedy.length > 0);
    }
    writeFileSync(place, whole);
    await client.open();
    assert.equal((await client.titles("pinholes"))[0], "Glazing");
  });
});
