// A suite of tests on a page with the client.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe } from "node:test";
import { withClient } from "./browser.mjs";
import { build } from "./bundle.mjs";
import { eventually } from "./eventually.mjs";
import { serve } from "./server.mjs";
import { Session } from "./session.mjs";

/** The page, the server behind it and the small site that it serves; renewed before every test. */
class ClientPage extends Session {
  constructor() {
    super(() => {
      this.site = build();
      return serve([this.site], { "/": withClient() });
    });
  }

  /** A new page in a context of its own, with nothing in its caches. */
  async renew() {
    await this.visitClient();
  }

  /** Loads the page again; its caches stay. */
  async reload() {
    await this.page.reload();
    await this.page.waitForFunction(() => "findling" in window);
  }

  async reset() {
    this.recoveries = 0;
    this.expectedRecoveries = 0;
    await this.renew();
    this.server.log.length = 0;
  }

  /** Opens a bundle as `index`; returns the index's description. */
  open(url = "/findling/", options = {}) {
    return this.page.evaluate(
      async ([url, options]) => {
        window.index = await findling.open(url, options);
        return { info: index.info, opening: index.opening, semantic: index.semantic };
      },
      [url, options],
    );
  }

  /** Opens a bundle and returns the code of the error, or `undefined`. */
  async openingError(url = "/findling/") {
    const { error } = await this.page.evaluate((url) => settled(findling.open(url)), url);
    return error;
  }

  /** `{ value }` or `{ error }` of a search in the open index. */
  async search(query, options = {}) {
    const answer = await this.page.evaluate(
      ([query, options]) => settled(index.search(query, options)),
      [query, options],
    );
    this.recoveries += answer.value?.stats.recoveries ?? 0;
    return answer;
  }

  /** The response to a search that must succeed. */
  async find(query, options = {}) {
    const { value, error } = await this.search(query, options);
    if (error) throw new Error(`${query}: ${error.code}: ${error.message}`);
    return value;
  }

  /** Titles of the pages that a search finds. */
  async titles(query, options = {}) {
    return (await this.find(query, options)).results.map(({ title }) => title);
  }

  /** The paths of the files in the caches of the page's site. */
  cached() {
    return this.page.evaluate(async () => {
      const paths = [];
      for (const name of await caches.keys())
        for (const request of await (await caches.open(name)).keys())
          paths.push(new URL(request.url).pathname);
      return paths;
    });
  }

  /**
   * Waits until the cache has the requested files that match: the client writes them after its
   * answer, and no promise reports it.
   */
  async kept(pattern) {
    await eventually(async () => {
      const cached = new Set(await this.cached());
      const left = this.requested(pattern).filter((path) => !cached.has(path));
      assert.deepEqual(left, [], "requested, and not in the cache");
    });
  }

  /** Waits until the cache has files, and gets no more. Parts of a pack have names of their own. */
  async rests() {
    let last;
    await eventually(async () => {
      const before = last;
      last = (await this.cached()).sort().join();
      await this.page.waitForTimeout(1_000);
      assert.ok(last !== "" && last === before, "the cache still changes");
    });
  }

  /** The requested paths that match. */
  requested(pattern) {
    return this.server.log.filter((path) => pattern.test(path));
  }
}

export function clientSuite(about, tests) {
  describe(about, () => {
    const client = new ClientPage();
    beforeEach(() => client.reset());
    afterEach(() => {
      const message = "searches that called the deferred part of the engine before it was loaded";
      assert.equal(client.recoveries, client.expectedRecoveries, message);
    });
    tests(client);
  });
}
