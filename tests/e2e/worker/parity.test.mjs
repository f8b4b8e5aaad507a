// The engine in workerd gives the same answers as the native engine, to the bit.

import { after, before, describe, test } from "node:test";
import { questions } from "../lib/corpus.mjs";
import { bundles, native, same, WAYS } from "../lib/parity.mjs";
import { dev } from "../lib/worker.mjs";

for (const bundle of bundles()) {
  describe(`workerd gives the answers of the command line: ${bundle.name}`, () => {
    let worker;
    before(async () => {
      // Unpacked, a phrase takes more files than the free plan allows a request.
      worker = await dev(bundle.site, { FINDLING_SUBREQUESTS: "1000" });
    });
    after(() => worker?.stop());

    for (const way of WAYS) {
      test(`${questions().length} questions, ${way.name}`, async () => {
        const answers = [];
        for (const question of questions()) {
          const parameters = new URLSearchParams({
            q: question,
            ...way.options,
            ...(way.options.filter ? { filter: bundle.filter } : {}),
          });
          answers.push(await (await fetch(`${worker.url}/search?${parameters}`)).json());
        }
        same(native(bundle, way, ["--streamed"]), answers, `${bundle.name}, ${way.name}`);
      });
    }
  });
}
