// The time from opening a page to its first answer by meaning, in Chromium, with empty caches and
// again with full ones.

import { build } from "../../../e2e/lib/bundle.mjs";
import { serve } from "../../../e2e/lib/server.mjs";

const QUESTION = "moisture makes crockery burst apart";

/** Builds a small bundle with the transformer, and measures a page that searches it. */
export async function measureOpening(browser, model, rounds) {
  const site = build({ encoder: model, args: ["--query-encoder", "transformer"] });
  const server = await serve([site], {
    "/": "<!doctype html><title>bench</title><link rel=icon href=data:,>",
  });
  try {
    const once = async (context) => {
      const page = await context.newPage();
      await page.goto(server.url);
      const ms = await page.evaluate(async (question) => {
        const start = performance.now();
        const { open } = await import("/findling/findling.js");
        const index = await open("/findling/", { encoder: "transformer" });
        const words = await index.search(question, { mode: "lexical" });
        const lexical = performance.now() - start;
        await index.ready("semantic");
        const { encoder } = await index.search(question);
        if (encoder !== "transformer" || words.encoder)
          throw new Error(`the answer is by ${encoder}`);
        return { lexical, semantic: performance.now() - start };
      }, QUESTION);
      // The client writes to the cache in the background. A page that closes earlier fetches again.
      await page.evaluate(async () => {
        for (let waited = 0; waited < 10_000; waited += 100) {
          const requests = [];
          for (const name of await caches.keys())
            requests.push(...(await (await caches.open(name)).keys()));
          if (requests.some(({ url }) => url.includes("/encoder/"))) return;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        throw new Error("the model was not kept");
      });
      await page.close();
      return ms;
    };
    const runs = { cold: [], warm: [] };
    for (let round = 0; round < rounds; round++) {
      const context = await browser.newContext();
      runs.cold.push(await once(context));
      const before = server.log.length;
      runs.warm.push(await once(context));
      const again = server.log.slice(before).filter((path) => path.includes("/encoder/"));
      if (again.length > 0) throw new Error(`the model was fetched again: ${again.join(", ")}`);
      await context.close();
    }
    const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
    return Object.fromEntries(
      Object.entries(runs).map(([name, all]) => [
        name,
        {
          lexical: median(all.map(({ lexical }) => lexical)),
          semantic: median(all.map(({ semantic }) => semantic)),
        },
      ]),
    );
  } finally {
    await server.close();
  }
}

export function printOpening({ cold, warm }) {
  const line = ({ lexical, semantic }) =>
    `${lexical.toFixed(0)} ms by words, ${semantic.toFixed(0)} by meaning`;
  console.log(
    `\nfrom opening to the first answer, on this machine: cold ${line(cold)}; warm ${line(warm)}`,
  );
}
