/** Events that an element sends to the page: searches, choices, searches without a result. */

import type { PageResult, SearchResponse, SectionResult } from "../types";
import { h } from "./dom";

/** The detail of `findling-select`. */
export interface Selection {
  href: string;
  page: PageResult;
  section: SectionResult | undefined;
  /** The row of the page in the list, from 1. */
  position?: number;
}

/** The detail of `findling-settled`: one search that a reader completed, and how it ended. */
export interface Settled {
  query: string;
  /** The reader paused, left the search, or chose a result. */
  reason: "pause" | "close" | "select";
  mode: string;
  /** Pages that matched. */
  pages: number;
  /** See `answerable` of the response. */
  answerable: number | null;
  /** Milliseconds from the search to its answer. */
  ms: number;
  /** The address that was chosen; `null` without a choice. */
  href: string | null;
  /** The row that was chosen, from 1; `null` without a choice. */
  position: number | null;
  /** Whether words were corrected. */
  corrected: boolean;
}

/** The events of elements, by name. */
export interface FindlingEvents {
  /** A search was answered. */
  "findling-search": CustomEvent<SearchResponse>;
  /** A search was answered, and nothing was found. */
  "findling-empty": CustomEvent<SearchResponse>;
  /** A result was chosen; `preventDefault()` leaves navigation to the site. */
  "findling-select": CustomEvent<Selection>;
  /**
   * A reader completed a search: sent once for each search, when the reader pauses, chooses or
   * leaves.
   */
  "findling-settled": CustomEvent<Settled>;
}

declare global {
  // They bubble, so that the document and the window hear them too.
  interface GlobalEventHandlersEventMap extends FindlingEvents {}
}

/**
 * Dispatches an event of an element; returns whether the element should perform the default action.
 */
export function dispatch<Name extends keyof FindlingEvents>(
  element: HTMLElement,
  name: Name,
  detail: FindlingEvents[Name]["detail"],
): boolean {
  return element.dispatchEvent(
    new CustomEvent(name, { detail, cancelable: true, bubbles: true, composed: true }),
  );
}

/** Whether a better answer, by meaning, follows when the encoder has loaded. */
const isUpgraded = ({ encoder, notices }: SearchResponse) =>
  encoder === null && notices.some(({ code }) => code === "encoder-loading");

/** Reports an answer. `isWhole`: the answer is complete. */
export function tell(element: HTMLElement, response: SearchResponse, isWhole: boolean): void {
  dispatch(element, "findling-search", response);
  if (isWhole && response.total.pages === 0 && !isUpgraded(response))
    dispatch(element, "findling-empty", response);
}

/** Reports a chosen result, and goes there unless the site does. `passage`: the place in it. */
export function choose(element: HTMLElement, selection: Selection, passage = selection.href): void {
  if (dispatch(element, "findling-select", selection)) follow(selection.href, passage);
}

/**
 * Goes to an address by a click on a link of the page, which routers of sites notice. They do not
 * see the links in a shadow root. If no router handles the click, the browser goes to the passage;
 * routers would mistake that address for an anchor.
 */
export function follow(href: string, passage: string): void {
  const link = h("a", { href, hidden: true });
  const last = (event: Event) => {
    if (!event.defaultPrevented) link.href = passage;
  };
  addEventListener("click", last, { once: true });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Whether a click or a key asks for another tab or window, which the browser opens. */
export const isModified = (event: MouseEvent | KeyboardEvent): boolean =>
  event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
