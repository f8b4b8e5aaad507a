/** Messages instead of results: a hint, nothing found, or an error. */

import type { Suggestion } from "../engine-types";
import type { FindlingError } from "../errors";
import { h } from "./dom";
import { fill, type Labels, plural } from "./labels";
import { reasonOf } from "./notices";

/** A suggestion of the engine, or a query that the site suggests. */
export type Suggested = Pick<Suggestion, "query"> & Partial<Suggestion>;

/** The actions of the buttons. */
export interface StateViewOptions {
  labels: () => Labels;
  retry: () => void;
  clearFilters: () => void;
  /** Searches with a suggestion instead of the query. */
  suggest: (suggestion: Suggested) => void;
  /** Returns the keyboard to the box. */
  focus: () => void;
}

export class StateView {
  readonly element = h("div", { class: "state" });
  readonly #options: StateViewOptions;

  constructor(options: StateViewOptions) {
    this.#options = options;
  }

  hide(): void {
    this.element.hidden = true;
  }

  /**
   * The message before anything is typed. `pages` is known once the bundle is open; `queries` are
   * suggested by the site.
   */
  showHint(pages: number | undefined, queries: string[]): void {
    const labels = this.#options.labels();
    const count = pages === undefined ? [] : [plural(labels, labels.pages, pages)];
    this.#show("state", [labels.search, ...count].join(" \u00B7 "));
    this.element.append(
      h("p", {}, labels.idleHint),
      ...queries.map((query) => this.#button(query, () => this.#options.suggest({ query }))),
    );
  }

  /** Nothing was found. */
  showNone(query: string, filtered: boolean, suggestions: Suggestion[]): void {
    const labels = this.#options.labels();
    this.#show("state", fill(labels.none, { query }));
    // A button below clears the filters.
    const others = suggestions.filter(({ kind }) => !filtered || kind !== "filter");
    if (others.length > 0) {
      const buttons = others.map((suggestion) => this.#suggestion(suggestion));
      this.element.append(
        h("p", {}, labels.suggested),
        h("div", { class: "suggestions" }, ...buttons),
      );
    } else {
      this.element.append(h("p", {}, filtered ? labels.noneFiltered : labels.noneHint));
    }
    if (filtered) this.element.append(this.#button(labels.clear, this.#options.clearFilters));
  }

  /** An answer takes long. */
  showSearching(): void {
    this.#show("state searching", this.#options.labels().searching);
  }

  /**
   * Shows that the search failed; returns the reason, in words for readers. `filtered`: the reader
   * has chosen filters.
   */
  showError(error: FindlingError, filtered: boolean): string {
    const labels = this.#options.labels();
    const reason = reasonOf(error, labels, filtered);
    this.#show("state error", labels.failed);
    this.element.dataset["code"] = error.code;
    this.element.append(h("p", {}, reason), this.#button(labels.retry, this.#options.retry));
    return reason;
  }

  #show(className: string, title: string): void {
    this.element.className = className;
    delete this.element.dataset["code"];
    this.element.hidden = false;
    this.element.replaceChildren(h("h2", {}, title));
  }

  #suggestion(suggestion: Suggestion): HTMLButtonElement {
    const labels = this.#options.labels();
    const { kind, what, query, pages } = suggestion;
    const without: Partial<Record<string, string>> = labels.without;
    const label = fill(without[kind] ?? query, { attribute: what });
    const button = this.#button(label, () => this.#options.suggest(suggestion));
    button.dataset["kind"] = kind;
    button.append(" ", h("small", {}, plural(labels, labels.pages, pages)));
    return button;
  }

  #button(label: string, click: () => void): HTMLButtonElement {
    const button = h("button", { type: "button", class: "button" }, label);
    button.addEventListener("click", () => {
      click();
      this.#options.focus();
    });
    return button;
  }
}
