/** Options of the endpoint: options of its host, and options of a site. */

import type { Encoded } from "../encoder";
import type { HttpStore } from "../http-store";
import type { Description } from "../types";
import type { BudgetOptions } from "./budget";
import type { LogLevel } from "./log";
import type { Mounts } from "./mounts";
import type { CacheLike, Fetcher, FileStore, KvLike, R2Like } from "./store";

/** The part of a rate-limit binding that is used. */
export interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** The bindings and variables of the host. Bundles are read from the first store of these. */
export interface Env {
  /** A bucket of R2. */
  FINDLING_R2?: R2Like;
  /** A namespace of KV. */
  FINDLING_KV?: KvLike;
  /** Static assets. */
  ASSETS?: Fetcher;
  /**
   * Path of the bundle in the store, or the address of a bundle on the web. Default: `/findling/`.
   */
  FINDLING_BUNDLE?: string;
  /** Many bundles, as JSON: see `Mounts`. */
  FINDLING_BUNDLES?: string;
  /** Maximum number of subrequests of a request. Default: 50, what the free plan allows. */
  FINDLING_SUBREQUESTS?: string;
  /** Refuses clients with too many requests. */
  FINDLING_RATE_LIMIT?: RateLimiter;
  /** The requests that are logged: `requests` (default), `errors` or `none`. */
  FINDLING_LOG?: string;
  /** `1` also logs queries. */
  FINDLING_LOG_QUERIES?: string;
}

/** The host's services for one request. */
export interface Context {
  /** Lets work continue after the request is answered. */
  waitUntil(work: Promise<unknown>): void;
}

/** Answers requests. */
export interface Handler {
  fetch(request: Request, env?: Env, context?: Context): Promise<Response>;
}

/** An encoder that runs beside the engine. */
export interface EdgeEncoder {
  /** The encoder's name in responses. */
  name: string;
  /** Loads it, once for each isolate. */
  load(
    description: Description,
    store: HttpStore,
  ): Promise<{ encode(query: string): Encoded | Promise<Encoded> }>;
}

/** Options for answering. */
export interface EdgeOptions {
  encoder?: EdgeEncoder;
  /**
   * Maximum bytes of memory for shards between requests. Default: 32 MiB. An isolate has 128 MB.
   */
  memory?: number;
  /**
   * `streamed` (default): a search by meaning fetches only the vectors near the query. `resident`:
   * the first one fetches all vectors.
   */
  vectors?: "streamed" | "resident";
  /** Bundles by path or host. Default: one bundle, `Env.FINDLING_BUNDLE`. */
  mounts?: Mounts;
  /** Maximum number of open bundles. Default: 8. */
  bundles?: number;
  /**
   * Limits on the fetches of a request. Default: the limits of the free plan, 50 subrequests, 6 at
   * once.
   */
  budget?: Partial<BudgetOptions>;
  /** Milliseconds after which a file is requested again. Default: 5000. */
  timeout?: number;
  /**
   * Milliseconds after which a request is refused with 503, and its bundles are opened anew for the
   * next one. Default: 60,000.
   */
  requestTimeout?: number;
  /** Milliseconds after which to check whether another build is deployed. Default: 60,000. */
  revisionCheck?: number;
  /** The store of bundles. Default: see `Env`. */
  store?: (env: Env) => FileStore;
  /**
   * A cache for answers, and for files from R2, KV and the web; `false` for none. Default: the
   * cache of the data centre.
   */
  cache?: CacheLike | false;
  /** Seconds for which caches may serve an answer without asking again. Default: 60. */
  maxAge?: number;
  /**
   * Maximum number of requests under way in an isolate. Further requests are refused with 503.
   * Default: 256.
   */
  maxRequests?: number;
  /** Returns the client for the rate limit. Default: the address of the client. */
  rateKey?: (request: Request) => string;
  /** The requests that are logged. Default: `Env.FINDLING_LOG`. */
  log?: LogLevel;
  /** Whether queries are also logged. Default: `Env.FINDLING_LOG_QUERIES`. */
  logQueries?: boolean;
  /** Path in front of all routes below, such as `/api`. Default: none. */
  prefix?: string;
  /** Path of the search endpoint. Default: `/search`. */
  path?: string;
  /** Path of the endpoint for similar pages. Default: `/similar`. */
  similarPath?: string;
  /** Path of the endpoint for suggestions. Default: `/suggest`. */
  suggestPath?: string;
  /** Path of the endpoint for the text of a page. Default: `/page`. */
  pagePath?: string;
  /** Path of the endpoint for assistants; `false` for none. Default: `/mcp`. */
  mcpPath?: string | false;
}
