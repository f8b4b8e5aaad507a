// The engine in Chromium answers as the native one does, to the bit.

import { after, before, describe, test } from "node:test";
import { dist } from "../lib/bundle.mjs";
import { launch, open } from "../lib/browser.mjs";
import { questions } from "../lib/corpus.mjs";
import { bundles, native, same, WAYS } from "../lib/parity.mjs";
import { serve } from "../lib/server.mjs";

describe("in Chromium as in the terminal", () => {
  const found = bundles();
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());

  for (const vectors of ["streamed", "resident"]) for (const bundle of found) {
    for (const way of WAYS) {
      test(`${questions().length} questions to the ${bundle.name}, ${way.name}, vectors ${vectors}`, async () => {
        const server = await serve([bundle.site, dist], { "/": `<!doctype html><title>parity</title><script type="module">import * as findling from "/findling.js"; window.findling = findling</script>` });
        try {
          const page = await open(browser, server.url);
          await page.waitForFunction(() => "findling" in window);
          const options = { ...way.options, ...(way.options.filter ? { filter: bundle.filter } : {}) };
          const answers = await page.evaluate(async ([questions, options, vectors]) => {
            const index = await findling.open("/findling/", { vectors });
            const answers = [];
            for (const question of questions) {
              // What the client adds for its users is not the engine's.
              const { stats, results, ...response } = await index.search(question, options);
              answers.push({ ...response, results: results.map(({ href, snippet, sections, ...page }) => ({ ...page, sections: sections.map(({ href, ...section }) => section) })) });
            }
            return answers;
          }, [questions(), options, vectors]);
          same(native(bundle, way, vectors === "streamed" ? ["--streamed"] : []), answers, `${bundle.name}, ${way.name}`);
          await page.context().close();
        } finally {
          await server.close();
        }
      });
    }
  }
});
