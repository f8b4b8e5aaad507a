/**
 * Filter chips with counts. A page matches if it has one of the chosen values of every attribute.
 */

import type { Facet } from "../engine-types";
import { h } from "./dom";
import { type Labels, plural } from "./labels";

/** Values of an attribute that are shown before "more". */
const MAX_SHOWN = 6;

/** The chosen values and their chips. */
export class Facets {
  readonly element: HTMLElement;
  readonly #labels: () => Labels;
  readonly #changed: () => void;
  readonly #chosen = new Map<string, Set<string>>();
  readonly #open = new Set<string>();
  #facets: Facet[] = [];
  /** "+" if the counts are lower bounds. */
  #more = "";

  constructor(labels: () => Labels, changed: () => void) {
    this.#labels = labels;
    this.#changed = changed;
    this.element = h("div", {
      class: "facets",
      part: "filters",
      role: "group",
      "aria-label": labels().filters,
      hidden: true,
    });
  }

  /** The filter of the chosen values; `undefined` if none is chosen. */
  filter(): Record<string, string[]> | undefined {
    const entries = [...this.#chosen].map(([name, values]) => [name, [...values]]);
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }

  /** Clears the chosen values of one attribute, or of all. */
  clear(name?: string): void {
    if (name === undefined) this.#chosen.clear();
    else this.#chosen.delete(name);
    this.#changed();
  }

  /** Shows new counts; the focused chip keeps the focus. `atLeast`: counts are lower bounds. */
  show(facets: Facet[], atLeast = false): void {
    this.#facets = facets;
    this.#more = atLeast ? "+" : "";
    this.#draw();
  }

  #draw(): void {
    const focused = (this.element.getRootNode() as ShadowRoot).activeElement as HTMLElement | null;
    const key = focused && this.element.contains(focused) ? focused.dataset["key"] : undefined;
    const groups = this.#facets
      .map((facet) => this.#group(facet))
      .filter((group) => group !== undefined);
    this.element.replaceChildren(...groups);
    this.element.hidden = groups.length === 0;
    if (key !== undefined) {
      [...this.element.querySelectorAll("button")]
        .find((button) => button.dataset["key"] === key)
        ?.focus();
    }
  }

  #group({ name, values }: Facet): HTMLElement | undefined {
    const chosen = this.#chosen.get(name);
    const counted = new Map(values);
    for (const value of chosen ?? []) if (!counted.has(value)) counted.set(value, 0);
    // A value that all pages share is no choice.
    if (counted.size < 2 && !chosen) return undefined;
    const all = [...counted];
    const open = this.#open.has(name);
    const shown = open ? all : all.filter(([value], i) => i < MAX_SHOWN || chosen?.has(value));
    const chips = shown.map(([value, count]) =>
      this.#chip(name, value, count, chosen?.has(value) ?? false),
    );
    const hidden = all.length - shown.length;
    if (open ? all.length > MAX_SHOWN : hidden > 0) chips.push(this.#moreChip(name, hidden));
    return h(
      "div",
      { class: "facet", role: "group", "aria-label": name },
      h("b", { "aria-hidden": "true" }, name),
      h("div", {}, ...chips),
    );
  }

  #chip(name: string, value: string, count: number, pressed: boolean): HTMLButtonElement {
    const chip = h(
      "button",
      {
        type: "button",
        class: "chip",
        part: "chip",
        "aria-pressed": String(pressed),
        "data-key": `${name}=${value}`,
      },
      h("span", {}, value),
      h("small", {}, count.toLocaleString(this.#labels().language) + this.#more),
    );
    chip.addEventListener("click", () => this.#toggle(name, value));
    return chip;
  }

  /** Shows or hides the less frequent values of an attribute. */
  #moreChip(name: string, hidden: number): HTMLButtonElement {
    const labels = this.#labels();
    const open = this.#open.has(name);
    const more = h(
      "button",
      {
        type: "button",
        class: "chip more",
        "aria-expanded": String(open),
        "data-key": `${name}:more`,
      },
      open ? labels.fewerValues : plural(labels, labels.moreValues, hidden),
    );
    more.addEventListener("click", () => {
      if (!this.#open.delete(name)) this.#open.add(name);
      this.#draw();
    });
    return more;
  }

  #toggle(name: string, value: string): void {
    const chosen = this.#chosen.get(name) ?? new Set();
    if (!chosen.delete(value)) chosen.add(value);
    if (chosen.size > 0) this.#chosen.set(name, chosen);
    else this.#chosen.delete(name);
    // The chip changes at once, the counts with the next answer.
    this.#draw();
    this.#changed();
  }
}
