/** The list of results: its rows, the active row, and the merging of new rows. */

import type { PageResult } from "../types";
import { h } from "./dom";
import type { Labels } from "./labels";
import { placeOf, repeatedTitles } from "./places";
import { address, looks, pageGroup, sectionsOf } from "./rows";
import { isModified } from "./selection";
import type { Hit, Verdict } from "./verdict";

/** The panel's services for the list. */
export interface ResultListOptions {
  labels: () => Labels;
  /** Texts next to a page's title. */
  tags: (page: PageResult) => string[];
  /** The active option has changed; `undefined` if none is active. */
  activated: (option: HTMLElement | undefined) => void;
  /**
   * A result was chosen: go to `passage`, or to `href` in a site that handles navigation itself.
   */
  select: (hit: Hit, href: string, passage: string, position: number) => void;
  /** Whether links name the passage that they lead to. */
  passages: () => boolean;
}

/**
 * The share of its score by which a page must exceed the first of the list to be clearly better.
 */
const CLEAR_LEAD = 0.2;

/** A page as it is shown. */
interface Row {
  page: PageResult;
  group: HTMLElement;
  looks: string;
}

export class ResultList {
  readonly element: HTMLElement;
  readonly #options: ResultListOptions;
  readonly #hits = new WeakMap<HTMLElement, Hit>();
  /** The rows by the id of their page, in the order in which they are shown. */
  #rows = new Map<string, Row>();
  #active: HTMLElement | undefined;
  /** The notice above the pages. */
  #lead: HTMLElement | undefined;
  #nextId = 0;
  /**
   * Whether the reader has pointed, scrolled or moved in these results. Then their rows stay in
   * place.
   */
  touched = false;

  constructor(options: ResultListOptions) {
    this.#options = options;
    this.element = h("div", {
      id: "list",
      role: "listbox",
      part: "results",
      "aria-label": options.labels().results,
    });
    this.#listen();
  }

  /** Number of pages in the list. */
  get length(): number {
    return this.#rows.size;
  }

  /** Whether it shows that nothing answers. */
  get isUnanswered(): boolean {
    return this.element.classList.contains("unanswered");
  }

  /** The active option. */
  get active(): HTMLAnchorElement | undefined {
    return this.#active as HTMLAnchorElement | undefined;
  }

  /**
   * Replaces all rows; the first becomes active. A row that would look the same stays as it is: it
   * is not laid out again, and a screen reader does not read it again.
   */
  replace(pages: PageResult[], verdict?: Verdict): void {
    const before = this.#rows;
    this.#rows = new Map();
    const repeated = repeatedTitles(pages);
    const groups = pages.map((page) => this.#groupOf(page, repeated, before));
    for (const child of [...this.element.children])
      if (!groups.includes(child as HTMLElement)) child.remove();
    let next = this.element.firstChild;
    for (const group of groups)
      if (group === next) next = next.nextSibling;
      else this.element.insertBefore(group, next);
    this.lead(verdict);
  }

  /** Says above the pages if nothing answers. The first row becomes active. */
  lead(verdict: Verdict): void {
    const labels = this.#options.labels();
    this.element.classList.toggle("unanswered", verdict === "nothing");
    this.#lead?.remove();
    this.#lead = undefined;
    if (verdict === "nothing") {
      this.#lead = h("div", { class: "also-title", role: "presentation" }, labels.unanswered);
      this.element.prepend(this.#lead);
    }
    this.activate(this.element.querySelector<HTMLElement>("[role=option]") ?? undefined, false);
  }

  /** Replaces all rows. Remaining rows glide from their old places to the new ones. */
  glideTo(pages: PageResult[], verdict: Verdict): void {
    const places = new Map([...this.#rows].map(([id, { group }]) => [id, group.offsetTop]));
    this.replace(pages, verdict);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const [id, { group }] of this.#rows) {
      const way = (places.get(id) ?? 0) - group.offsetTop;
      if (way && places.has(id))
        group.animate([{ translate: `0 ${way}px` }, {}], { duration: 220, easing: "ease" });
    }
  }

  /** Whether the first of these pages is clearly better than the first of the list. */
  isBehind(pages: PageResult[]): boolean {
    const [first] = this.#rows.keys();
    const own = pages.find(({ id }) => id === first)?.score ?? 0;
    return pages.length > 0 && pages[0]!.score * (1 - CLEAR_LEAD) > own;
  }

  /** Appends the pages that the list does not have yet, below a title if there is one. */
  appendNew(pages: PageResult[], title: string | undefined): void {
    const [first] = this.append(pages.filter(({ id }) => !this.#rows.has(id)));
    if (title === undefined) return;
    first?.classList.add("also");
    first?.before(h("div", { class: "also-title", role: "presentation" }, title));
  }

  append(pages: PageResult[]): HTMLElement[] {
    const repeated = repeatedTitles([
      ...[...this.#rows.values()].map(({ page }) => page),
      ...pages,
    ]);
    const groups = pages.map((page) => this.#groupOf(page, repeated));
    this.element.append(...groups);
    return groups;
  }

  /** Moves the active option by one, around the ends, or by more, up to the ends. */
  step(by: number): void {
    const options = [...this.element.querySelectorAll<HTMLElement>("[role=option]")];
    if (options.length === 0) return;
    const at = this.#active ? options.indexOf(this.#active) : -1;
    const next =
      Math.abs(by) === 1
        ? (at + by + options.length) % options.length
        : Math.max(0, Math.min(options.length - 1, at + by));
    this.touched = true;
    this.activate(options[next], true);
  }

  activate(option: HTMLElement | undefined, scroll: boolean): void {
    if (option === this.#active && !scroll) return;
    this.#active?.setAttribute("aria-selected", "false");
    this.#active = option;
    option?.setAttribute("aria-selected", "true");
    this.#options.activated(option);
    if (scroll) option?.scrollIntoView({ block: "nearest" });
  }

  /** The group of a page; the group in `before` is reused if it looks the same. */
  #groupOf(
    page: PageResult,
    repeated: ReadonlySet<string>,
    before?: Map<string, Row>,
  ): HTMLElement {
    const { tags, passages } = this.#options;
    const row = { tags: tags(page), place: placeOf(page, repeated), passages: passages() };
    const looked = looks(page, row);
    const known = before?.get(page.id);
    const group = known?.looks === looked ? known.group : pageGroup(page, row);
    group.classList.remove("also");
    const sections = sectionsOf(page);
    for (const [i, option] of group.querySelectorAll<HTMLElement>("[role=option]").entries())
      this.#register(option, { page, section: sections[i] });
    this.#rows.set(page.id, { page, group, looks: looked });
    return group;
  }

  #register(option: HTMLElement, hit: Hit): void {
    option.id ||= `option-${this.#nextId++}`;
    this.#hits.set(option, hit);
  }

  #listen(): void {
    this.element.addEventListener("pointermove", (event) => {
      // A list that moves under a resting pointer sends events without a movement.
      if (event.movementX === 0 && event.movementY === 0) return;
      this.touched = true;
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option && event.pointerType === "mouse") this.activate(option, false);
    });
    this.element.addEventListener("click", (event) => {
      const option = (event.target as Element).closest<HTMLAnchorElement>("a[role=option]");
      const hit = option && this.#hits.get(option);
      if (!hit || !option.href || isModified(event)) return;
      event.preventDefault();
      const position = [...this.#rows.keys()].indexOf(hit.page.id) + 1;
      const href = address(hit, false) ?? option.href;
      this.#options.select(hit, href, option.href, position);
    });
  }
}
