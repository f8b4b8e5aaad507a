/** What users of the client see. */

import type {
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
import type { Traffic } from "./shards";

/** A condition on one attribute: a value, several of which one must match, or bounds. */
export type Condition =
  | string
  | number
  | boolean
  | (string | number | boolean)[]
  | { gt?: number | string; gte?: number | string; lt?: number | string; lte?: number | string };

/**
 * A filter: the string grammar (`book=reference,year:gte:2020`), the JSON grammar with `must`,
 * `should` and `must_not`, or attributes with the values they must have.
 */
export type Filter = string | Record<string, unknown> | Record<string, Condition>;

/** How to open a bundle. */
export interface OpenOptions {
  /**
   * `auto` (default): what the bundle brings. The encoder in its own shards, if it has one, embeds
   * at once. The transformer, if it is deployed beside it, loads with the first search that could
   * use it (when the page is idle, where the other one has answered) and embeds from the next query
   * on; not where the browser asks to save data, the connection is slow or the device small, unless
   * `ready("semantic")` asks for it. `static`: the encoder in the bundle alone, nothing is loaded.
   * `transformer`: that one begins to load at once, whatever the connection. `none`: words alone,
   * unless `encode` is given.
   */
  encoder?: "auto" | "static" | "transformer" | "none";
  /**
   * Embeds queries in place of the encoders deployed with the bundle. Must be of the documents'
   * space: as many finite numbers, not all 0. Of any length, since only the direction counts.
   */
  encode?: (query: string) => Promise<Float32Array | number[]>;
  /** Directory of the worker and the WebAssembly files. Default: that of the script. */
  assets?: string | URL;
  /**
   * What relative addresses of pages are relative to. Default: the directory above the bundle's.
   */
  site?: string | URL;
  /** `false` keeps everything on the page's own thread. */
  worker?: boolean;
  /**
   * `streamed` (default): a search by meaning fetches the vectors that lie around the query, tens
   * of kilobytes. `resident`: the first one fetches all vectors and their graph. Bundles in a
   * single file are always resident.
   */
  vectors?: "streamed" | "resident";
  /**
   * Most bytes that shards may keep occupied between searches. Default 24 MiB, 96 MiB where all
   * vectors are fetched.
   */
  memory?: number;
}

/** How to search. */
export interface SearchOptions {
  /** Pages to return; 10 unless told. 0 counts only. */
  limit?: number;
  /** Pages to pass over first. */
  offset?: number;
  /** What pages must be. */
  filter?: Filter;
  /** `hybrid` (default), `lexical` or `semantic`. */
  mode?: Mode;
  /** How words and meaning become one list. */
  fusion?: Fusion | Fusion["method"];
  /** Attributes to count values of; `["*"]` for all that were marked as filters. */
  facets?: string[];
  /**
   * Count an attribute's values as if `filter` asked nothing of it: what choosing another value
   * instead would give.
   */
  facetsInstead?: boolean;
  /** Order by an attribute instead of by relevance. */
  sort?: Sort;
  /**
   * Order by relevance and by a number or a date together: `{ by: "date" }`, and with `share: 0.9`
   * the newest before all.
   */
  prefer?: Prefer;
  /**
   * How relevance and the pages' dates meet: `relevance` (default), `recent`, `balanced`. `sort`
   * and `prefer` go before it.
   */
  order?: Order;
  /** An attribute of whose values none is to fill the list. */
  spread?: string;
  /**
   * Show every copy of a page, which otherwise one stands for (`copies` of a result says for how
   * many).
   */
  copies?: boolean;
  /** Treat the last word as the beginning of one, as while typing. */
  prefix?: boolean;
  /** Take every word as it is spelt: correct nothing. */
  verbatim?: boolean;
  /**
   * Where nothing is found, look for what else could be asked (`suggestions` of the answer); true
   * unless told.
   */
  suggest?: boolean;
  /**
   * The query's vector, in place of any encoder. Must be of the documents' space, as from `encode`.
   */
  vector?: Float32Array | number[];
  /** Most sections shown under a page; 3 unless told. */
  sectionsPerPage?: number;
  /** The same in other words, at most four: each page counts by the wording that finds it best. */
  also?: string[];
  /** Explain every score. */
  explain?: boolean;
  /**
   * A page, by URL (with an anchor for one of its sections) or id: say why it stands where it
   * stands.
   */
  why?: string;
  /** Cancels the search: the promise rejects with the code `aborted`. */
  signal?: AbortSignal;
  /**
   * Called once if the search was answered by words alone because the encoder was still loading,
   * with the answer that it makes possible. An answer that knows meaning already, by the encoder in
   * the bundle, stays as it is.
   */
  onUpgrade?: (response: SearchResponse) => void;
}

/**
 * How to look for similar pages. Without `mode`, or in `hybrid`, the page's own vectors decide; in
 * `lexical`, its most telling words.
 */
export type SimilarOptions = Pick<
  SearchOptions,
  | "limit"
  | "offset"
  | "filter"
  | "mode"
  | "facets"
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
  /** Absolute address, or `null` where the bundle names one that is not http(s). */
  href: string | null;
};

