// The order of results: the cases of tests/ranking, through the client in Chromium.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { failures, report, requests, topics } from "../../ranking/check.mjs";
import { withClient } from "../lib/browser.mjs";
import { dist, findling, scratch } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

describe("a reader finds the expected page first", () => {
  const sites = scratch();
  const session = new Session(() => serve([sites, dist], { "/": withClient("/findling.js") }));

  for (const topic of topics()) {
    test(`${topic.name}: ${topic.about}`, async () => {
      const bundle = join(sites, topic.name, "findling");
      // Options name files of the topic's own directory.
      execFileSync(
        resolve(findling),
        "--quiet build pages --no-client --encoder none --output"
          .split(" ")
          .concat(bundle, topic.build),
        { cwd: topic.directory, stdio: ["ignore", "pipe", "pipe"] },
      );
      const asked = topic.cases.map((one) => requests(one, topic.pages));
      const page = await session.visitClient();
      const answers = await page.evaluate(
        async ([address, asked]) => {
          const index = await findling.open(address);
          const answer = ({ query, ...options }) =>
            index
              .search(query, options)
              .catch((error) => ({ error: `${error.code}: ${error.message}` }));
          const answers = [];
          for (const requests of asked) {
            const ofCase = [];
            for (const request of requests) ofCase.push(await answer(request));
            answers.push(ofCase);
          }
          index.close?.();
          return answers;
        },
        [`/${topic.name}/findling/`, asked],
      );
      const failed = topic.cases.flatMap((one, i) => {
        const wrong = failures(one, asked[i], answers[i]);
        if (one.open) return wrong.length ? [] : [report(one, ['it is done: take "open" away'])];
        return wrong.length ? [report(one, wrong)] : [];
      });
      if (failed.length)
        assert.fail(`${failed.length} of ${topic.cases.length} cases:\n${failed.join("\n")}`);
    });
  }
});
