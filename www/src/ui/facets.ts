/**
 * Filter chips with counts. A page matches if it has one of the chosen values of every attribute.
 */

import type { Facet } from "../engine-types";
import type { Description, Filter } from "../types";
import { h } from "./dom";
import { type Choice, choicesOf, type Division, divide, filterOf, nameText } from "./facet-values";
import { type Labels, plural } from "./labels";

type Attribute = Description["attributes"][number];

/** Values of an attribute that are shown before "more". */
const MAX_SHOWN = 6;

/** Number of attributes that are shown without a button that opens them, if there is room. */
const MAX_OPEN = 3;

/** The same number if there is little room. */
const NARROW = "(max-width: 40rem), (max-height: 30rem)";

/** The panel's services for the filters. */
export interface FacetsOptions {
  labels: () => Labels;
  info: () => Description | undefined;
  changed: () => void;
}

/** The chosen values and their chips. */
export class Facets {
  readonly element: HTMLElement;
  readonly #options: FacetsOptions;
  readonly #chosen = new Map<string, Set<string>>();
  readonly #divisions = new Map<string, Division>();
  readonly #open = new Set<string>();
  #isOpen = false;
  /** Whether its height is held at zero. */
  #isAway = false;
  #facets: Facet[] = [];
  /** "+" if the counts are lower bounds. */
  #more = "";

  constructor(options: FacetsOptions) {
    this.#options = options;
    this.element = h("div", {
      class: "facets",
      part: "filters",
      role: "group",
      "aria-label": options.labels().filters,
      hidden: true,
    });
  }

  /** The filter of the chosen values; `undefined` if none is chosen. */
  filter(): Filter | undefined {
    return filterOf(this.#chosen, (name) => this.#attribute(name).kind);
  }

  /** Clears the chosen values of one attribute, or of all. */
  clear(name?: string): void {
    if (name === undefined) this.#chosen.clear();
    else this.#chosen.delete(name);
    this.#options.changed();
  }

  /** Shows new counts; the focused chip keeps the focus. `atLeast`: counts are lower bounds. */
  show(facets: Facet[], atLeast = false): void {
    this.#facets = facets;
    this.#more = atLeast ? "+" : "";
    this.#draw();
  }

  /** Keeps the height, so that the content below does not move; `false` ends this. */
  hold(isHeld: boolean): void {
    const { element } = this;
    this.#isAway = isHeld && Boolean(element.hidden);
    const size = isHeld && !element.hidden ? getComputedStyle(element).blockSize : "";
    element.style.blockSize = size;
  }

  #attribute(name: string): Attribute {
    const known = this.#options.info()?.attributes.find((attribute) => attribute.name === name);
    return known ?? { name, kind: "string", facet: true, of: "pages" };
  }

