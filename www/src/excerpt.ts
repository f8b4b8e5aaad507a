/** A stretch of a section's text that can be widened, as in `build/src/passages/excerpt.rs`. */

import type { DocumentSection } from "./engine-types";
import { estimate } from "./token-estimate";

/** A range in a text: start and end. */
type Range = [number, number];

/**
 * A stretch of a section's text that can be widened, without blank lines and white space at its
 * ends. The indentation of its first line stays.
 */
export class Excerpt {
  readonly #text: string;
  readonly #passages: readonly Range[];
  #range: Range = [0, 0];
  #tokens = 0;

  /** The snippet, or the first passage if the section does not have the snippet. */
  constructor(section: Pick<DocumentSection, "text" | "passages">, snippet: string) {
    this.#text = section.text;
    this.#passages = section.passages;
    const at = snippet === "" ? -1 : section.text.indexOf(snippet);
    const range: Range = at < 0 ? (section.passages[0] ?? [0, 0]) : [at, at + snippet.length];
    this.#range = trimmed(this.#text, range);
    this.#tokens = estimate(this.text);
  }

  get text(): string {
    return this.#text.slice(...this.#range);
  }

  /** The tokens of the text. */
  get tokens(): number {
    return this.#tokens;
  }

  get isWhole(): boolean {
    const [start, end] = this.#range;
    return `${this.#text.slice(0, start)}${this.#text.slice(end)}`.trim() === "";
  }

  /** Widens it to the passages that it touches, if that fits. Returns the tokens left. */
  toPassages(left: number): number {
    let [start, end] = this.#range;
    for (const [first, last] of this.#passages) {
      if (first >= this.#range[1] || last <= this.#range[0]) continue;
      [start, end] = [Math.min(start, first), Math.max(end, last)];
    }
    return this.#widen([start, end], left);
  }

  /** Widens it to the whole section, if that fits. */
  toSection(left: number): number {
    return this.#widen([0, this.#text.length], left);
  }

  /** Adds the passages after and before it, alternately, as long as they fit. */
  toNeighbours(tokens: number): number {
    for (let left = tokens; ; ) {
      const before = left;
      const next = this.#passages.find(([start]) => start >= this.#range[1]);
      if (next) left = this.#widen([this.#range[0], next[1]], left);
      const last = this.#passages.findLast(([, end]) => end <= this.#range[0]);
      if (last) left = this.#widen([last[0], this.#range[1]], left);
      if (left === before) return left;
    }
  }

  #widen(range: Range, left: number): number {
    const wide = trimmed(this.#text, range);
    // Counting stops when a text does not fit.
    const most = this.#tokens + left;
    const tokens = estimate(this.#text.slice(...wide), most);
    if (tokens > most) return left;
    const added = Math.max(tokens - this.#tokens, 0);
    [this.#range, this.#tokens] = [wide, tokens];
    return left - added;
  }
}

/** A range without the white space at its ends, but with the indentation of its first line. */
function trimmed(of: string, [start, end]: Range): Range {
  const text = of.slice(start, end);
  const from = start + (text.length - text.trimStart().length);
  const to = from + text.trim().length;
  let lead = from;
  while (lead > 0 && (of[lead - 1] === " " || of[lead - 1] === "\t")) lead--;
  return [lead === 0 || of[lead - 1] === "\n" ? lead : from, to];
}
