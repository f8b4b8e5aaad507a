/** The results of a results page: one item for each page, or for each section. */

import type { Description, PageResult } from "../../types";
import { address, answerParts, type Hit, h, hitParts, tagsOf, type Verdict } from "../common";
import type { Locale } from "../locale";

/** What the view asks of the page. */
export interface ResultViewOptions {
  labels: () => Locale;
  info: () => Description | undefined;
  bySection: () => boolean;
  /** Whether links name the passage that they lead to. */
  passages: () => boolean;
  /** A link was clicked without a modifier. */
  select: (hit: Hit, event: MouseEvent, passage: string) => void;
}

export class ResultView {
  readonly element = h("div", { class: "found" });
  readonly #list = h("ol", { class: "list", part: "results" });
  readonly #options: ResultViewOptions;
  #length = 0;

  constructor(options: ResultViewOptions) {
    this.#options = options;
    this.element.append(this.#list);
  }

  /** Number of pages that are shown. */
  get length(): number {
    return this.#length;
  }

  /** Replaces what is shown. */
  replace(pages: PageResult[], verdict: Verdict): void {
    this.#length = 0;
    this.#list.replaceChildren();
    this.element.replaceChildren(...this.#lead(verdict), this.#list);
    this.element.classList.toggle("unanswered", verdict === "nothing");
    this.append(pages);
  }

  /** Adds pages; returns the link of the first. */
  append(pages: PageResult[]): HTMLAnchorElement | undefined {
    const items = pages.flatMap((page) => this.#items(page));
    this.#list.append(...items);
    this.#length += pages.length;
    return items[0]?.querySelector("a") ?? undefined;
  }

  #items(page: PageResult): HTMLElement[] {
    const tags = tagsOf(page, this.#options.info(), this.#options.labels());
    const [best, ...others] = page.sections;
    if (!this.#options.bySection()) return [this.#item({ page, section: best }, tags, others)];
    if (!best) return [this.#item({ page, section: undefined }, tags)];
    return page.sections.map((section) => this.#item({ page, section }, tags));
  }

  #item(hit: Hit, tags: string[], others: PageResult["sections"] = []): HTMLElement {
    const [title, ...parts] = hitParts(hit, tags, this.#link(hit));
    const item = h("li", { class: "page" }, h("h3", {}, title!), ...parts);
    // Printed, where a link cannot be followed.
    item.append(h("div", { class: "address" }, address(hit, false) ?? ""));
    if (others.length > 0) {
      const links = others.map((section) => {
        const link = this.#link({ page: hit.page, section });
        link.append(h("span", { dir: "auto" }, section.headingPath.at(-1) ?? hit.page.title));
        link.classList.add("sub");
        return h("li", {}, link);
      });
      item.append(h("ul", { class: "subs" }, ...links));
    }
    return item;
  }

  #lead(verdict: Verdict): HTMLElement[] {
    const labels = this.#options.labels();
    if (verdict === "nothing") return [h("p", { class: "also-title" }, labels.unanswered)];
    if (!verdict) return [];
    const link = this.#link(verdict);
    link.classList.add("hit", "answer");
    link.append(...answerParts(verdict, labels.answer));
    return [link];
  }

  #link(hit: Hit): HTMLAnchorElement {
    const link = h("a", { href: address(hit, this.#options.passages()) });
    link.addEventListener("click", (event) => this.#options.select(hit, event, link.href));
    return link;
  }
}
