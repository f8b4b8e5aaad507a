/**
 * The words of a query and of a page's content, and the positions of a query's words in a content.
 */

import type { StoredFragment, WeightedLocation } from "./types";

/** A mark between words in languages without spaces. */
const WORD_BORDER = "\u200B";

/** Shortest term that a longer word may begin with; a shorter one must be the whole word. */
const MIN_STEM = 3;

/** The words of a content, in the order by which anchors and locations count them. */
export function wordsOf(content: string): { words: string[]; joiner: string } {
  return content.includes(WORD_BORDER)
    ? { words: content.split(WORD_BORDER), joiner: "" }
    : { words: content.split(/[^\S\uFEFF]+/), joiner: " " };
}

/** The words of a query without punctuation, in lower case. */
export function queryWords(query: string): string[] {
  return query
    .toLowerCase()
    .replace(/\p{P}/gu, "")
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** A word as it is compared: letters and digits in lower case, without accents. */
function folded(word: string): string {
  return word
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{Extended_Pictographic}]/gu, "");
}

/** The parts of a compound such as `image.png`, `HashMap`, with accents; empty for other words. */
function partsOf(word: string): string[] {
  const parts = word
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((part) => folded(part).length > 1);
  return parts.length > 1 ? parts : [];
}

/** A term of the query, and the word or part of a word that contains it. */
export interface Match {
  term: string;
  text: string;
}

/** A position in a content with terms of the query; several terms if it is a compound. */
export interface Occurrence {
  location: number;
  /** The effective weight: for a compound, the share of the parts that were found. */
  weight: number;
  /** The weight of the whole word. */
  full: number;
  matched: Match[];
}

/** Words to look for: stems and completions as the engine looked them up. */
export class Terms {
  readonly #terms: string[];
  readonly #typed: string[];

  /** `typed` are the words of the query. */
  constructor(terms: readonly string[], typed: readonly string[]) {
    this.#terms = [...new Set(terms.map(folded))].filter((term) => term !== "");
    this.#typed = [...this.#terms, ...typed.map(folded)].filter((term) => term !== "");
  }

  /** The longest term that a word has, as its beginning or as a whole; `undefined` if none. */
  match(word: string): string | undefined {
    let best: string | undefined;
    for (const term of this.#terms) {
      if (begins(word, term) && term.length > (best?.length ?? 0)) best = term;
    }
    return best;
  }

  /**
   * Returns the number of characters by which a term is longer than the typed one, with which a
   * completion begins.
   */
  excess(term: string): number {
    const typed = this.#typed.filter((other) => term.startsWith(other));
    return term.length - Math.min(...typed.map(({ length }) => length));
  }

  /** The words of a text that have terms. */
  matchesIn(text: string): Match[] {
    return wordsOf(text).words.flatMap((word) => {
      const whole = folded(word);
      const term = whole === "" ? undefined : this.match(whole);
      return term === undefined ? this.#matchesOf(partsOf(word)) : [{ term, text: word }];
    });
  }

  #matchesOf(parts: readonly string[]): Match[] {
    return parts.flatMap((text) => {
      const term = this.match(folded(text));
      return term === undefined ? [] : [{ term, text }];
    });
  }

  /** The positions of the terms in a page. */
  locate(fragment: StoredFragment): WeightedLocation[] {
    return this.occurrences(fragment).map(({ location, weight, matched }) =>
      weighted(
        location,
        weight,
        matched.map(({ term }) => this.excess(term)),
      ),
    );
  }

  /** The positions together with the terms. */
  occurrences(fragment: StoredFragment): Occurrence[] {
    const { words, joiner } = wordsOf(fragment.content);
    if (joiner === "") return this.#occurrencesUnspaced(fragment, words);
    const found: Occurrence[] = [];
    for (const [location, word] of words.entries()) {
      const whole = folded(word);
      const full = weightAt(fragment, location);
      const term = whole === "" ? undefined : this.match(whole);
      if (term !== undefined)
        found.push({ location, weight: full, full, matched: [{ term, text: word }] });
      const parts = partsOf(word);
      const matched = this.#matchesOf(parts);
      if (matched.length === 0) continue;
      const weight = (full * matched.length) / parts.length;
      // A compound that begins with the query also has it as a part. Then the parts count.
      if (term !== undefined && weight <= full) found.pop();
      if (term === undefined || weight <= full) found.push({ location, weight, full, matched });
    }
    return found;
  }

  /** The same for text whose words are single characters: terms cover several of them. */
  #occurrencesUnspaced(fragment: StoredFragment, words: string[]): Occurrence[] {
    const found = new Map<number, Occurrence>();
    const text = words.map((word) => folded(word));
    for (const [location, first] of text.entries()) {
      if (first === "") continue;
      let joined = "";
      for (let end = location; end < text.length && joined.length < 24; end += 1) {
        joined += text[end];
        if (!this.#terms.includes(joined)) continue;
        const matched = [{ term: joined, text: joined }];
        for (let at = location; at <= end; at += 1) {
          const weight = weightAt(fragment, at);
          found.set(at, { location: at, weight, full: weight, matched });
        }
      }
    }
    return [...found.values()].sort((a, b) => a.location - b.location);
  }
}

function begins(word: string, term: string): boolean {
  if (word === term) return true;
  if (term.length < MIN_STEM) return false;
  // Stemmers write `i` for a final `y`: the stem of `happy` is `happi`.
  return word.startsWith(term) || (term.endsWith("i") && word === `${term.slice(0, -1)}y`);
}

function weightAt(fragment: StoredFragment, location: number): number {
  for (const [start, end, weight] of fragment.weights ?? [])
    if (start <= location && location < end) return weight;
  return 1;
}

/** Pagefind counts weights in 24ths. */
const WEIGHT_UNIT = 24;

/**
 * `excesses`: for each found term, the number of characters by which it is longer than the typed
 * one.
 */
function weighted(location: number, weight: number, excesses: number[]): WeightedLocation {
  const closeness = excesses.reduce(
    (sum, excess) => sum + Math.exp(Math.exp(-((excess + 1) ** 2) / 8) - 1),
    0,
  );
  return { weight, balanced_score: (weight * WEIGHT_UNIT) ** 2 * closeness, location };
}
