/** Notices about an answer: the words that were searched instead, and missing features. */

import type { FindlingIndex } from "../client";
import type { Notice } from "../engine-types";
import type { FindlingError } from "../errors";
import type { SearchResponse } from "../types";
import { h } from "./dom";
import { fill, type Labels } from "./labels";

/** The page about codes of errors. Each has an anchor there. */
const TROUBLESHOOTING =
  "https://github.com/findling-search/findling/blob/main/docs/troubleshooting.md";

/** The panel's services for the notices. */
export interface NoticesOptions {
  labels: () => Labels;
  index: () => FindlingIndex | undefined;
  /** Searches again. */
  again: () => void;
  /** Searches for the words as they are written. */
  verbatim: () => void;
}

/** Notices that repeat what the panel's meter or its suggestions show. */
const EXPECTED: ReadonlySet<string> = new Set([
  "encoder-missing",
  "encoder-loading",
  "vectors-missing",
  "not-semantic",
  "removed-all",
  "unknown-words",
  "query-unknown",
  "no-words",
  "options",
  "unknown-value",
  "not-a-value",
]);

/** Messages that were written to the console, each once. */
const told = new Set<string>();

export class Notices {
  readonly element = h("ul", { class: "notices", hidden: true });
  readonly corrected = h("div", { class: "corrected", hidden: true });
  readonly #options: NoticesOptions;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  show(response: SearchResponse, query: string): void {
    this.#showCorrections(response, query);
    const items = response.notices.flatMap((notice) => this.#item(notice, response) ?? []);
    this.element.replaceChildren(...items);
    this.element.hidden = items.length === 0;
  }

  hide(): void {
    this.element.hidden = this.corrected.hidden = true;
  }

  /**
   * A notice in words for readers, if there is something that a reader can do or must know. Notices
   * for the site's owner go to the console.
   */
  #item({ code, message }: Notice, { query }: SearchResponse): HTMLElement | undefined {
    const labels = this.#options.labels();
    const item = (...children: (HTMLElement | string)[]) =>
      h("li", { "data-code": code }, ...children);
    if (code === "encoder-postponed") return this.#loadMeaning(item());
    if (/^(query|vector)-truncated$/.test(code)) return item(labels.longQuery);
    if (code === "relaxed") {
      const { phrases, exclusions } = labels.without;
      return item(/(^|\s)-\S/.test(query) ? exclusions : phrases);
    }
    if (!EXPECTED.has(code)) tell("warn", `findling: ${code}: ${message}`);
    return undefined;
  }

  /** A button that loads a postponed encoder. */
  #loadMeaning(item: HTMLElement): HTMLElement | undefined {
    const labels = this.#options.labels();
    const index = this.#options.index();
    if (!index) return undefined;
    const megabytes = (index.encoderBytes / 1e6).toFixed(0);
    const load = h("button", { type: "button" }, fill(labels.loadMeaning, { megabytes }));
    load.addEventListener("click", () => {
      void index.ready("semantic").then(
        () => this.#options.again(),
        (error: FindlingError) => item.replaceChildren(reasonOf(error, labels)),
      );
    });
    item.append(load);
    return item;
  }

  /** Shows the corrections of words, and a button that searches for the words as written. */
  #showCorrections({ corrections }: SearchResponse, query: string): void {
    const labels = this.#options.labels();
    const words = corrections.flatMap(({ replacement }, i) => [
      i > 0 ? ", " : " ",
      h("strong", {}, replacement),
    ]);
    const asWritten = h("button", { type: "button" }, fill(labels.verbatim, { query }));
    asWritten.addEventListener("click", () => this.#options.verbatim());
    const text = h("span", { dir: "auto" }, labels.corrected, ...words);
    this.corrected.replaceChildren(text, asWritten);
    this.corrected.hidden = corrections.length === 0;
  }
}

/**
 * The reason why a search failed, in words for readers. The details go to the console. `filtered`:
 * the reader has chosen filters.
 */
export function reasonOf(error: FindlingError, labels: Labels, filtered = false): string {
  tell("error", `findling: ${error.code}: ${error.advice}\n${TROUBLESHOOTING}#${error.code}`);
  // An address, such as that of an old link, may have a filter that the site does not have.
  if (filtered && /^(filter|unknown-attribute)$/.test(error.code)) return labels.noneFiltered;
  return error.code === "network" || !navigator.onLine ? labels.offline : labels.broken;
}

/** Writes to the console what a site's owner needs to know. */
function tell(how: "warn" | "error", text: string): void {
  if (!told.has(text)) console[how](text);
  told.add(text);
}
