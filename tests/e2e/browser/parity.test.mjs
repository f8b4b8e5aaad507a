// The engine in Chromium gives the same answers as the native engine, to the bit.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { withClient } from "../lib/browser.mjs";
import { dist, hasModel, MODEL, run, scratch } from "../lib/bundle.mjs";
import { questions, writeCorpus } from "../lib/corpus.mjs";
import { bundles, native, same, WAYS } from "../lib/parity.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("Chromium gives the answers of the command line", () => {
  const found = bundles();
  const session = new Session();

  for (const vectors of ["streamed", "resident"])
    for (const bundle of found) {
      for (const way of WAYS) {
        const count = questions().length;
        test(`${count} questions, ${bundle.name}, ${way.name}, ${vectors}`, async () => {
          const pages = { "/": withClient("/findling.js") };
          const { url } = session.keep(await serve([bundle.site, dist], pages));
          const page = await session.visitClient(url);
          const options = {
            ...way.options,
            ...(way.options.filter ? { filter: bundle.filter } : {}),
          };
          const answers = await page.evaluate(
            async ([questions, options, vectors]) => {
              const index = await findling.open("/findling/", { vectors });
              const answers = [];
              for (const question of questions) {
                // The answer without the client's additions to the engine's answer.
                const { stats, results, ...response } = await index.search(question, options);
                answers.push({
                  ...response,
                  results: results.map(({ href, snippet, sections, ...page }) => ({
                    ...page,
                    sections: sections.map(({ href, ...section }) => section),
                  })),
                });
              }
              return answers;
            },
            [questions(), options, vectors],
          );
          same(
            native(bundle, way, vectors === "streamed" ? ["--streamed"] : []),
            answers,
            `${bundle.name}, ${way.name}`,
          );
        });
      }
    }

  test("the first ten pages are the same if the transformer embeds the questions", {
    skip: hasModel() ? false : "the model is not installed",
    timeout: 300_000,
  }, async () => {
    const directory = scratch();
    const site = join(directory, "harbour");
    writeCorpus(join(directory, "corpus"));
    run(
      "--quiet",
      "build",
      join(directory, "corpus"),
      "--output",
      join(site, "findling"),
      "--client",
      dist,
      "--encoder",
      MODEL,
      "--query-encoder",
      "transformer",
    );
    const first = ({ encoder, results }) => ({
      encoder,
      first: results.map(({ url, sections }) => [url, sections[0]?.anchor ?? null]),
    });
    const expected = native(
      { site, args: ["--query-encoder", "deployed"] },
      { args: ["--limit", "10"] },
      ["--streamed"],
    ).map(first);
    const { url } = session.keep(await serve([site], { "/": withClient() }));
    const page = await session.visitClient(url);
    const answers = await page.evaluate(async (questions) => {
      const index = await findling.open("/findling/", { encoder: "transformer" });
      await index.ready("semantic");
      const answers = [];
      for (const question of questions) answers.push(await index.search(question, { limit: 10 }));
      return answers;
    }, questions());
    assert.ok(
      expected.filter(({ encoder }) => encoder === "transformer").length > 90,
      "hardly a question was embedded",
    );
    same(expected, answers.map(first), "harbour by the transformer");
  });
});
