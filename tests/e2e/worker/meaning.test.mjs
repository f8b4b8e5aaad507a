// The endpoint with the transformer in the Worker, within the platform's memory.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { build, hasModel, MODEL, root, scratch } from "../lib/bundle.mjs";
import { dev } from "../lib/worker.mjs";

const reason = hasModel() ? false : "the tool was built without the transformer, the model is not installed, or www/dist has no encoder";
if (reason) console.log(`skipped: ${reason}`);

describe("a program that asks a Worker for what words do not say", { skip: reason, timeout: 300_000 }, () => {
  const QUESTION = "moisture makes crockery burst apart";
  let worker;
  after(async () => {
    const log = worker?.log() ?? "";
    await worker?.stop();
    assert.doesNotMatch(log, /runtime crashed/i);
  });

  test("gets the right section from the bundle's own encoder", async () => {
    worker = await dev(build({ encoder: MODEL }));
    const { encoder, results } = await (await fetch(`${worker.url}/search?q=${encodeURIComponent(QUESTION)}`)).json();
    assert.equal(encoder, "static");
    assert.equal(results[0].title, "Why do pots break?");
    const words = await (await fetch(`${worker.url}/search?encoder=none&q=${encodeURIComponent(QUESTION)}`)).json();
    assert.equal(words.mode, "lexical");
    await worker.stop();
  });

  test("gets it from the transformer where the Worker was deployed with that", async () => {
    const config = join(scratch(), "wrangler.toml");
    const toml = readFileSync(join(root, "wrangler.toml"), "utf8");
    writeFileSync(config, toml.replace(/^main = .*$/m, `main = ${JSON.stringify(join(root, "www/dist/findling-edge-semantic.js"))}`));
    worker = await dev(build({ encoder: MODEL, args: ["--query-encoder", "transformer"] }), {}, undefined, config);
    const response = await fetch(`${worker.url}/search?q=${encodeURIComponent(QUESTION)}`);
    const { encoder, mode, results } = await response.json();
    assert.deepEqual([mode, encoder], ["hybrid", "transformer"]);
    assert.equal(results[0].title, "Why do pots break?");
    assert.equal(results[0].sections[0].anchor, "explode");
  });
});
