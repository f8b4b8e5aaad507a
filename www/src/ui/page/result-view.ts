/** The results of a results page: one item for each page, or for each section. */

import type { Description, PageResult, SectionResult } from "../../types";
import {
  address,
  furtherSections,
  type Hit,
  h,
  hitParts,
  placeOf,
  repeatedTitles,
  subParts,
  tagsOf,
  type Verdict,
} from "../common";
import type { Locale } from "../locale";

/** The page's services for the view. */
export interface ResultViewOptions {
  labels: () => Locale;
  info: () => Description | undefined;
  bySection: () => boolean;
  /** Whether links name the passage that they lead to. */
  passages: () => boolean;
  /** A link was clicked without a modifier. */
  select: (hit: Hit, event: MouseEvent, passage: string, position: number) => void;
}

export class ResultView {
  readonly element = h("div", { class: "found" });
  readonly #list = h("ol", { class: "list", part: "results" });
  readonly #options: ResultViewOptions;
  #pages: PageResult[] = [];

  constructor(options: ResultViewOptions) {
    this.#options = options;
    this.element.append(this.#list);
  }

  /** Number of pages shown. */
  get length(): number {
    return this.#pages.length;
  }

  /** Replaces the shown results. */
  replace(pages: PageResult[], verdict: Verdict): void {
    this.#pages = [];
    this.#list.replaceChildren();
    this.element.replaceChildren(...this.#lead(verdict), this.#list);
    this.element.classList.toggle("unanswered", verdict === "nothing");
    this.append(pages);
  }

  /** Adds pages; returns the link of the first. */
  append(pages: PageResult[]): HTMLAnchorElement | undefined {
    this.#pages.push(...pages);
    const repeated = repeatedTitles(this.#pages);
    const items = pages.flatMap((page) => this.#items(page, placeOf(page, repeated)));
    this.#list.append(...items);
    return items[0]?.querySelector("a") ?? undefined;
  }

  #items(page: PageResult, place: string[] | undefined): HTMLElement[] {
    const tags = tagsOf(page, this.#options.info(), this.#options.labels());
    const item = (
      section: SectionResult | undefined,
      others?: ReturnType<typeof furtherSections>,
    ) => this.#item({ page, section }, tags, place, others);
    if (!this.#options.bySection()) return [item(page.sections[0], furtherSections(page))];
    return page.sections.length > 0
      ? page.sections.map((section) => item(section))
      : [item(undefined)];
  }

  #item(
    hit: Hit,
    tags: string[],
    place: string[] | undefined,
    others: ReturnType<typeof furtherSections> = [],
  ): HTMLElement {
    const [title, ...parts] = hitParts(hit, tags, place, this.#link(hit));
    const item = h("li", { class: "page" }, h("h3", {}, title!), ...parts);
    // Shown in print, where a link cannot be followed.
    item.append(h("div", { class: "address" }, address(hit, false) ?? ""));
    if (others.length > 0) {
      const links = others.map(({ section, heading }) => {
        const link = this.#link({ page: hit.page, section });
        link.append(...subParts(section, heading));
        link.classList.add("sub");
        return h("li", {}, link);
      });
      item.append(h("ul", { class: "subs" }, ...links));
    }
    return item;
  }

  #lead(verdict: Verdict): HTMLElement[] {
    const labels = this.#options.labels();
    return verdict ? [h("p", { class: "also-title" }, labels.unanswered)] : [];
  }

  #link(hit: Hit): HTMLAnchorElement {
    const link = h("a", { href: address(hit, this.#options.passages()) });
    link.addEventListener("click", (event) => {
      const position = this.#pages.indexOf(hit.page) + 1;
      this.#options.select(hit, event, link.href, position);
    });
    return link;
  }
}
