// A build without a named host, on servers that behave like hosts: the same answers everywhere, few
// files, and little to download if ranges are ignored.

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { withClient } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { HOSTS, serveAs } from "../lib/hosts.mjs";
import { Session } from "../lib/session.mjs";

const QUERIES = [
  ["thermocouple", {}],
  ["pinholes", { mode: "semantic" }],
  ['"the kiln"', {}],
  ["thermocuple", {}],
];

/** Sixty pages in addition to the site's, so that there are several packs. */
const MORE = Array.from({ length: 60 }, (_, at) => ({
  path: `more/${at}.html`,
  title: `Batch ${at}`,
  kind: "guide",
  level: at,
  sections: [["a", `Part ${at}`, `Batch ${at} took ${at * 7} hours, and shelf${at} held it.`]],
}));

const built = {};
/** The site with a bundle for one host, or for any host. */
const siteFor = (host = "auto") =>
  (built[host] ??= build({ host, encoder: "static", extra: MORE }));

function files(directory) {
  const names = readdirSync(directory, { recursive: true }).map((name) => join(directory, name));
  return names.filter((name) => statSync(name).isFile());
}

/** The results of all queries. */
const answers = (page) =>
  page.evaluate(async (queries) => {
    const index = await findling.open("/findling/");
    const found = [];
    for (const [query, options] of queries) {
      const { results, corrections } = await index.search(query, options);
      found.push([results.map(({ id, score }) => [id, score]), corrections]);
    }
    return found;
  }, QUERIES);

describe("a bundle for any host", () => {
  let expected;

  test("has no more files than the site has pages", () => {
    const site = siteFor();
    const all = files(join(site, "findling"));
    const pages = files(site).filter((name) => name.endsWith(".html")).length;
    assert.ok(all.length <= pages, `${all.length} files for ${pages} pages`);
  });

  for (const [name, host] of Object.entries(HOSTS))
    describe(`on ${name}`, () => {
      const session = new Session(() => serveAs(host, siteFor(), withClient()));

      test("is searched as everywhere", async () => {
        const page = await session.visit();
        await page.waitForFunction(() => "findling" in window);
        const found = await answers(page);
        expected ??= found;
        assert.deepEqual(found, expected);
        assert.ok(found.every(([results]) => results.length > 0));
        // Only packs are fetched, and the files that come with the manifest.
        const shards = session.server.log.filter((path) => path.includes("/shards/"));
        assert.ok(shards.every((path) => /\/[0-9a-f]{24,32}\.bin$/.test(path)));
        const index = files(join(siteFor(), "findling/shards"));
        const whole = index.reduce((sum, file) => sum + statSync(file).size, 0);
        const ofClient = 1_500_000;
        assert.ok(session.server.sent < whole + ofClient, `${session.server.sent} bytes`);
      });
    });
});
