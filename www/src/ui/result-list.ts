/** The list of results: its rows, the active row, and how new rows join it. */

import type { PageResult } from "../types";
import { h } from "./dom";
import type { Labels } from "./labels";
import { address, answerOption, pageGroup } from "./rows";
import { isModified } from "./selection";
import type { Hit, Verdict } from "./verdict";

/** What the list asks of the panel. */
export interface ResultListOptions {
  labels: () => Labels;
  /** Texts next to a page's title. */
  tags: (page: PageResult) => string[];
  /** The active option has changed; `undefined` if none is active. */
  activated: (option: HTMLElement | undefined) => void;
  /** A result was chosen: go to `passage`, or to `href` in a site that navigates by itself. */
  select: (hit: Hit, href: string, passage: string) => void;
  /** Whether links name the passage that they lead to. */
  passages: () => boolean;
}

export class ResultList {
  readonly element: HTMLElement;
  readonly #options: ResultListOptions;
  #hits = new Map<HTMLElement, Hit>();
  #pages: PageResult[] = [];
  #active: HTMLElement | undefined;
  #nextId = 0;
  /** Whether the reader has pointed, scrolled or moved in these results. Their rows then stay. */
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
    return this.#pages.length;
  }

  /** The active option. */
  get active(): HTMLAnchorElement | undefined {
    return this.#active as HTMLAnchorElement | undefined;
  }

  /** Replaces all rows; the first becomes active. */
  replace(pages: PageResult[], verdict?: Verdict): void {
    this.#hits.clear();
    this.#pages = [];
    this.#active = undefined;
    this.element.replaceChildren();
    this.append(pages);
    this.lead(verdict);
    this.activate(this.element.querySelector<HTMLElement>("[role=option]") ?? undefined, false);
  }

  /** Says above the pages which sentence answers, or that nothing does. */
  lead(verdict: Verdict): void {
    const labels = this.#options.labels();
    this.element.classList.toggle("unanswered", verdict === "nothing");
    if (verdict === "nothing") {
      const title = h("div", { class: "also-title", role: "presentation" }, labels.unanswered);
      this.element.prepend(title);
    } else if (verdict) {
      const row = answerOption(verdict, labels.answer, this.#options.passages());
      this.#register(row, verdict);
      this.element.prepend(row);
    }
  }

  /** Replaces all rows. Rows that remain glide from their old places to their new ones. */
  glideTo(pages: PageResult[], verdict: Verdict): void {
    const places = new Map(this.#groups().map((group) => [group.dataset["page"], group.offsetTop]));
    this.replace(pages, verdict);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const group of this.#groups()) {
      const before = places.get(group.dataset["page"]);
      const keyframes =
        before === undefined
          ? [{ opacity: 0 }, { opacity: 1 }]
          : [{ transform: `translateY(${before - group.offsetTop}px)` }, { transform: "none" }];
      group.animate(keyframes, { duration: 220, easing: "cubic-bezier(.2, .8, .3, 1)" });
    }
  }

  /** Appends the pages that the list does not have yet, below a title if there is one. */
  appendNew(pages: PageResult[], title: string | undefined): void {
    const known = new Set(this.#pages.map(({ id }) => id));
    const [first] = this.append(pages.filter(({ id }) => !known.has(id)));
    if (title === undefined) return;
    first?.classList.add("also");
    first?.before(h("div", { class: "also-title", role: "presentation" }, title));
  }

  append(pages: PageResult[]): HTMLElement[] {
    const groups = pages.map((page) => {
      const { tags, passages } = this.#options;
      const group = pageGroup(page, tags(page), passages(), (option, hit) =>
        this.#register(option, hit),
      );
      group.dataset["page"] = page.id;
      return group;
    });
    this.element.append(...groups);
    this.#pages.push(...pages);
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
    this.#active?.setAttribute("aria-selected", "false");
    this.#active = option;
    option?.setAttribute("aria-selected", "true");
    this.#options.activated(option);
    if (scroll) option?.scrollIntoView({ block: "nearest" });
  }

  #register(option: HTMLElement, hit: Hit): void {
    option.id = `option-${this.#nextId++}`;
    this.#hits.set(option, hit);
  }

  #groups(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>(".page")];
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
      this.#options.select(hit, address(hit, false) ?? option.href, option.href);
    });
  }
}
