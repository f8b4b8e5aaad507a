// The endpoint over a bundle in packs. The assets of a Worker ignore ranges, so the Worker reads
// whole packs.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { build } from "../lib/bundle.mjs";
import { dev } from "../lib/worker.mjs";

const ASKED = [
  "search?q=thermocouple",
  "search?q=%22the%20kiln%22",
  "search?q=thermocuple",
  "search?q=glaze%20kiln%20firing",
];

describe("a program that asks a Worker with a bundle in packs", { timeout: 300_000 }, () => {
  const workers = [];
  after(async () => {
    for (const worker of workers) {
      await worker.stop();
      assert.doesNotMatch(worker.log(), /runtime crashed/i);
    }
  });

  async function answers(host) {
    const site = build({ host });
    const worker = await dev(site);
    workers.push(worker);
    const all = [];
    for (const path of ASKED) {
      const response = await fetch(`${worker.url}/${path}`);
      assert.equal(response.status, 200, path);
      const { results, corrections } = await response.json();
      all.push({ path, results, corrections });
    }
    const sample = readdirSync(join(site, "findling/shards"))[0];
    const part = await fetch(`${worker.url}/findling/shards/${sample}`, {
      headers: { range: "bytes=0-3" },
    });
    return { all, status: part.status, bytes: (await part.arrayBuffer()).byteLength };
  }

  test("gets the answers of a bundle in files", async () => {
    const files = await answers("files");
    const packs = await answers("plain");
    assert.deepEqual(packs.all, files.all);
    // If this changes, docs/hosting.md must be changed too.
    assert.equal(packs.status, 200, "the assets ignore ranges");
    assert.ok(packs.bytes > 4);
  });
});
