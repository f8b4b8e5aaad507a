// What a suite of tests in a browser shares: a server and a browser, started once, and one page a
// test.

import { after, afterEach, before, beforeEach } from "node:test";
import { launch, open, resultsAnswered } from "./browser.mjs";

export class Session {
  /** The page of the running test, as it was opened last. */
  page;
  browser;
  server;
  /** Servers of the running test. They are closed after its page, which would report the loss. */
  #kept = [];

  /**
   * Called within `describe`. `start` starts what the pages are on, and returns it with its address
   * and what ends it: `{ url, close }`, such as `serve` does. `switches` are those of the browser.
   */
  constructor(start, ...switches) {
    before(async () => {
      this.server = await start?.();
      this.browser = await launch(...switches);
    });
    after(async () => {
      await this.browser?.close();
      await this.server?.close();
    });
    beforeEach(() => this.server?.reset?.());
    afterEach(async () => {
      await this.leave();
      for (const server of this.#kept.splice(0)) await server.close();
    });
  }

  /** The whole address of a path of the site. */
  address(path = "") {
    return new URL(path, this.server?.url).href;
  }

  /**
   * Opens a path of the site, or a whole address, in a page of its own, closing the one before.
   * `options` are those of `open`.
   */
  async visit(path, options) {
    await this.leave();
    this.page = await open(this.browser, this.address(path), options);
    return this.page;
  }

  /** The same for a page with a search box, once the box is there. */
  async visitSearch(path, options) {
    const page = await this.visit(path, options);
    await page.locator("findling-search:defined").waitFor();
    return page;
  }

  /** The same for a page of results, once it is answered. */
  async visitResults(path, options) {
    const page = await this.visit(path, options);
    await resultsAnswered(page);
    return page;
  }

  /** The same for a page made by `withClient`, once the client is there. */
  async visitClient(path, options) {
    const page = await this.visit(path, options);
    await page.waitForFunction(() => "findling" in window);
    return page;
  }

  /** Keeps a server until the running test ends. */
  keep(server) {
    this.#kept.push(server);
    return server;
  }

  /** Closes the page with all that it keeps. */
  async leave() {
    await this.page?.context().close();
    this.page = undefined;
  }
}
