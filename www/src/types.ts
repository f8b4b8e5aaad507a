/** The types that users of the client see. */

import type {
  FacetsOf,
  Fusion,
  Mode,
  Order,
  PageHit,
  Prefer,
  Response,
  SectionHit,
  Snippet,
  Sort,
  Why,
} from "./engine-types";
import type { Traffic } from "./http-store";

/** A condition on one attribute: a value, a list of which one value must match, or bounds. */
export type Condition =
  | string
  | number
  | boolean
  | (string | number | boolean)[]
  | { gt?: number | string; gte?: number | string; lt?: number | string; lte?: number | string };

/**
 * A filter: a string (`book=reference,year:gte:2020`), an object of attributes and conditions, or
 * an object with `must`, `should` and `must_not`, each of which holds filters.
 */
export type Filter = string | Record<string, unknown> | Record<string, Condition>;

/** Options for opening a bundle. */
export interface OpenOptions {
  /** The encoder that embeds queries: see the table of encoder values in the README. */
  encoder?: "auto" | "static" | "transformer" | "none";
  /**
   * Embeds queries in place of the bundle's encoders. Must return a vector in the space of the
   * documents: the same number of finite numbers, not all 0. Its length does not matter.
   */
  encode?: (query: string) => Promise<Float32Array | number[]>;
  /**
   * The contents of a single-file bundle, which is then neither fetched nor cached. The address
   * must end with `.findling` and only serves as the base of page addresses.
   */
  bytes?: ArrayBuffer;
  /** Directory of the worker and the WebAssembly files. Default: the script's directory. */
  assets?: string | URL;
  /** Base of relative page addresses. Default: the parent of the bundle's directory. */
  site?: string | URL;
  /** `false` runs the engine on the page's own thread. */
  worker?: boolean;
  /** @internal The engine's first part, compiled from another file than usual. */
  module?: Promise<WebAssembly.Module | undefined>;
  /**
   * `streamed` (default): a search by meaning fetches only the vectors near the query, tens of
   * kilobytes. `resident`: the first search by meaning fetches all vectors. Single-file bundles are
   * always resident.
   */
  vectors?: "streamed" | "resident";
  /**
   * Maximum bytes of memory for shards between searches. Default: 24 MiB, or 96 MiB if all vectors
   * are fetched.
   */
  memory?: number;
}

/** Options of a search. */
export interface SearchOptions {
  /** Maximum number of pages; 10 by default. 0 only counts. */
  limit?: number;
  /** Number of pages to skip; 0 by default. */
  offset?: number;
  /** Only pages that match this filter. */
  filter?: Filter;
  /**
   * A second filter, which a reader sets by facets: it is applied to the results that the query
   * finds without it. For each value, facets then count the pages that remain after choosing it.
   */
  postFilter?: Filter;
  /** `hybrid` (default), `lexical` or `semantic`. */
  mode?: Mode;
  /**
   * The mode of the next search for the same query. Files that only the next search needs are
   * prefetched if they are adjacent to this search's files in a pack, so that the next search makes
   * fewer requests.
   */
  ahead?: Mode;
  /** How the lexical and the dense leg become one list: a method, or a method with its numbers. */
  fusion?: Fusion | Fusion["method"];
  /** Attributes to count the values of; `["*"]` counts all facets of the bundle. */
  facets?: string[];
  /** The unit that facets count: `pages` (default) or `sections` that match. */
  facetsOf?: FacetsOf;
  /** Counts each attribute's values as if `filter` had no condition on that attribute. */
  facetsInstead?: boolean;
  /** Orders by an attribute instead of relevance. */
  sort?: Sort;
  /** Orders by relevance combined with a number or a date, such as `{ by: "date" }`. */
  prefer?: Prefer;
  /**
   * `relevance` (default), `recent`, `balanced`, or `match`: relevance without the site's boosts
   * and pins. `sort` and `prefer` override it.
   */
  order?: Order;
  /** An attribute whose values should vary: pages with the same value rank lower one by one. */
  spread?: string;
  /** Shows every copy of a page; by default, one page stands for all of its copies. */
  copies?: boolean;
  /** Treats the last word as the beginning of a word, for search while typing. */
  prefix?: boolean;
  /** With `prefix`: completes a query of a single letter as well. */
  singleLetter?: boolean;
  /**
   * Finds only pages that have every word of the query, anywhere on the page. Stop words, and words
   * that no page has, are not required. Has no effect with `why`.
   */
  everyWord?: boolean;
  /** Searches for every word as it is written, without corrections. */
  verbatim?: boolean;
  /** `false` makes no suggestions if nothing is found. */
  suggest?: boolean;
  /** The query's vector, instead of any encoder. It must be in the space of the documents. */
  vector?: Float32Array | number[];
  /** Maximum number of sections for each page; 3 by default. */
  sectionsPerPage?: number;
  /** At most four alternative phrasings. Each page gets the score of its best phrasing. */
  also?: string[];
  /** Explains every score. */
  explain?: boolean;
  /** A page (URL, with an anchor for a section, or id): explains why it ranks where it ranks. */
  why?: string;
  /** Cancels the search: the promise then rejects with the code `aborted`. */
  signal?: AbortSignal;
  /**
   * Called at most once, before the promise resolves, with the results of the query's own words,
   * if the search has to wait for more files: for the correction of a word, or for vectors.
   */
  onWords?: (response: SearchResponse) => void;
  /**
   * Called at most once, after an answer by words only, with the full answer when the encoder has
   * loaded, or with the same answer and the reason if it cannot be loaded. It is not called after
   * an answer that used the bundle's static encoder.
   */
  onUpgrade?: (response: SearchResponse) => void;
}

