// examples/worker: a Worker with the npm package.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build, root, scratch } from "../lib/bundle.mjs";
import { installPackage } from "../lib/package.mjs";
import { dev } from "../lib/worker.mjs";

describe("the example of a Worker with the npm package", () => {
  let worker;
  before(async () => {
    const example = scratch();
    cpSync(join(root, "examples/worker"), example, { recursive: true });
    installPackage(example);
    const config = join(example, "wrangler.toml");
    worker = await dev(build(), {}, undefined, config, "/guide/glaze");
  });
  after(() => worker?.stop());

  test("answers searches under its own path, and serves the site", async () => {
    const { results } = await (await fetch(`${worker.url}/api/search?q=pinholes&k=3`)).json();
    assert.equal(results[0].title, "Glazing");
    const similar = await fetch(`${worker.url}/api/similar?url=guide/glaze.html&k=1`);
    assert.equal((await similar.json()).results.length, 1);
    const page = await fetch(`${worker.url}/guide/glaze`);
    assert.match(await page.text(), /Crawling and pinholes/);
    assert.equal((await fetch(`${worker.url}/api/nothing`)).status, 404);
  });
});
