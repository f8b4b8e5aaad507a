/** `<findling-related>`: pages on the same subject as the current page. */

import { address, COMMON, choose, define, FindlingElement, h, isModified, LABELS } from "./common";
import type { Locale } from "./locale";
import { PAGE_LABELS } from "./page-labels";

/** Distance of the list below the window at which its pages are loaded. */
const NEAR = "400px";

/** Pages that are shown unless the attribute `limit` says otherwise. */
const MOST = 5;

export class FindlingRelated extends FindlingElement<Locale> {
  static readonly observedAttributes = [...COMMON, "page", "limit"];

  #near: IntersectionObserver | undefined;

  /** The theme of the page, because the element has no background of its own. */
  protected override readonly ownTheme = "page";

  constructor() {
    super({ ...LABELS, ...PAGE_LABELS }, CSS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#near?.disconnect();
  }

  /** Loads the pages when a reader comes near; until then nothing is fetched. */
  protected draw(): void {
    this.#near?.disconnect();
    this.root.replaceChildren(h("div"));
    this.#near = new IntersectionObserver(
      ([entry], observer) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        void this.#show();
      },
      { rootMargin: NEAR },
    );
    this.#near.observe(this.root.firstElementChild!);
  }

  /** Without related pages, or without an index, the element shows nothing. */
  async #show(): Promise<void> {
    const near = this.#near;
    const page = this.getAttribute("page") ?? location.href.split("#")[0]!;
    const options = { limit: this.asked(MOST).limit, sectionsPerPage: 1 };
    const results = await this.index
      .then(async (index) => (await index.similar(page, options)).results)
      .catch(() => []);
    const items = results.map((page) => {
      const hit = { page, section: undefined };
      const href = address(hit, false);
      const link = h("a", { href, dir: "auto" }, page.title || page.url);
      link.addEventListener("click", (event) => {
        if (href === null || isModified(event)) return;
        event.preventDefault();
        choose(this, { href, ...hit });
      });
      return h("li", {}, link);
    });
    // The element may have been redrawn in the meantime.
    if (items.length === 0 || near !== this.#near) return;
    const title = h("h2", { id: "title", part: "title" }, this.labels.related);
    const list = h("ul", { part: "list" }, ...items);
    this.root.replaceChildren(h("nav", { "aria-labelledby": "title", part: "nav" }, title, list));
  }
}

const CSS = `
:host { display: block; font: inherit; color: inherit }
h2 { margin: 0 0 .5rem; font-size: 1.125em; line-height: 1.3 }
ul { margin: 0; padding: 0; list-style: none; display: grid; gap: .375rem }
a { color: var(--_accent) }
a:hover { text-decoration: underline; text-underline-offset: .15em }
`;

define("findling-related", FindlingRelated);

declare global {
  interface HTMLElementTagNameMap {
    "findling-related": FindlingRelated;
  }
}
