/**
 * Several bundles searched as one: their answers become one list.
 *
 * Scores of two bundles cannot be compared directly: each is relative to the best score of its
 * bundle, so the best page of each bundle scores about the same, however well it matches. Here a
 * page's score is made relative to the best score of all bundles. Each response says how likely it
 * is that its bundle answers the query (`answerable`); it is a factor on the page's score, and so
 * is the weight that the site gives the bundle (`docs/design/several-bundles.md`). If the bundles
 * used the statistics of all, their scores can be compared, and are used unchanged.
 */

import type { Facet, PageHit, Response, SectionHit } from "./engine-types";
import { FindlingError } from "./errors";

/** A page of one of several bundles. */
export type JoinedPage<Page> = Page & {
  /** The name of its bundle. */
  bundle: string;
};

/** The reason why a bundle gave no answer. */
export interface BundleFailure {
  bundle: string;
  code: string;
  message: string;
  remedy?: string;
}

/** Maximum number of pages of a request to one bundle. */
const MAX_PAGES = 100;

/** The facets whose attributes a bundle has. Another bundle may have the others. */
export function facetsOf(
  facets: readonly string[],
  attributes: readonly { name: string }[],
): string[] {
  return facets.filter((name) => name === "*" || attributes.some((known) => known.name === name));
}

/** The fields of a page that are needed for joining lists. */
type Scored = Pick<PageHit, "score"> & { sections: readonly Pick<SectionHit, "legs">[] };

/** The share of words, against meaning, as in the engine's fusion. */
const WORDS = 0.65;

/** A response. Its pages may have more fields than the engine's. */
export type ResponseOf<Page> = Omit<Response, "results"> & { results: Page[] };

/** The answer of one bundle. */
export interface Part<Page> {
  bundle: string;
  /** A factor on the scores of its pages; 1 for none. */
  weight: number;
  response: ResponseOf<Page>;
}

/** One answer of several bundles. */
export type Joined<Page> = ResponseOf<JoinedPage<Page>> & {
  /** The bundles that gave no answer. */
  failures: BundleFailure[];
};

/** The requested part of the list. */
export interface Extent {
  limit: number;
  offset: number;
  /** Whether pages are in the order of an attribute, so that each list keeps its order. */
  isSorted: boolean;
  /**
   * Whether all bundles have used the statistics of all for their scores, so that scores can be
   * compared.
   */
  isShared?: boolean;
}

/**
 * Returns the requested part of the list. Rejects a part beyond the first `MAX_PAGES` pages.
 */
export function extentOf(asked: {
  limit?: number | undefined;
  offset?: number | undefined;
  sort?: unknown;
}): Extent {
  const { limit = 10, offset = 0, sort } = asked;
  if (offset + limit > MAX_PAGES)
    throw new FindlingError(
      "request",
      `Expected at most the first ${MAX_PAGES} pages of several bundles, found pages up to ` +
        `${offset + limit}: ask for fewer, or one bundle alone.`,
    );
  return { limit, offset, isSorted: sort !== undefined };
}

/**
 * Joins the answers of bundles. Each must have its first `offset + limit` pages. There must be at
 * least one answer.
 */
export function joinResponses<Page extends Scored>(
  parts: readonly Part<Page>[],
  failures: readonly BundleFailure[],
  extent: Extent,
): Joined<Page> {
  const responses = parts.map(({ response }) => response);
  const [first] = responses;
  const found = responses.filter(({ results }) => results.length > 0);
  const likely = responses.map(({ answerable }) => answerable ?? 0);
  const { limit, offset } = extent;
  return {
    ...first!,
    mode: responses.find(({ mode }) => mode !== "lexical")?.mode ?? "lexical",
    encoder: responses.find(({ encoder }) => encoder !== null)?.encoder ?? null,
    notices: unique(responses.flatMap(({ notices }) => notices)),
    corrections: unique((found.length > 0 ? found : responses).flatMap((one) => one.corrections)),
    suggestions: found.length > 0 ? [] : unique(responses.flatMap((one) => one.suggestions)),
    answerable: responses.every(({ answerable }) => answerable === null)
      ? null
      : Math.max(...likely),
    total: totalOf(responses),
    facets: joinFacets(responses.map(({ facets }) => facets)),
    results: ranked(parts, extent).slice(offset, offset + limit),
    failures: [...failures],
  };
}

/** All pages, best first. Ties are in the order of the bundles. */
function ranked<Page extends Scored>(
  parts: readonly Part<Page>[],
  { isSorted, isShared }: Extent,
): JoinedPage<Page>[] {
  const bests = parts.map(({ response }) => bestOf(response.results.map(matchOf)));
  const best = bestOf(bests);
  const pages = parts.flatMap(({ bundle, weight, response }, at) =>
    response.results.map((page, rank) => {
      const match = matchOf(page);
      const own = isShared ? 0 : share(match, bests[at]!);
      const factor = own > 0 ? share(match, best) / own : 1;
      const likely = isShared ? 1 : (response.answerable ?? 1);
      const worth = weight * likely * page.score * factor;
      // In the order of an attribute, lists take turns.
      return { page: { ...page, bundle }, worth: isSorted ? -rank : worth };
    }),
  );
  return pages.sort((a, b) => b.worth - a.worth).map(({ page }) => page);
}

/** The match by words and by meaning of a page, or of the best page of a list. */
interface Match {
  words: number;
  meaning: number;
}

function bestOf(matches: readonly Match[]): Match {
  const most = (name: keyof Match) => Math.max(0, ...matches.map((match) => match[name]));
  return { words: most("words"), meaning: most("meaning") };
}

function matchOf({ sections }: Scored): Match {
  const legs = sections.map(({ legs }) => legs);
  const matches = legs.map(({ lexicalScore, similarity }) => ({
    words: lexicalScore ?? 0,
    meaning: similarity ?? 0,
  }));
  return bestOf(matches);
}

/** A match as a share of the best one. */
function share({ words, meaning }: Match, best: Match): number {
  const of = (part: number, whole: number) => (whole > 0 ? part / whole : 0);
  return WORDS * of(words, best.words) + (1 - WORDS) * of(meaning, best.meaning);
}

function totalOf<Page>(responses: readonly ResponseOf<Page>[]): Response["total"] {
  const sum = (name: "pages" | "sections") =>
    responses.reduce((sum, { total }) => sum + total[name], 0);
  const atLeast = responses.some(({ total }) => total.atLeast);
  return { pages: sum("pages"), sections: sum("sections"), ...(atLeast ? { atLeast } : {}) };
}

/** Facets with the counts of all bundles, the most frequent values first. */
function joinFacets(lists: readonly Facet[][]): Facet[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { name, values } of lists.flat()) {
    const ofName = counts.get(name) ?? new Map<string, number>();
    counts.set(name, ofName);
    for (const [value, n] of values) ofName.set(value, (ofName.get(value) ?? 0) + n);
  }
  return Array.from(counts, ([name, values]) => ({
    name,
    values: [...values].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)),
  }));
}

/** Values without repetitions of an earlier value. */
function unique<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
