/** Excerpts of a page's content. */

import type { WeightedLocation } from "./types";
import { wordsOf } from "./words";

/** A part of a content: from word `from` to before word `to`. */
export interface Range {
  from: number;
  to: number;
}

/** An excerpt, with and without marks. */
export interface Excerpt {
  excerpt: string;
  plain_excerpt: string;
}

/** `<` and `>` as entities: excerpts are HTML, and the text of a page is not. */
export function escaped(text: string): string {
  return text.replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/**
 * The excerpt of `length` words with the largest sum of scores inside `range`. Among equal ones,
 * the middle one is chosen, so that the found words have text on both sides.
 *
 * `content` is escaped.
 */
export function excerptOf(
  content: string,
  found: readonly WeightedLocation[],
  length: number,
  ellipsis: string,
  range?: Range,
): Excerpt {
  const { words, joiner } = wordsOf(content);
  const first = range?.from ?? 0;
  const end = Math.min(range?.to ?? words.length, words.length);
  const shown = Math.min(length, end - first);
  const start = Math.max(first, Math.min(densest(found, first, length), end - shown));
  const before = ellipsis !== "" && start > first ? `${ellipsis}${joiner}` : "";
  const after = ellipsis !== "" && start + shown < end ? `${joiner}${ellipsis}` : "";
  const marked = new Set(found.map(({ location }) => location));
  const text = (mark: boolean) =>
    words
      .slice(start, start + shown)
      .map((word, at) => (mark && marked.has(start + at) ? `<mark>${word}</mark>` : word))
      .join(joiner)
      .trim();
  return {
    excerpt: before + text(true) + after,
    plain_excerpt: before + text(false) + after,
  };
}

/** The first word of the densest stretch of `length` words at or after word `first`. */
function densest(found: readonly WeightedLocation[], first: number, length: number): number {
  const scores: number[] = [];
  for (const { location, balanced_score } of found) {
    const at = location - first;
    if (at >= 0) scores[at] = (scores[at] ?? 0) + balanced_score;
  }
  if (scores.length <= length) return first;
  let sum = 0;
  for (let at = 0; at < length; at += 1) sum += scores[at] ?? 0;
  let best = sum;
  let starts = [0];
  for (let at = 0; at < scores.length; at += 1) {
    sum += (scores[at + length] ?? 0) - (scores[at] ?? 0);
    if (sum > best) {
      best = sum;
      starts = [at];
    } else if (sum === best && starts.at(-1) === at - 1) {
      starts.push(at);
    }
  }
  return first + starts[Math.floor(starts.length / 2)]!;
}
