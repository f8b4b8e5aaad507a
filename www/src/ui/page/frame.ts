/** The frame of a results page: the box, the filters, the summary, the results. */

import { h, icon, MAGNIFIER, searchField } from "../common";
import type { Locale } from "../locale";

/** Milliseconds after which a slow search is indicated. */
const SLOW = 150;

/** The parts of the frame, and the handlers of a reader's actions. */
export interface FrameParts {
  filters: HTMLElement;
  results: HTMLElement;
  state: HTMLElement;
  /** The corrections of words. */
  corrected: HTMLElement;
  /** Other notices about an answer. */
  notices: HTMLElement;
  typed: () => void;
  submitted: () => void;
  sorted: (sort: string) => void;
  grouped: (bySection: boolean) => void;
  more: () => void;
}

export class Frame {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  /** Whether a word is being composed; there are no results for it yet. */
  isComposing = false;
  /** The number of found pages. */
  readonly summary = h("h2", { class: "summary", tabindex: -1, dir: "auto" });
  readonly chips: HTMLElement;
  readonly more: HTMLButtonElement;
  /** Links to pages of results. */
  readonly pages: HTMLElement;
  readonly #status = h("div", { class: "sr", role: "status" });
  readonly #sort: HTMLSelectElement;
  readonly #group: HTMLSelectElement;
  readonly #tools: HTMLElement;
  readonly #skeleton = h("div", { class: "skeleton", "aria-hidden": "true" });
  #slow: ReturnType<typeof setTimeout> | undefined;

  constructor(labels: Locale, placeholder: string, parts: FrameParts) {
    this.input = searchField(placeholder, labels, { name: "q", enterkeyhint: "search" });
    const typed = (isComposing: boolean) => {
      this.isComposing = isComposing;
      parts.typed();
    };
    this.input.addEventListener("input", (event) => typed((event as InputEvent).isComposing));
    this.input.addEventListener("compositionend", () => typed(false));
    const form = h("form", { class: "bar", role: "search", "aria-label": labels.search });
    form.append(icon(MAGNIFIER, 20), this.input, h("div", { class: "busy" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      parts.submitted();
    });
    // It has its height before the bundle says which orders there are.
    this.#sort = h("select", {}, h("option", { value: "" }, labels.relevance));
    this.#sort.addEventListener("change", () => parts.sorted(this.#sort.value));
    this.#group = h(
      "select",
      {},
      h("option", { value: "page" }, labels.byPage),
      h("option", { value: "section" }, labels.bySection),
    );
    this.#group.addEventListener("change", () => parts.grouped(this.#group.value === "section"));
    this.#tools = h(
      "div",
      { class: "tools" },
      h("label", {}, h("span", {}, labels.sort), this.#sort),
      h("label", {}, h("span", {}, labels.group), this.#group),
    );
    this.chips = h("div", { class: "chips", role: "group", "aria-label": labels.filters });
    this.more = h("button", { type: "button", class: "button", hidden: true }, labels.more);
    this.more.addEventListener("click", parts.more);
    this.pages = h("nav", { class: "pages", "aria-label": labels.pagination, hidden: true });
    for (let i = 0; i < 3; i++) this.#skeleton.append(h("div", {}, h("i"), h("i"), h("i")));
    const side = h("details", { class: "side" }, h("summary", {}, labels.filters), parts.filters);
    openWhereWide(side);
    this.element = h(
      "div",
      { class: "results-page", part: "page" },
      form,
      h(
        "div",
        { class: "columns" },
        side,
        h(
          "section",
          { class: "main", "aria-label": labels.results },
          h("div", { class: "head" }, this.summary, this.#tools),
          this.chips,
          parts.corrected,
          parts.notices,
          this.#skeleton,
          parts.results,
          parts.state,
          this.more,
          this.pages,
        ),
      ),
      this.#status,
    );
  }

  /** Shows that a search is running; if no results are shown yet, only after a while. */
  setBusy(busy: boolean): void {
    clearTimeout(this.#slow);
    this.element.ariaBusy = String(busy);
    if (busy) {
      this.#slow = setTimeout(() => this.element.classList.add("slow", "waiting"), SLOW);
    } else {
      this.element.classList.remove("slow", "waiting");
      this.element.classList.add("answered");
    }
  }

  /** Moves the focus when the focused element is gone: to the summary, or else to the box. */
  focus(): void {
    (this.summary.hidden ? this.input : this.summary).focus();
  }

  /** Shows and announces the number of found pages. */
  setSummary(text: string, found: boolean): void {
    const hadFocus = this.summary.matches(":focus");
    this.summary.textContent = found ? text : "";
    this.summary.hidden = !found;
    this.#tools.hidden = !found;
    if (hadFocus) this.focus();
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  setOrders(orders: [string, string][], chosen: string): void {
    const options = orders.map(([value, label]) => h("option", { value }, label));
    this.#sort.replaceChildren(...options);
    this.#sort.value = orders.some(([value]) => value === chosen) ? chosen : "";
  }

  setGroup(bySection: boolean): void {
    this.#group.value = bySection ? "section" : "page";
  }
}

/** Filters are open beside the results, and closed above them if there is no room beside. */
function openWhereWide(side: HTMLDetailsElement): void {
  let wide: boolean | undefined;
  new ResizeObserver(() => {
    const now = getComputedStyle(side).getPropertyValue("--_beside").trim() === "1";
    if (now !== wide) side.open = now;
    wide = now;
  }).observe(side);
}
