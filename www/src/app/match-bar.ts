/** How often the query's words occur, and buttons that go from one to the next. */

import { h } from "../ui/dom";

export class MatchBar {
  readonly element: HTMLElement;
  readonly #marks: HTMLElement[];
  readonly #count = h("span", { role: "status" });
  #at = -1;

  constructor(text: HTMLElement) {
    this.#marks = [...text.querySelectorAll("mark")];
    const previous = h("button", { type: "button", class: "button" }, "Previous match");
    const next = h("button", { type: "button", class: "button" }, "Next match");
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
    const n = this.#marks.length.toLocaleString("en");
    const matches = this.#marks.length === 1 ? "match" : "matches";
    this.#count.textContent =
      this.#at < 0 ? `${n} ${matches}` : `${this.#at + 1} of ${n} ${matches}`;
  }
}
