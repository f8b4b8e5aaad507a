/** Reports each search that a reader completed to the page, once. */

import type { SearchResponse } from "../types";
import { dispatch, type Selection, type Settled } from "./selection";

/** Milliseconds without a key after an answer, after which a search counts as completed. */
const PAUSE = 1500;

/** Follows the searches in one element, to find the completed ones. */
export class SettledSearches {
  readonly #element: HTMLElement;
  #response: SearchResponse | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** The query that was reported last, and the result that was chosen from its answer. */
  #told = "";

  constructor(element: HTMLElement) {
    this.#element = element;
    // A reader may leave the page by the browser's own means.
    addEventListener("pagehide", () => this.settle("close"));
  }

  /** A search was answered completely. */
  answered(response: SearchResponse): void {
    this.#response = response;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.settle("pause"), PAUSE);
  }

  /** The reader continues typing: the previous search was not completed. */
  typed(): void {
    clearTimeout(this.#pause);
    this.#response = undefined;
  }

  /** A result was chosen, perhaps from a search that was reported when the reader paused. */
  chosen({ href, position = 0 }: Selection): void {
    this.settle("select", { href, position });
  }

  /**
   * Reports that the search has ended. Each query is reported once, and once more when a result is
   * chosen.
   */
  settle(reason: Settled["reason"], choice?: { href: string; position: number }): void {
    clearTimeout(this.#pause);
    const response = this.#response;
    if (!response || response.query.trim() === "") return;
    const { query, mode, total, answerable, stats, corrections } = response;
    if (query === this.#told && reason !== "select") return;
    this.#told = query;
    const detail: Settled = {
      query,
      reason,
      mode,
      pages: total.pages,
      answerable,
      ms: Math.round(stats.ms.total),
      href: choice?.href ?? null,
      position: choice?.position ?? null,
      corrected: corrections.length > 0,
    };
    if (reason !== "pause") this.#response = undefined;
    dispatch(this.#element, "findling-settled", detail);
  }
}
