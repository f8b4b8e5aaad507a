/**
 * Filter chips with counts. Values of one attribute widen each other, attributes narrow each other.
 */

import type { Facet } from "../engine-types";
import { h } from "./dom";
import type { Labels } from "./labels";

/** Values shown before "more". */
const SHOWN = 6;

/** What is chosen, and the chips that show it. */
export class Facets {
  readonly element: HTMLElement;
  readonly #labels: () => Labels;
  readonly #changed: () => void;
  readonly #chosen = new Map<string, Set<string>>();
  readonly #open = new Set<string>();
  #facets: Facet[] = [];
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

  /** The filter that the chips stand for; `undefined` where it is no filter. */
  filter(): Record<string, string[]> | undefined {
    const entries = [...this.#chosen].map(([name, values]) => [name, [...values]]);
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }

  /** Takes the choice back, of one attribute or of all. */
  clear(name?: string): void {
    if (name === undefined) this.#chosen.clear();
    else this.#chosen.delete(name);
    this.#changed();
  }

  /**
   * Shows new counts, keeping the keyboard where it is. `atLeast`: there may be more than they say.
   */
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
    // One value that all pages share narrows nothing.
    if (counted.size < 2 && !chosen) return undefined;
    const labels = this.#labels();
    const all = [...counted];
    const open = this.#open.has(name);
    const shown = open ? all : all.filter(([value], i) => i < SHOWN || chosen?.has(value));
    const chips = shown.map(([value, count]) => {
      const chip = h(
        "button",
        {
          type: "button",
          class: "chip",
          part: "chip",
          "aria-pressed": String(chosen?.has(value) ?? false),
          "data-key": `${name}=${value}`,
        },
        h("span", {}, value),
        h("small", {}, count.toLocaleString() + this.#more),
      );
      chip.addEventListener("click", () => this.#toggle(name, value));
      return chip;
    });
    if (open ? all.length > SHOWN : shown.length < all.length) {
      const more = h(
        "button",
        {
          type: "button",
          class: "chip more",
          "aria-expanded": String(open),
          "data-key": `${name}:more`,
        },
        open ? labels.fewerValues : labels.moreValues(all.length - shown.length),
      );
      more.addEventListener("click", () => {
        if (!this.#open.delete(name)) this.#open.add(name);
        this.#draw();
      });
      chips.push(more);
    }
    return h(
      "div",
      { class: "facet", role: "group", "aria-label": name },
      h("b", { "aria-hidden": "true" }, name),
      h("div", {}, ...chips),
    );
  }

  #toggle(name: string, value: string): void {
    const chosen = this.#chosen.get(name) ?? new Set();
    if (!chosen.delete(value)) chosen.add(value);
    if (chosen.size > 0) this.#chosen.set(name, chosen);
    else this.#chosen.delete(name);
    // The chip answers at once; the counts follow.
    this.#draw();
    this.#changed();
  }
}
