/** The number of matches of the query's words, and buttons that go from one match to the next. */

import { h } from "../ui/dom";
import { say, texts } from "./language";
import { number } from "./time";

export class MatchBar {
  readonly element: HTMLElement;
  readonly #marks: HTMLElement[];
  readonly #count = h("span", { role: "status" });
  #at = -1;

  constructor(text: HTMLElement) {
    this.#marks = [...text.querySelectorAll("mark")];
    const previous = button("\u2191", texts().previousMatch);
    const next = button("\u2193", texts().nextMatch);
    previous.addEventListener("click", () => this.#go(-1));
    next.addEventListener("click", () => this.#go(1));
    this.element = h("div", { class: "matches row" }, this.#count, previous, next);
    this.element.hidden = this.#marks.length === 0;
    this.#say();
  }

  /** Goes to the first match. */
  first(): void {
    if (this.#marks.length > 0) this.#go(1);
  }

  #go(by: number): void {
    const n = this.#marks.length;
    this.#marks[this.#at]?.classList.remove("current");
    this.#at = this.#at < 0 && by < 0 ? n - 1 : (this.#at + by + n) % n;
    const mark = this.#marks[this.#at];
    mark?.classList.add("current");
    mark?.scrollIntoView({ block: "center" });
    this.#say();
  }

  #say(): void {
    const all = number(this.#marks.length);
    const n = this.#at < 0 ? all : `${number(this.#at + 1)} / ${all}`;
    this.#count.textContent = say("matches", { n });
  }
}

/** A button with a sign, which fits on a phone in every language. */
const button = (sign: string, label: string) =>
  h("button", { type: "button", class: "button", title: label, "aria-label": label }, sign);
