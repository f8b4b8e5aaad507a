/**
 * The filters beside the results, a group for each attribute. Values stay where they are while
 * their counts change.
 */

import type { Facet } from "../../engine-types";
import type { Description } from "../../types";
import { h, nameText, plural } from "../common";
import type { Locale } from "../locale";
import { bounds, type Control, controlOf, isBelow, rangeOf, valueName } from "./filters";

/** Values of an attribute that are shown before "more". */
const MAX_SHOWN = 8;

/** The page's services for the controls. */
export interface FilterControlsOptions {
  labels: () => Locale;
  chosen: (attribute: string) => string[];
  choose: (attribute: string, values: string[]) => void;
  /** The separator of levels, by attribute; only for attributes with levels. */
  trees: () => Map<string, string>;
}

/** The values of an attribute; values that were known earlier come first. */
type Counts = Map<string, number>;

export class FilterControls {
  readonly element = h("div", { class: "filters", part: "filters" });
  readonly #options: FilterControlsOptions;
  readonly #groups = new Map<string, Group>();

  constructor(options: FilterControlsOptions) {
    this.#options = options;
  }

  /** Shows new counts. `more` is "+" if they are lower bounds. */
  show(facets: Facet[], info: Description, more: string): void {
    for (const { name, values } of facets) {
      const attribute = info.attributes.find((known) => known.name === name);
      if (!attribute) continue;
      let group = this.#groups.get(name);
      if (!group) {
        group = groupFor(name, controlOf(attribute, this.#options.trees()), this.#options);
        this.#groups.set(name, group);
        this.element.append(group.element);
      }
      for (const value of group.counts.keys()) group.counts.set(value, 0);
      for (const [value, count] of values) group.counts.set(value, count);
      group.draw(more);
    }
  }

  /** Shows the current choice. */
  refresh(): void {
    for (const group of this.#groups.values()) group.draw();
  }
}

/** The filters of one attribute. */
abstract class Group {
  readonly element: HTMLElement;
  readonly counts: Counts = new Map();
  protected readonly control: Control;
  protected readonly name: string;
  protected readonly options: FilterControlsOptions;
  protected readonly body = h("div", { class: "values" });
  #more = "";

  constructor(name: string, control: Control, options: FilterControlsOptions) {
    this.name = name;
    this.control = control;
    this.options = options;
    this.element = h(
      "fieldset",
      { class: "group" },
      h("legend", {}, nameText(name, options.labels())),
      this.body,
    );
  }

  /** Shows the counts and the choice. */
  draw(more = this.#more): void {
    this.#more = more;
    // A value that all pages share does not offer a choice.
    this.element.hidden = this.counts.size < 2 && this.chosen().length === 0;
    this.update();
  }

  protected abstract update(): void;

  protected chosen(): string[] {
    return this.options.chosen(this.name);
  }

  protected choose(values: string[]): void {
    this.options.choose(this.name, values);
  }

  /** A checkbox with a text and a count. */
  protected checkbox(text: string): Checkbox {
    const input = h("input", { type: "checkbox" });
    const count = h("small");
    const label = h("label", { class: "value" }, input, h("span", { dir: "auto" }, text), count);
    return { label, input, count };
  }

  protected setCount({ label, count }: Checkbox, pages: number): void {
    const { language } = this.options.labels();
    count.textContent = pages.toLocaleString(language) + this.#more;
    label.classList.toggle("none", pages === 0);
  }
}

interface Checkbox {
  label: HTMLLabelElement;
  input: HTMLInputElement;
  count: HTMLElement;
}

function groupFor(name: string, control: Control, options: FilterControlsOptions): Group {
  if (control.type === "tree") return new Tree(name, control, options, control.separator);
  if (control.type === "range") return new Range(name, control, options, control.input);
  return new Values(name, control, options);
}

/** A checkbox for each value. */
class Values extends Group {
  readonly #boxes = new Map<string, Checkbox>();
  #isOpen = false;
  readonly #toggle = h("button", { type: "button", class: "toggle", "aria-expanded": "false" });

  constructor(name: string, control: Control, options: FilterControlsOptions) {
    super(name, control, options);
    this.#toggle.addEventListener("click", () => {
      this.#isOpen = !this.#isOpen;
      this.draw();
    });
    this.body.append(this.#toggle);
  }

  protected override update(): void {
    const labels = this.options.labels();
    const chosen = new Set(this.chosen());
    for (const value of chosen) if (!this.counts.has(value)) this.counts.set(value, 0);
    let shown = 0;
    for (const [value, count] of this.counts) {
      const box = this.#boxes.get(value) ?? this.#add(value);
      box.input.checked = chosen.has(value);
      this.setCount(box, count);
      box.label.hidden = !this.#isOpen && shown >= MAX_SHOWN && !chosen.has(value);
      if (!box.label.hidden) shown++;
    }
    const hidden = this.counts.size - shown;
    this.#toggle.hidden = !this.#isOpen && hidden === 0;
    this.#toggle.textContent = this.#isOpen
      ? labels.fewerValues
      : plural(labels, labels.moreValues, hidden);
    this.#toggle.ariaExpanded = String(this.#isOpen);
  }

  #add(value: string): Checkbox {
    const box = this.checkbox(valueName(this.name, value, this.control, this.options.labels()));
    box.input.addEventListener("change", () => {
      const others = this.chosen().filter((other) => other !== value);
      this.choose(box.input.checked ? [...others, value] : others);
    });
    this.#boxes.set(value, box);
    this.#toggle.before(box.label);
    return box;
  }
}

/** A part of a tree of values, with the parts below it. */
interface Branch extends Checkbox {
  list: HTMLUListElement;
  toggle: HTMLButtonElement;
}

/** Checkboxes for values and for the levels above them. */
class Tree extends Group {
  readonly #separator: string;
  readonly #branches = new Map<string, Branch>();
  readonly #root = h("ul");

