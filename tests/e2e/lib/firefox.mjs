// Real Firefox, driven by WebDriver BiDi. Playwright drives a Firefox of its own alone, so these
// tests use Puppeteer. As in Chromium, a message in the console or a failed request fails a test.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, afterEach, before } from "node:test";
import puppeteer from "puppeteer-core";

const PATHS = ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app"];

/** The path of Firefox: FINDLING_FIREFOX, or where systems have it. */
export const executablePath =
  process.env.FINDLING_FIREFOX ?? PATHS.find((path) => existsSync(path));

/** The browser and the pages of a suite, which `start` gives an address. */
export class Session {
  page;
  #browser;
  #context;
  #server;
  #complaints = [];

  /** `start` starts the server of the pages: `{ url, close }`. */
  constructor(start, { dark = false } = {}) {
    before(async () => {
      this.#server = await start();
      this.#browser = await puppeteer.launch({
        browser: "firefox",
        executablePath,
        headless: true,
        // The browser makes no requests of its own.
        extraPrefsFirefox: {
          "browser.search.update": false,
          // 0 is dark, 1 light.
          "layout.css.prefers-color-scheme.content-override": dark ? 0 : 1,
          "datareporting.policy.dataSubmissionEnabled": false,
          "network.captive-portal-service.enabled": false,
          "network.connectivity-service.enabled": false,
        },
      });
    });
    after(async () => {
      await this.#browser?.close();
      await this.#server?.close();
    });
    afterEach(async () => {
      await this.#context?.close();
      this.#context = undefined;
      assert.deepEqual(this.#complaints.splice(0), [], "the browser complained");
    });
  }

  /** Opens a path of the site in a context of its own. */
  async visit(path = "") {
    await this.#context?.close();
    this.#context = await this.#browser.createBrowserContext();
    const page = await this.#context.newPage();
    this.page = page;
    page.on("console", (message) =>
      this.#complaints.push(`console ${message.type()}: ${message.text()}`),
    );
    page.on("pageerror", (error) => this.#complaints.push(`uncaught: ${error.message}`));
    page.on("response", (response) => {
      if (response.status() >= 400)
        this.#complaints.push(`${response.status()}: ${response.url()}`);
    });
    await page.setViewport({ width: 1100, height: 800 });
    await page.goto(new URL(path, this.#server.url).href);
    return page;
  }
}

/** Waits until an element is in the shadow of another, and returns it. */
export const within = (page, host, selector) =>
  page.waitForFunction(
    (host, selector) => document.querySelector(host)?.shadowRoot?.querySelector(selector),
    { polling: 50 },
    host,
    selector,
  );

/** Types into the box of the search, and waits for its answer. */
export async function ask(page, question) {
  const box = await within(page, "findling-search", "[role=combobox]");
  await box.type(question);
  // The answer to the first letters may be shown before the last letter has arrived.
  await page.waitForFunction((box, question) => box.value === question, {}, box, question);
  await within(page, "findling-search", ".panel[aria-busy=false] [role=option]");
}

/** Waits for the answer of the page of results. */
export const listed = (page) => within(page, "findling-results", "[aria-busy=false].answered");

/** The texts of elements in the shadow of another. */
export const texts = (page, host, selector) =>
  page.evaluate(
    (host, selector) =>
      [...document.querySelector(host).shadowRoot.querySelectorAll(selector)].map(
        (element) => element.innerText,
      ),
    host,
    selector,
  );
