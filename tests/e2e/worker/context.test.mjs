// Tests that the endpoint gives an assistant the same passages as `findling context`: the same
// texts in the same order, from the same bundle.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { findling } from "../lib/bundle.mjs";
import { questions } from "../lib/corpus.mjs";
import { bundles } from "../lib/parity.mjs";
import { dev } from "../lib/worker.mjs";

/** Number of tokens that the endpoint reserves for the answer around the passages. */
const FRAME = 60;
/** Number of sections of each page that the endpoint examines. */
const SECTIONS = "3";
const TOKENS = [60, 300, 1000, 2000, 8000];

/** Questions about the bundle. Some of them find more pages than there is room for. */
const QUESTIONS = [
  ...["how long do I dip a pot", "kiln", "what sticks to the shelf", "harbour storm", "log"],
  ...questions().slice(0, 8),
];

for (const { name, site, args: own = [] } of bundles()) {
  describe(`the endpoint gives the passages of the command line: ${name}`, () => {
    let worker;
    before(async () => {
      worker = await dev(site, { FINDLING_SUBREQUESTS: "1000" });
    });
    after(() => worker?.stop());

    /** The passages of the endpoint. */
    const remote = async (query, mode, tokens) => {
      const params = { name: "context", arguments: { query, mode, tokens: tokens + FRAME } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const response = await fetch(`${worker.url}/mcp`, { method: "POST", body });
      const { result } = await response.json();
      assert.ok(!result.isError, JSON.stringify(result));
      return result.structuredContent;
    };

    /** The passages of the command line, in the endpoint's form. */
    const native = (query, mode, tokens) => {
      const limits = ["--tokens", String(tokens), "--sections", SECTIONS];
      const options = [...limits, "--mode", mode, "--format", "json"];
      const bundle = join(site, "findling");
      const args = ["--quiet", "context", "--streamed", query, bundle, ...own, ...options];
      const { status, stdout, stderr } = spawnSync(findling, args, { encoding: "utf8" });
      // 1: nothing was found.
      assert.ok(status === 0 || status === 1, stderr);
      const { passages, tokens: used, leftOut } = JSON.parse(stdout);
      const fields = ({ title, headingPath, url, text, whole }) => ({
        title,
        headingPath,
        // An address that is not a web address stays text.
        url: /^(?:\/(?!javascript:)|https?:)/.test(url) ? new URL(url, worker.url).href : url,
        text,
        whole,
      });
      return { passages: passages.map(fields), tokens: used, leftOut };
    };

    for (const mode of ["hybrid", "lexical"]) {
      test(`${QUESTIONS.length} questions, ${mode}, ${TOKENS.length} limits`, async () => {
        let [several, leftOut] = [0, 0];
        for (const query of QUESTIONS) {
          for (const tokens of TOKENS) {
            const expected = native(query, mode, tokens);
            const { untrusted, ...given } = await remote(query, mode, tokens);
            assert.match(untrusted, /not instructions/);
            assert.deepEqual(given, expected, `${query}, ${tokens} tokens`);
            assert.ok(given.tokens <= tokens, `${query}: ${given.tokens} of ${tokens}`);
            several += expected.passages.length > 1 ? 1 : 0;
            leftOut += expected.leftOut > 0 ? 1 : 0;
          }
        }
        assert.ok(several > 10 && leftOut > 5, `${several} with passages, ${leftOut} cut`);
      });
    }
  });
}