/**
 * Options of a search for similar pages. In `hybrid` (default) and `semantic`, the page's own
 * vectors are compared; in `lexical`, its most distinctive words are searched.
 */
export type SimilarOptions = Pick<
  SearchOptions,
  | "limit"
  | "offset"
  | "filter"
  | "mode"
  | "facets"
  | "facetsOf"
  | "sort"
  | "prefer"
  | "order"
  | "spread"
  | "copies"
  | "sectionsPerPage"
  | "explain"
  | "signal"
>;

/** A section that matches. */
export type SectionResult = SectionHit & {
  /** Absolute address; `null` if the bundle has an address that is not HTTP(S). */
  href: string | null;
};

/** A page that matches. */
export type PageResult = Omit<PageHit, "sections"> & {
  /** Absolute address of the page; `null` if the bundle has an address that is not HTTP(S). */
  href: string | null;
  /** The snippet of the first section. */
  snippet: Snippet;
  /** Matching sections, best first. */
  sections: SectionResult[];
};

/** The time and the traffic of a search. */
export interface Stats extends Traffic {
  /** Milliseconds: in total, embedding the query, waiting for files, in the engine. */
  ms: { total: number; encode: number; fetch: number; engine: number };
  /** The encoder that embedded the query; `null` if the search was by words only. */
  encoder: string | null;
  /** Bytes of memory that the bundle takes. */
  residentBytes: number;
  /**
   * Times that the search began again, because it had called a part of the engine that was not
   * loaded yet. The client loads that part in advance if it can foresee this; then the number is 0.
   */
  recoveries: number;
}

/** The explanation of a page's rank. */
export type WhyResult = Omit<Why, "hit" | "first" | "above"> & {
  /** The page asked about, with explanations; `null` if it is not found. */
  hit: PageResult | null;
  /** The first page; `null` if it is the page asked about, or if nothing is found. */
  first: PageResult | null;
  /** The page directly above; `null` if that is the first page. */
  above: PageResult | null;
};

/** The answer to a search. */
export type SearchResponse = Omit<Response, "results" | "why"> & {
  /** Pages, best first. */
  results: PageResult[];
  /** Only with the option `why`: the explanation of the page's rank. */
  why?: WhyResult;
  /** The time and the traffic of the search. */
  stats: Stats;
};

/** The state of the encoder. */
export type SemanticState =
  /** There are no vectors or no encoder, or the encoder is turned off. */
  | "none"
  /** The encoder can be loaded. */
  | "idle"
  | "loading"
  | "ready"
  | "failed";

/** Bytes of the encoder loaded so far, and in total. */
export interface EncoderProgress {
  loaded: number;
  total: number;
}

/** The description of a bundle. */
export interface Description {
  /** Name and version of the tool that built it. */
  generator: string;
  /** BCP 47 tags, most frequent first. */
  languages: string[];
  /** Number of pages. */
  pages: number;
  /** Number of sections. */
  sections: number;
  /** Attributes for filters, facets and orders. */
  attributes: {
    name: string;
    kind: "string" | "strings" | "number" | "date" | "bool";
    facet: boolean;
    /**
     * The items that have the attribute's values. A section without its own value has its page's
     * value.
     */
    of: "pages" | "sections";
  }[];
  /** The vectors; `null` in a bundle without vectors. */
  dense: {
    /** The encoder that embedded the documents. */
    name: string;
    /** Dimension of the vectors. */
    dim: number;
    /** Identity of the encoder's weights. */
    fingerprint: string;
    /** Whether the vectors carry meaning; hashed vectors do not. */
    semantic: boolean;
    /** Whether searches fetch only the vectors near the query. */
    streamed: boolean;
    /** The encoder inside the bundle; `null` if there is none. */
    builtIn: "hash" | "static" | null;
    /** Encoders deployed with the bundle, preferred first. */
    queryEncoders: { kind: string; files: { path: string; length: number; hash: string }[] }[];
  } | null;
}
