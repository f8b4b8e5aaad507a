/**
 * Answers engine requests with the open bundles, within the budget of one HTTP request.
 */

import * as engine from "../../wasm/edge/findling_engine";
import { type Answer, withNotice } from "../bundle";
import { parseBundleAddress } from "../bundle-address";
import { applyCorrections, correctionsIn } from "../corrected-query";
import type { Correction, Notice, QueryVector, Request as SearchRequest } from "../engine-types";
import { FindlingError } from "../errors";
import { isSpent, type Metered } from "./budget";
import { Library, type Opened } from "./library";
import type { EdgeEncoder, EdgeOptions, Env } from "./options";
import {
  assetsStore,
  type CacheLike,
  type FetchingOptions,
  kvStore,
  r2Store,
  webStore,
} from "./store";

/** Bytes of memory for shards between requests. */
const DEFAULT_MEMORY = 32 << 20;
/** Maximum number of open bundles. */
const DEFAULT_BUNDLES = 8;
/** Milliseconds after which a file is requested again. */
const DEFAULT_TIMEOUT = 5000;
/** Milliseconds after which to check whether another build is deployed. */
const DEFAULT_REVISION_CHECK = 60_000;
/** Milliseconds after which a failed load of the encoder is retried. */
const ENCODER_RETRY = 60_000;

/** The bundle that a request is for. */
export interface Place {
  /**
   * The bundle's address. For a bundle in a store its host is the request's host, and has no
   * meaning.
   */
  address: URL;
  /** The bundle's name among the open ones. */
  name: string;
  /** Base of relative page addresses. */
  site: URL;
  isOnWeb: boolean;
}

/** The place of a bundle: a path in the store, or an address on the web. */
export function placeOf(bundle: string, { origin }: URL): Place {
  const isOnWeb = /^https?:/.test(bundle);
  const address = new URL(bundle, origin);
  const name = isOnWeb ? address.href : address.pathname;
  return { address, name, site: parseBundleAddress(address).site, isOnWeb };
}

/** An answer, and its quality. */
export interface WholeOrPart {
  json: string;
  /** Whether the answer is complete: no file and no encoder was missing. */
  whole: boolean;
}

/** The fields of a request that name a page. */
const PAGE_FIELDS = ["similarTo", "read", "why"] as const;

export class Answerer {
  readonly #module: WebAssembly.Module;
  readonly #options: EdgeOptions;
  #library: Library | undefined;
  /** Functions that fetch files from the host's store and from the web. */
  readonly #files = new Map<boolean, FetchingOptions>();
  /** Encoders by the name of the bundle. */
  readonly #encoders = new Map<string, ReturnType<EdgeEncoder["load"]>>();
  /** When an encoder last failed to load. */
  #encoderFailed = -Infinity;

  constructor(module: WebAssembly.Module, options: EdgeOptions) {
    this.#module = module;
    this.#options = options;
  }

  /** The cache for answers and files; `undefined` if there is none. */
  get cache(): CacheLike | undefined {
    const { cache } = this.#options;
    return cache === false ? undefined : (cache ?? dataCentreCache());
  }

  /** The hash of the build of a bundle that is open. */
  revisionOf({ name }: Place): string | undefined {
    return this.#library?.at(name)?.bundle.revision;
  }

  /** Does work with a bundle, which is opened first if necessary. */
  use<T>(place: Place, env: Env, cost: Metered, work: (opened: Opened) => Promise<T>): Promise<T> {
    const { memory, bundles, vectors, revisionCheck } = this.#options;
    if (!this.#library) {
      engine.initSync({ module: this.#module });
      this.#library = new Library(engine, {
        memory: memory ?? DEFAULT_MEMORY,
        bundles: bundles ?? DEFAULT_BUNDLES,
        streamed: vectors !== "resident",
        revisionCheck: revisionCheck ?? DEFAULT_REVISION_CHECK,
        changed: (name) => this.#encoders.delete(name),
      });
    }
    return this.#library.use(place, this.#filesOf(place, env), cost, work);
  }

  /** Forgets a bundle and its encoder, which a request waited for in vain. */
  forget({ name }: Place): void {
    this.#library?.forget(name);
    this.#encoders.delete(name);
  }

  #filesOf({ isOnWeb }: Place, env: Env): FetchingOptions {
    const known = this.#files.get(isOnWeb);
    if (known) return known;
    const { timeout = DEFAULT_TIMEOUT, store } = this.#options;
    const files = { timeout, ...(isOnWeb ? this.#far(webStore) : this.#storeOf(env, store)) };
    this.#files.set(isOnWeb, files);
    return files;
  }

  #storeOf(env: Env, own: EdgeOptions["store"]): Omit<FetchingOptions, "timeout"> {
    const { FINDLING_R2, FINDLING_KV, ASSETS } = env;
    if (own) return { store: own(env) };
    if (FINDLING_R2) return this.#far(r2Store(FINDLING_R2));
    if (FINDLING_KV) return this.#far(kvStore(FINDLING_KV));
    // Assets are as fast as the cache.
    if (ASSETS) return { store: assetsStore(ASSETS) };
    throw new FindlingError(
      "not-found",
      "The endpoint has no store: expected a binding ASSETS, FINDLING_R2 or FINDLING_KV.",
      { remedy: "Add the binding to the host's configuration, with the bundle in it." },
    );
  }

