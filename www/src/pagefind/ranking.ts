/**
 * Pagefind's formula for the score of a page: BM25 over the words of its content by their weights,
 * and a part for the words in its metadata.
 *
 * Findling ranks by its own parameters. This formula ranks the first results for sites that set the
 * option `ranking`.
 */

import { sameAccents } from "./accents";
import type { RankingOptions, StoredFragment } from "./types";
import type { Terms } from "./words";

/** The default options. */
export const DEFAULT_RANKING: Required<RankingOptions> = {
  termFrequency: 1,
  termSimilarity: 1,
  pageLength: 0.75,
  termSaturation: 1.4,
  diacriticSimilarity: 0.8,
  metaWeights: { title: 5 },
};

/** Metadata that is shown but not searched. */
const NOT_SEARCHED = new Set(["image", "image_alt", "url"]);

/** The inputs of a score other than the page. */
export interface Statistics {
  /** The words typed. */
  words: readonly string[];
  /** The inverse document frequency of each word typed. */
  idf: readonly number[];
  /** The mean number of words of a page. */
  meanWords: number;
}

/** The score of a page. */
export function pagefindScore(
  fragment: StoredFragment,
  terms: Terms,
  { words, idf, meanWords }: Statistics,
  given: RankingOptions,
): number {
  const ranking = { ...DEFAULT_RANKING, ...given };
  const metaWeights = { ...DEFAULT_RANKING.metaWeights, ...given.metaWeights };
  const found = new Map<string, { weight: number; isExact: boolean }>();
  for (const { weight, matched } of terms.occurrences(fragment)) {
    for (const { term, text } of distinct(matched, words)) {
      const isExact = sameAccents(text, words[typedAs(term, words)] ?? "");
      const known = found.get(term);
      if (known) {
        known.weight += weight;
        known.isExact ||= isExact;
      } else found.set(term, { weight, isExact });
    }
  }
  let score = 0;
  for (const [term, { weight, isExact }] of found) {
    const counted = weight * similarity(terms.excess(term), ranking.termSimilarity);
    const bonus = isExact ? 1 + ranking.diacriticSimilarity : 1;
    const frequency = saturated(counted, fragment.word_count, meanWords, ranking);
    score += (idf[typedAs(term, words)] ?? 1) * frequency * bonus;
  }
  return score + metaScore(fragment, terms, words, idf, metaWeights);
}

/** For each typed word, keeps one of several parts of a compound. */
function distinct<T extends { term: string }>(matched: readonly T[], words: readonly string[]) {
  return [...new Map(matched.map((one) => [typedAs(one.term, words), one])).values()];
}

/** The number of the typed word for which a term was looked up: the most similar one. */
export function typedAs(term: string, words: readonly string[]): number {
  const common = words.map((word) => {
    let length = 0;
    while (length < term.length && term[length] === word[length]) length += 1;
    return length;
  });
  return Math.max(0, common.indexOf(Math.max(...common)));
}

/** The weight, at most 1, of a word that is `excess` letters longer than the typed one. */
function similarity(excess: number, strength: number): number {
  return Math.exp(strength * (Math.exp(-((excess + 1) ** 2) / 8) - 1));
}

function saturated(
  weight: number,
  length: number,
  meanLength: number,
  { termSaturation: k, pageLength: b, termFrequency }: Required<RankingOptions>,
): number {
  const bm25 = ((k + 1) * weight) / (k * (1 - b + (b * length) / meanLength) + weight);
  const counted = Math.min((weight * 5) / meanLength, k + 1);
  return (1 - termFrequency) * counted + termFrequency * (Number.isNaN(bm25) ? 0 : bm25);
}

function metaScore(
  { meta }: StoredFragment,
  terms: Terms,
  words: readonly string[],
  idf: readonly number[],
  weights: Record<string, number>,
): number {
  const all = idf.reduce((sum, value) => sum + value, 0);
  let score = 0;
  for (const [name, text] of Object.entries(meta)) {
    if (NOT_SEARCHED.has(name) || all <= 0) continue;
    const typed = new Set(terms.matchesIn(text).map(({ term }) => typedAs(term, words)));
    const matched = [...typed].reduce((sum, at) => sum + (idf[at] ?? 0), 0);
    score += (weights[name] ?? 1) * matched * (matched / all) ** 2;
  }
  return score;
}
