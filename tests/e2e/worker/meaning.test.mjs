// The endpoint by meaning: with the static encoder, and with the transformer in the Worker.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { build, hasModel, MODEL, root, scratch } from "../lib/bundle.mjs";
import { dev } from "../lib/worker.mjs";

const reason = hasModel()
  ? false
  : "the tool was built without the transformer, the model is not installed, or www/dist has " +
    "no encoder";
if (reason) console.log(`skipped: ${reason}`);

describe("a program that asks a Worker by meaning", {
  skip: reason,
  timeout: 300_000,
}, () => {
  const QUESTION = "moisture makes crockery burst apart";
  let worker;
  after(async () => {
    const log = worker?.log() ?? "";
    await worker?.stop();
    assert.doesNotMatch(log, /runtime crashed/i);
  });

  test("gets the right section from the static encoder", async () => {
    worker = await dev(build({ encoder: MODEL }));
    const { encoder, results } = await (
      await fetch(`${worker.url}/search?q=${encodeURIComponent(QUESTION)}`)
    ).json();
    assert.equal(encoder, "static");
    assert.equal(results[0].title, "Why do pots break?");
    const words = await (
      await fetch(`${worker.url}/search?encoder=none&q=${encodeURIComponent(QUESTION)}`)
    ).json();
    assert.equal(words.mode, "lexical");
    await worker.stop();
  });

  /** The endpoint's configuration with the transformer in the Worker. */
  function semantic() {
    const config = join(scratch(), "wrangler.toml");
    const toml = readFileSync(join(root, "wrangler.toml"), "utf8");
    writeFileSync(
      config,
      toml.replace(
        /^main = .*$/m,
        `main = ${JSON.stringify(join(root, "www/dist/findling-edge-semantic.js"))}`,
      ),
    );
    return config;
  }

  test("gets it from the transformer in the Worker", async () => {
    worker = await dev(
      build({ encoder: MODEL, args: ["--query-encoder", "transformer"] }),
      {},
      undefined,
      semantic(),
    );
    const response = await fetch(`${worker.url}/search?q=${encodeURIComponent(QUESTION)}`);
    const { encoder, mode, results } = await response.json();
    assert.deepEqual([mode, encoder], ["hybrid", "transformer"]);
    assert.equal(results[0].title, "Why do pots break?");
    assert.equal(results[0].sections[0].anchor, "explode");
  });

  test("gets the answer to the corrected query if a word is misspelt", async () => {
    const ask = async (query, more = "") =>
      (await fetch(`${worker.url}/search?explain=1&q=${encodeURIComponent(query)}${more}`)).json();
    const misspelt = await ask("broken thermocuple");
    const right = await ask("broken thermocouple");
    const typed = await ask("broken thermocuple", "&verbatim=1");
    assert.deepEqual([misspelt.mode, misspelt.encoder], ["hybrid", "transformer"]);
    assert.deepEqual(misspelt.corrections, [{ word: "thermocuple", replacement: "thermocouple" }]);
    assert.deepEqual(misspelt.results, right.results, "the same scores and similarities");
    assert.notDeepEqual(typed.results, right.results, "the query as typed has another vector");
    await worker.stop();
  });

  test("gets 200 different answers within the platform's memory", async (t) => {
    const first = "kiln glaze clay wheel pot crack bisque cone oxide slip";
    const words = `${first} handle lid spout foot rim fire cool wedge throw trim`.split(" ");
    const query = (i) => {
      const three = [i % 20, (i * 7 + 3) % 20, Math.floor(i / 20) + 2].map((at) => words[at]);
      return `${three[0]} ${three[1]} and ${three[2]} number ${i}`;
    };
    worker = await dev(
      build({ encoder: MODEL, args: ["--query-encoder", "both"] }),
      {},
      undefined,
      semantic(),
    );
    const start = performance.now();
    for (let i = 0; i < 200; i++) {
      const response = await fetch(`${worker.url}/search?q=${encodeURIComponent(query(i))}`);
      const { mode, encoder } = await response.json();
      assert.deepEqual([response.status, mode, encoder], [200, "hybrid", "transformer"], query(i));
    }
    const each = ((performance.now() - start) / 200).toFixed(1);
    t.diagnostic(`${each} ms for each query, with HTTP, and with loading the model`);
    assert.doesNotMatch(worker.log(), /runtime crashed|out of memory/i);
    await worker.stop();
  });

  test("gets it from the static encoder, and a notice, if the transformer is damaged", async () => {
    const site = build({ encoder: MODEL, args: ["--query-encoder", "both"] });
    for (const name of readdirSync(join(site, "findling/encoder"))) {
      const path = join(site, "findling/encoder", name);
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1] ^= 0xff;
      writeFileSync(path, bytes);
    }
    worker = await dev(site, {}, undefined, semantic());
    for (const _ of [1, 2]) {
      const response = await fetch(`${worker.url}/search?q=${encodeURIComponent(QUESTION)}`);
      const { encoder, mode, results, notices } = await response.json();
      assert.deepEqual([mode, encoder], ["hybrid", "static"]);
      assert.equal(results[0].title, "Why do pots break?");
      assert.match(notices[0].code, /^encoder-/);
      assert.equal(response.headers.get("cache-control"), "no-store");
    }
  });
});
