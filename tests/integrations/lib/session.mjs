// The things that tests of an integration share: a site that is made once, and a browser. Each test
// has one page.

import { Session as BrowserSession } from "../../e2e/lib/session.mjs";
import { develop } from "./fixture.mjs";
import { ready } from "./reader.mjs";

export class Session extends BrowserSession {
  /**
   * Opens a page in the same way as the tests of the client, and waits until the search is at rest.
   */
  async visit(path, options) {
    const page = await super.visit(path, options);
    // Development servers hold requests back while they build.
    page.setDefaultTimeout(90_000);
    await ready(page);
    return page;
  }

  /** A development server for the rest of the test. The arguments are the same as for `develop`. */
  async develop(...args) {
    return this.keep(await develop(...args));
  }
}
