// The things that tests of a suite in a browser share: a server and a browser, started once. Each
// test has one page.

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
   * Called within `describe`. `start` starts the server of the pages, and returns its address and a
   * function that ends it: `{ url, close }`, like `serve`. `switches` are switches of the browser.
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
   * Opens a path of the site, or a whole address, in a new page, and closes the previous one.
   * `options` are the options of `open`.
   */
  async visit(path, options) {
    await this.leave();
    this.page = await open(this.browser, this.address(path), options);
    return this.page;
  }

  /** The same for a page with a search box, when the box is there. */
  async visitSearch(path, options) {
    const page = await this.visit(path, options);
    await page.locator("findling-search:defined").waitFor();
    return page;
  }

  /** The same for a page of results, when the results are there. */
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

  /** Closes the page and frees everything that it keeps. */
  async leave() {
    await this.page?.context().close();
    this.page = undefined;
  }
}
