/**
 * Text fragments: the end of an address that names a passage of the page, `#anchor:~:text=from,to`.
 * A browser that supports them scrolls to the passage and marks it. Other browsers need
 * `findling-highlight.js`.
 */

import type { Snippet } from "../engine-types";

/** A passage with more words is named by its first and last words. */
const MAX_WORDS = 10;
/** Number of words that name an end of a passage. */
const END_WORDS = 4;
/** A passage of fewer words may occur elsewhere on the page as well. */
const MIN_WORDS = 3;

/** Whether the browser itself finds the passage that a link names. */
export const knowsFragments = (): boolean => "fragmentDirective" in document;

/** `href` with the sentence that the snippet was chosen for. */
export function withPassage(href: string, { text, sentence: [start, end] }: Snippet): string {
  const words = text.slice(start, end).trim().split(/\s+/);
  if (words.length < MIN_WORDS) return href;
  const parts =
    words.length > MAX_WORDS ? [words.slice(0, END_WORDS), words.slice(-END_WORDS)] : [words];
  // A hyphen would separate a part from the text around the passage.
  const encode = (part: string[]) => encodeURIComponent(part.join(" ")).replaceAll("-", "%2D");
  return `${href}${href.includes("#") ? "" : "#"}:~:text=${parts.map(encode).join(",")}`;
}