  constructor(name: string, control: Control, options: FilterControlsOptions, separator: string) {
    super(name, control, options);
    this.#separator = separator;
    this.body.append(this.#root);
  }

  protected override update(): void {
    const chosen = this.chosen();
    for (const value of [...this.counts.keys(), ...chosen]) this.#branch(value);
    const sums = new Map<string, number>();
    for (const [value, count] of this.counts)
      for (const branch of this.#pathOf(value)) sums.set(branch, (sums.get(branch) ?? 0) + count);
    for (const [path, branch] of this.#branches) {
      branch.input.checked = chosen.includes(path);
      this.setCount(branch, sums.get(path) ?? 0);
      if (chosen.some((value) => value !== path && isBelow(value, path, this.#separator)))
        open(branch, true);
    }
  }

  /** A value and the levels above it, the highest first. */
  #pathOf(value: string): string[] {
    const parts = value.split(this.#separator);
    return parts.map((_, i) => parts.slice(0, i + 1).join(this.#separator));
  }

  #branch(path: string): Branch {
    const known = this.#branches.get(path);
    if (known) return known;
    const [parent] = this.#pathOf(path).slice(-2, -1);
    const name = parent === undefined ? path : path.slice(parent.length + this.#separator.length);
    const box = this.checkbox(name);
    box.input.addEventListener("change", () => {
      const { checked } = box.input;
      // A chosen branch replaces choices above it and below it.
      const others = this.chosen().filter(
        (value) => !isBelow(value, path, this.#separator) && !isBelow(path, value, this.#separator),
      );
      this.choose(checked ? [...others, path] : others);
    });
    const toggle = h("button", { type: "button", class: "branch", "aria-label": name });
    const branch: Branch = { ...box, toggle, list: h("ul") };
    toggle.addEventListener("click", () => open(branch, branch.list.hidden !== false));
    toggle.hidden = true;
    open(branch, false);
    this.#branches.set(path, branch);
    const item = h("li", {}, h("div", { class: "node" }, toggle, box.label), branch.list);
    if (parent === undefined) this.#root.append(item);
    else {
      const above = this.#branch(parent);
      above.toggle.hidden = false;
      above.list.append(item);
    }
    return branch;
  }
}

function open({ toggle, list }: Branch, isOpen: boolean): void {
  list.hidden = !isOpen;
  toggle.ariaExpanded = String(isOpen);
}

/** Two bounds of a number or a date. */
class Range extends Group {
  readonly #input: "number" | "date";
  readonly #from: HTMLInputElement;
  readonly #to: HTMLInputElement;

  constructor(
    name: string,
    control: Control,
    options: FilterControlsOptions,
    input: "number" | "date",
  ) {
    super(name, control, options);
    this.#input = input;
    this.#from = h("input", { type: input, step: "any" });
    this.#to = h("input", { type: input, step: "any" });
    const { from, to } = options.labels();
    this.body.classList.add("range");
    for (const [text, field] of [
      [from, this.#from],
      [to, this.#to],
    ] as const) {
      field.addEventListener("change", () =>
        this.choose(rangeOf(this.#from.value, this.#to.value)),
      );
      this.body.append(h("label", {}, h("span", {}, text), field));
    }
  }

  protected override update(): void {
    const values = [...this.counts.keys()];
    // Dates sort in the same order as their texts.
    if (this.#input === "date") values.sort();
    else values.sort((a, b) => Number(a) - Number(b));
    const [least, most] = [values[0], values.at(-1)];
    const [from, to] = bounds(this.chosen());
    for (const [field, value] of [
      [this.#from, from],
      [this.#to, to],
    ] as const) {
      // The text being typed stays.
      if (!field.matches(":focus")) field.value = value;
      field.min = least ?? "";
      field.max = most ?? "";
    }
    this.#from.placeholder = least ?? "";
    this.#to.placeholder = most ?? "";
  }
}
