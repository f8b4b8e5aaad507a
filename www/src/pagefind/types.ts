/** The shapes of Pagefind's JavaScript API, as of its version 1.6. */

/** A condition on filters: see `filters.ts`. */
export type FilterNode = string | FilterNode[] | { [name: string]: FilterNode };

/** Number of results with each value of each filter. */
export type FilterCounts = Record<string, Record<string, number>>;

/** Options of a bundle. */
export interface PagefindOptions {
  /** The directory of the bundle; by default, the directory of `pagefind.js`. */
  basePath?: string;
  /** The beginning of the addresses of results. */
  baseUrl?: string;
  /** A query parameter of results' addresses that carries the words searched for. */
  highlightParam?: string;
  /** The number of words of an excerpt; 30 by default. */
  excerptLength?: number;
  /** The mark at the cut end of an excerpt. */
  excerptEllipsis?: string;
  /** Factor on the scores of this bundle's results. */
  indexWeight?: number;
  /** Filters that apply to all pages of this bundle, in addition to their own. */
  mergeFilter?: FilterNode;
  /** The language of the pages to search; by default, the language of the page. */
  language?: string;
  /** Searches on the page's own thread. */
  noWorker?: boolean;
  /** Replaces the time in the address of `pagefind-entry.json`, so that caches can keep it. */
  metaCacheTag?: string;
  /** Ranks the first results by Pagefind's formula with these parameters: see `ranking.ts`. */
  ranking?: RankingOptions;
  /** Finds words only with the typed accents. */
  exactDiacritics?: boolean;
  /** Given by Pagefind's own user interfaces. */
  primary?: boolean;
}

/** Parameters of Pagefind's ranking. */
export interface RankingOptions {
  /**
   * 0: a word counts by its number of occurrences; 1: by that number relative to the length of the
   * page.
   */
  termFrequency?: number;
  /** The penalty for words that are longer than the typed one. */
  termSimilarity?: number;
  /** The penalty for pages that are longer than the mean. */
  pageLength?: number;
  /** The number of occurrences after which further ones hardly count. */
  termSaturation?: number;
  /** The bonus for a word with the typed accents. */
  diacriticSimilarity?: number;
  /** The weights of words in the metadata, by name. */
  metaWeights?: Record<string, number>;
}

/** Options of one search. */
export interface PagefindSearchOptions {
  filters?: FilterNode;
  /** One attribute and its direction. */
  sort?: Record<string, "asc" | "desc">;
  /** Prints each step, and adds `search_environment` to the answer. */
  verbose?: boolean;
}

/** A word of a page that the query found. */
export interface WeightedLocation {
  /** The weight of the word at its place; 1 for ordinary text. */
  weight: number;
  /** The squared weight, times the closeness of the word to the query's word. */
  balanced_score: number;
  /** The number of the word in the content. */
  location: number;
}

/** An element with an `id`. */
export interface Anchor {
  element: string;
  id: string;
  text: string;
  /** The number of the first word after it. */
  location: number;
  /** `data-pagefind-title`. */
  title?: string;
}

/** A part of a page that the query found. */
export interface SubResult {
  title: string;
  url: string;
  anchor?: Anchor;
  weighted_locations: WeightedLocation[];
  locations: number[];
  /** With `<mark>` around the found words; all other markup is escaped. */
  excerpt: string;
  plain_excerpt: string;
}

/** A page as the build wrote it. */
export interface StoredFragment {
  url: string;
  content: string;
  word_count: number;
  filters: Record<string, string[]>;
  meta: Record<string, string>;
  anchors: Anchor[];
  /** Stretches of words with a weight other than 1: first word, end, weight. */
  weights?: [number, number, number][];
}

/** The value of a result's `data()`. */
export interface PagefindFragment extends Omit<StoredFragment, "weights"> {
  /** The address as the build wrote it. */
  raw_url: string;
  /** The content with `<` and `>` escaped. */
  raw_content: string;
  excerpt: string;
  plain_excerpt: string;
  weighted_locations: WeightedLocation[];
  locations: number[];
  sub_results: SubResult[];
}

/** A page that was found. */
export interface PagefindResult {
  id: string;
  score: number;
  /** Empty: the words are located when `data()` loads the page's content. */
  words: number[];
  /** Names of the metadata that have a word of the query. */
  matchedMetaFields?: string[];
  data(): Promise<PagefindFragment>;
}

/** Milliseconds of a search in one bundle. */
export interface Timings {
  preload: number;
  search: number;
  total: number;
}

/** The answer to a search. */
export interface PagefindAnswer {
  results: PagefindResult[];
  /** The number of results without filters. */
  unfilteredResultCount: number;
  /** Counts over the results. */
  filters: FilterCounts;
  /** Counts over the results without filters. */
  totalFilters: FilterCounts;
  timings: Timings[];
  search_environment?: "webworker" | "mainthread";
}