  #draw(): void {
    const focused = (this.element.getRootNode() as ShadowRoot).activeElement as HTMLElement | null;
    const key = focused && this.element.contains(focused) ? focused.dataset["key"] : undefined;
    // Chosen values are shown with every answer, and also without one.
    const names = new Set([...this.#facets.map(({ name }) => name), ...this.#chosen.keys()]);
    const groups = [...names].flatMap((name) => this.#choices(name));
    const folds = groups.length > 0 && (matchMedia(NARROW).matches || groups.length > MAX_OPEN);
    const isIdle = this.#facets.length === 0;
    const shown =
      isIdle || (folds && !this.#isOpen) ? [] : groups.map((group) => this.#group(group));
    this.element.replaceChildren(...(isIdle || folds ? [this.#bar(groups, isIdle)] : []), ...shown);
    const isEmpty = isIdle ? this.#chosen.size === 0 : groups.length === 0;
    this.element.hidden = isEmpty || this.#isAway;
    if (key !== undefined) {
      [...this.element.querySelectorAll("button")]
        .find((button) => button.dataset["key"] === key)
        ?.focus();
    }
  }

  /** Returns the values of an attribute that can be chosen; empty if there is no choice. */
  #choices(name: string): { name: string; choices: Choice[] }[] {
    const chosen = this.#chosen.get(name) ?? new Set();
    const values = this.#facets.find((facet) => facet.name === name)?.values ?? [];
    const attribute = this.#attribute(name);
    let division = this.#divisions.get(name);
    if (!division) {
      division = divide(attribute, values);
      if (values.length > 1) this.#divisions.set(name, division);
    }
    const choices = choicesOf(attribute, values, division, chosen, this.#options.labels());
    // A value that all pages share does not offer a choice.
    return choices.length < 2 && chosen.size === 0 ? [] : [{ name, choices }];
  }

  /** A line with a button for all filters, and the chosen values while the filters are folded. */
  #bar(groups: { name: string; choices: Choice[] }[], isIdle: boolean): HTMLElement {
    const labels = this.#options.labels();
    const bar = h("div", { class: "facet-bar" });
    if (!isIdle) {
      const attributes = { "aria-expanded": String(this.#isOpen), "data-key": ":all" };
      bar.append(
        this.#button("chip fold", attributes, labels.filters, () => {
          this.#isOpen = !this.#isOpen;
          this.#draw();
        }),
      );
    }
    if (isIdle || !this.#isOpen)
      for (const { name, choices } of groups)
        for (const choice of choices)
          if (this.#chosen.get(name)?.has(choice.key)) bar.append(this.#chip(name, choice, isIdle));
    if (this.#chosen.size > 0)
      bar.append(
        this.#button("chip more", { "data-key": ":clear" }, labels.clear, () => this.clear()),
      );
    return bar;
  }

  #group({ name, choices }: { name: string; choices: Choice[] }): HTMLElement {
    const open = this.#open.has(name);
    const chosen = this.#chosen.get(name);
    const shown = open
      ? choices
      : choices.filter(({ key }, i) => i < MAX_SHOWN || chosen?.has(key));
    const chips = shown.map((choice) => this.#chip(name, choice));
    const hidden = choices.length - shown.length;
    if (open ? choices.length > MAX_SHOWN : hidden > 0) chips.push(this.#moreChip(name, hidden));
    const text = nameText(name, this.#options.labels());
    return h(
      "div",
      { class: "facet", role: "group", "aria-label": text },
      h("b", { "aria-hidden": "true", dir: "auto" }, text),
      h("div", {}, ...chips),
    );
  }

  #chip(name: string, { key, label, count }: Choice, isIdle = false): HTMLButtonElement {
    const pressed = this.#chosen.get(name)?.has(key) ?? false;
    const { language } = this.#options.labels();
    const attributes = {
      part: "chip",
      "aria-pressed": String(pressed),
      "data-key": `${name}=${key}`,
    };
    const chip = this.#button("chip", attributes, "", () => this.#toggle(name, key));
    chip.append(h("span", { dir: "auto" }, label));
    if (!isIdle) chip.append(h("small", {}, count.toLocaleString(language) + this.#more));
    return chip;
  }

  /** Shows or hides the less frequent values of an attribute. */
  #moreChip(name: string, hidden: number): HTMLButtonElement {
    const labels = this.#options.labels();
    const open = this.#open.has(name);
    const text = open ? labels.fewerValues : plural(labels, labels.moreValues, hidden);
    const attributes = { "aria-expanded": String(open), "data-key": `${name}:more` };
    return this.#button("chip more", attributes, text, () => {
      if (!this.#open.delete(name)) this.#open.add(name);
      this.#draw();
    });
  }

  #button(
    name: string,
    attributes: Record<string, string>,
    text: string,
    click: () => void,
  ): HTMLButtonElement {
    const button = h("button", { type: "button", class: name, ...attributes }, text);
    button.addEventListener("click", click);
    return button;
  }

  #toggle(name: string, key: string): void {
    const chosen = this.#chosen.get(name) ?? new Set();
    if (!chosen.delete(key)) chosen.add(key);
    if (chosen.size > 0) this.#chosen.set(name, chosen);
    else this.#chosen.delete(name);
    // The chip changes at once, the counts with the next answer.
    this.#draw();
    this.#options.changed();
  }
}
