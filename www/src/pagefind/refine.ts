/**
 * Refinements of the first results that the engine does not offer: lighter words, accents,
 * `ranking`.
 */

import type { PageResult } from "../types";
import { sameAccents } from "./accents";
import type { FragmentStore } from "./fragment";
import { DEFAULT_RANKING, pagefindScore, typedAs } from "./ranking";
import type { RankingOptions, StoredFragment } from "./types";
import type { Match, Terms } from "./words";

/** A result with the score that orders it. */
export interface Ranked {
  hit: PageResult;
  score: number;
}

/** Facts about the query of a search. */
export interface Asked {
  /** Terms looked up. */
  terms: Terms;
  /** The words typed. */
  words: readonly string[];
  fragments: FragmentStore;
  /** The mean number of words of a page. */
  meanWords: number;
}

/**
 * Suffix of the ids of pages that have words with a weight below 1, which the index counts as 1.
 */
const LIGHT = "_light";

/** Orders results by the option `ranking`, or else by the engine's scores, corrected. */
export async function refined(
  hits: readonly PageResult[],
  asked: Asked,
  ranking: RankingOptions | undefined,
): Promise<Ranked[]> {
  if (asked.words.length === 0) return hits.map((hit) => ({ hit, score: hit.score }));
  const scores = ranking
    ? await scoresBy(ranking, hits, asked)
    : await Promise.all(
        hits.map(
          async (hit) => hit.score * accentShare(hit, asked) * (await lightShare(hit, asked)),
        ),
      );
  return hits
    .map((hit, at) => ({ hit, score: scores[at]!, excess: leastExcess(hit, asked.terms) }))
    .sort((one, other) => other.score - one.score || one.excess - other.excess)
    .map(({ hit, score }) => ({ hit, score }));
}

/**
 * Returns the number of letters by which the found word is longer than the typed one. It breaks
 * ties between scores.
 */
function leastExcess(hit: PageResult, terms: Terms): number {
  const found = visible(hit, terms).map(({ term }) => terms.excess(term));
  return found.length === 0 ? 0 : Math.min(...found);
}

/** The results that have the words with the typed accents. */
export async function withSameAccents(
  hits: readonly PageResult[],
  asked: Asked,
): Promise<PageResult[]> {
  const same = await Promise.all(
    hits.map(async (hit) => {
      // For most pages, the text in the result shows this, so that few pages have to be loaded.
      if (hasAll(visible(hit, asked.terms), asked.words)) return true;
      return hasAll(matchesOf(await asked.fragments.load(hit.id), asked.terms), asked.words);
    }),
  );
  return hits.filter((_, at) => same[at]);
}

function hasAll(matches: readonly Match[], words: readonly string[]): boolean {
  return words.every((word, at) =>
    matches.some(({ term, text }) => typedAs(term, words) === at && sameAccents(text, word)),
  );
}

function matchesOf({ meta, ...fragment }: StoredFragment, terms: Terms): Match[] {
  const found = terms.occurrences({ meta, ...fragment }).flatMap(({ matched }) => matched);
  return [...found, ...Object.values(meta).flatMap((text) => terms.matchesIn(text))];
}

/** The found words, as far as the result itself shows them. */
function visible({ title, sections }: PageResult, terms: Terms): Match[] {
  const texts = sections.flatMap(({ headingPath, snippet: { text, ranges } }) => [
    ...headingPath,
    ...ranges.map(([start, end]) => text.slice(start, end)),
  ]);
  return [title, ...texts].flatMap((text) => terms.matchesIn(text));
}

/** The share of a score that remains for words with other accents than the typed ones. */
function accentShare(hit: PageResult, { terms, words }: Asked): number {
  const found = new Map<number, boolean>();
  for (const { term, text } of visible(hit, terms)) {
    const at = typedAs(term, words);
    found.set(at, (found.get(at) ?? false) || sameAccents(text, words[at]!));
  }
  if (found.size === 0) return 1;
  const other = 1 / (1 + DEFAULT_RANKING.diacriticSimilarity);
  const shares = [...found.values()].map((same) => (same ? 1 : other));
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** The share of a score that remains for words with a weight below 1. */
async function lightShare(hit: PageResult, { terms, fragments }: Asked): Promise<number> {
  if (!hit.id.endsWith(LIGHT)) return 1;
  const found = terms.occurrences(await fragments.load(hit.id));
  const counted = found.reduce((sum, { full }) => sum + Math.max(1, full), 0);
  return counted === 0 ? 1 : found.reduce((sum, { full }) => sum + full, 0) / counted;
}

async function scoresBy(
  ranking: RankingOptions,
  hits: readonly PageResult[],
  { terms, words, fragments, meanWords }: Asked,
): Promise<number[]> {
  const idf: number[] = [];
  for (const hit of hits) {
    for (const { term, idf: rarity } of hit.sections.flatMap(
      ({ explain }) => explain?.terms ?? [],
    )) {
      const at = typedAs(term, words);
      idf[at] = Math.min(idf[at] ?? rarity, rarity);
    }
  }
  const statistics = { words, idf: words.map((_, at) => idf[at] ?? 1), meanWords };
  const pages = await Promise.all(hits.map(({ id }) => fragments.load(id)));
  return pages.map((page) => pagefindScore(page, terms, statistics, ranking));
}