/** A page that matches. */
export type PageResult = Omit<PageHit, "sections"> & {
  /** Absolute address of the page, or `null` where the bundle names one that is not http(s). */
  href: string | null;
  /**
   * That of its best section, more where another is better in one of the legs, and a part of the
   * second best.
   */
  snippet: Snippet;
  /** Matching sections, best first. */
  sections: SectionResult[];
};

/** What a search cost. */
export interface Stats extends Traffic {
  /** Milliseconds: in all, embedding the query, waiting for files, in the engine. */
  ms: { total: number; encode: number; fetch: number; engine: number };
  /** Who embedded the query; `null` where meaning took no part. */
  encoder: string | null;
  /** Bytes the bundle takes in memory. */
  residentBytes: number;
}

/** Why a page stands where it stands. */
export type WhyResult = Omit<Why, "hit" | "first" | "above"> & {
  /** The page asked about, with explanations; `null` where it is not found. */
  hit: PageResult | null;
  /** The first page; `null` where that is the page asked about, or nothing is found. */
  first: PageResult | null;
  /** The page right above; `null` where that is the first. */
  above: PageResult | null;
};

/** The answer to a search. */
export type SearchResponse = Omit<Response, "results" | "why"> & {
  /** Pages, best first. */
  results: PageResult[];
  /** Why the page asked about stands where it stands; with `why` only. */
  why?: WhyResult;
  /** What it cost. */
  stats: Stats;
};

/** How far meaning is. */
export type SemanticState =
  /** No vectors, no encoder, or not wanted. */
  | "none"
  /** Will load when asked for. */
  | "idle"
  | "loading"
  | "ready"
  | "failed";

/** How much of the encoder has arrived. */
export interface EncoderProgress {
  loaded: number;
  total: number;
}

/** What a bundle says of itself. */
export interface Description {
  /** Tool and version that built it. */
  generator: string;
  /** BCP 47, most frequent first. */
  languages: string[];
  /** Number of pages. */
  pages: number;
  /** Number of sections. */
  sections: number;
  /** What pages can be filtered, faceted and sorted by. */
  attributes: {
    name: string;
    kind: "string" | "strings" | "number" | "date" | "bool";
    facet: boolean;
  }[];
  /** The vectors' space; `null` in a bundle without vectors. */
  dense: {
    /** The documents' encoder. */
    name: string;
    /** Length of a vector. */
    dim: number;
    /** Identity of the encoder's weights. */
    fingerprint: string;
    /** Whether vectors carry meaning. */
    semantic: boolean;
    /** Whether searches fetch the vectors near the query rather than all of them. */
    streamed: boolean;
    /**
     * How the engine embeds queries itself, without any encoder to load; `null` where it cannot.
     */
    builtIn: "hash" | "static" | null;
    /** Encoders deployed beside the bundle, preferred first. */
    queryEncoders: { kind: string; files: { path: string; length: number; hash: string }[] }[];
  } | null;
}