  /** A store that is slower than the cache. */
  #far(store: FetchingOptions["store"]): Omit<FetchingOptions, "timeout"> {
    return { store, cache: this.cache };
  }

  /**
   * Answers a request. If the bundle does not know the page in the request, asks again without the
   * site's own address at its beginning.
   */
  async answer(
    query: SearchRequest,
    opened: Opened,
    { site, name }: Place,
    cost: Metered,
  ): Promise<WholeOrPart> {
    try {
      return await this.#answerAsGiven(query, opened, name, cost);
    } catch (thrown) {
      const field = PAGE_FIELDS.find((field) => query[field] !== undefined);
      const page = field === undefined ? "" : (query[field] ?? "");
      const unknown = FindlingError.from(thrown).code === "no-such-page";
      if (!unknown || field === undefined || !page.startsWith(site.href)) throw thrown;
      const relative = { ...query, [field]: page.slice(site.href.length) };
      return this.#answerAsGiven(relative, opened, name, cost);
    }
  }

  async #answerAsGiven(
    query: SearchRequest,
    opened: Opened,
    name: string,
    cost: Metered,
  ): Promise<WholeOrPart> {
    const notice = await this.embed(query, opened, name, []);
    const search = () => searchWithin(opened, query, cost);
    let answer = await search();
    const corrections = query.vector ? correctionsIn(answer.json) : [];
    if (corrections.length > 0) {
      // The vector belonged to the query as typed.
      await this.embed(query, opened, name, corrections);
      answer = await search();
    }
    const json = notice ? withNotice(answer.json, notice) : answer.json;
    return { json, whole: !answer.partial && !notice && !cost.budget.exhausted };
  }

  /** Answers a request whose query is embedded. */
  async search(query: SearchRequest, opened: Opened, cost: Metered): Promise<WholeOrPart> {
    const { json, partial } = await searchWithin(opened, query, cost);
    return { json, whole: !partial && !cost.budget.exhausted };
  }

  /** Embeds the query, with corrections applied; returns the reason if it cannot be embedded. */
  async embed(
    request: SearchRequest,
    opened: Opened,
    name: string,
    corrections: readonly Correction[],
  ): Promise<Notice | undefined> {
    const { encoder } = this.#options;
    const { dense } = opened.description;
    const wanted =
      request.mode !== "lexical" && request.encoder === undefined && request.query.trim() !== "";
    if (!encoder || !wanted || !dense || dense.builtIn === "hash") return undefined;
    try {
      const loaded = await this.#loadEncoder(encoder, opened, name);
      const vectors: QueryVector[] = [];
      for (const query of [request.query, ...(request.also ?? [])]) {
        const { values, truncated } = await loaded.encode(applyCorrections(query, corrections));
        vectors.push({ values: Array.from(values), truncated, encoder: encoder.name });
      }
      const [vector, ...also] = vectors;
      request.vector = vector!;
      request.alsoVectors = also;
      return undefined;
    } catch (thrown) {
      const error = FindlingError.from(thrown, "encoder-failed");
      console.warn(`findling: ${error.message}`);
      // The search uses the bundle's own encoder instead, or only words.
      if (request.mode === "semantic" && dense.builtIn === null) throw error;
      return { code: error.code, message: error.message };
    }
  }

  async #loadEncoder(encoder: EdgeEncoder, { description, store }: Opened, name: string) {
    if (Date.now() - this.#encoderFailed > ENCODER_RETRY)
      if (!this.#encoders.has(name)) this.#encoders.set(name, encoder.load(description, store));
    const loading = this.#encoders.get(name);
    if (!loading)
      throw new FindlingError("encoder-failed", "The encoder failed to load a moment ago.");
    try {
      return await loading;
    } catch (thrown) {
      this.#encoders.delete(name);
      this.#encoderFailed = Date.now();
      throw thrown;
    }
  }
}

/** The cache of the data centre, if the host has one. */
function dataCentreCache(): CacheLike | undefined {
  return typeof caches === "undefined"
    ? undefined
    : (caches as unknown as { default?: CacheLike }).default;
}

/**
 * A signal that is never aborted, because a search continues without its reader. It stores no
 * listeners: a search adds one for each file, and Node would warn.
 */
export const NEVER = {
  aborted: false,
  addEventListener() {},
  removeEventListener() {},
} as unknown as AbortSignal;

/** Milliseconds within which a partial answer is requested again. */
const MAX_BEFORE_AGAIN = 2000;

/**
 * Searches within the budget of a request. If the budget is not enough for meaning, the reserve is
 * used for an answer by words.
 */
async function searchWithin(
  { bundle }: Opened,
  query: SearchRequest,
  cost: Metered,
): Promise<Answer & { partial: boolean }> {
  const { budget } = cost;
  const ask = (request: SearchRequest) => bundle.search(request, NEVER, undefined, cost);
  try {
    const answer = await ask(query);
    // Requests share pending files, so a file may be missing because another request's budget was
    // spent.
    const again = answer.partial && !budget.exhausted && cost.total < MAX_BEFORE_AGAIN;
    return again ? await ask(query) : answer;
  } catch (thrown) {
    if (!budget.exhausted) {
      if (isSpent(thrown)) return ask(query);
      throw thrown;
    }
    budget.release();
    if ((query.mode ?? "hybrid") !== "hybrid") return ask(query);
    const { vector: _, alsoVectors: __, ...words } = query;
    const answer = await ask({ ...words, mode: "lexical" });
    const message = `Searched by words only: ${FindlingError.from(thrown).message}`;
    const json = withNotice(answer.json, { code: "meaning-missing", message });
    return { ...answer, json, partial: true };
  }
}
