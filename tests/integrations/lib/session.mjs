// What a suite of tests shares: a site that is made once, a browser, and one page a test.

import { after, afterEach, before } from "node:test";
import { launch } from "../../e2e/lib/browser.mjs";
import { develop } from "./fixture.mjs";
import * as reader from "./reader.mjs";

export class Session {
  /** The page of the running test, as `visit` opened it. */
  page;
  browser;
  #site;
  /** Servers of the running test. They are closed after its page, which would report the loss. */
  #servers = [];

  /** Called within `describe`. `serve` makes the site of the suite and returns its server. */
  constructor(serve) {
    before(async () => {
      this.#site = await serve?.();
      this.browser = await launch();
    });
    after(async () => {
      await this.browser?.close();
      await this.#site?.close();
    });
    afterEach(async () => {
      await this.page?.context().close();
      for (const server of this.#servers.splice(0)) await server.close();
    });
  }

  /** The address of a path of the suite's site. */
  address(path = "") {
    return `${this.#site.url}${path}`;
  }

  /** Opens a path of the suite's site in a page of its own, closing the one before. */
  visit(path = "", options) {
    return this.visitOther(this.address(path), options);
  }

  /** The same for a whole address. */
  async visitOther(url, options) {
    await this.page?.context().close();
    this.page = await reader.visit(this.browser, url, options);
    return this.page;
  }

  /** Keeps a server until the test ends. */
  keep(server) {
    this.#servers.push(server);
    return server;
  }

  /** A development server for the rest of the test. The arguments are those of `develop`. */
  async develop(...args) {
    return this.keep(await develop(...args));
  }
}
