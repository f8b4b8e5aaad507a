/**
 * The client: `open(url)`, then `search(query)`. A search answers by words at once. Meaning joins
 * when the encoder has loaded.
 */

import { beginOpening, type Opening } from "./begin-opening";
import type { AheadRequest, Answer, Cost } from "./bundle";
import { parseBundleAddress, rootOf } from "./bundle-address";
import { applyCorrections, correctionsIn } from "./corrected-query";
import { EMPTY_SNIPPET } from "./empty-snippet";
import type { Correction, Notice, PageHit, Request, Response } from "./engine-types";
import { abortable, FindlingError } from "./errors";
import type { Traffic } from "./http-store";
import { checkedVector, QueryEncoder } from "./query-encoder";
import { type Spawned, spawn } from "./spawn";
import type {
  Description,
  EncoderProgress,
  OpenOptions,
  PageResult,
  SearchOptions,
  SearchResponse,
  SemanticState,
  SimilarOptions,
} from "./types";

export type {
  Correction,
  Explanation,
  Facet,
  Fusion,
  Legs,
  Mode,
  Notice,
  Order,
  Plan,
  SectionHit,
  Snippet,
  Sort,
  Suggestion,
  SuggestionKind,
  TermExplanation,
  Total,
} from "./engine-types";
export { type ErrorCode, FindlingError } from "./errors";
export type * from "./types";

/**
 * Opens the bundle in the directory at `url`, or the single-file bundle at `url` if the address
 * ends with `.findling`.
 */
export function open(url: string | URL, options: OpenOptions = {}): Promise<FindlingIndex> {
  const address = new URL(url, document.baseURI);
  return openBegun(address, options, beginOpening(address, options));
}

/** @internal Opens a bundle with the requests that were already begun. */
export async function openBegun(
  address: URL,
  options: OpenOptions,
  { assets, worker, module, files, engine: running }: Opening,
): Promise<FindlingIndex> {
  const engine = running ?? (await spawn(new URL("findling-worker.js", assets).href, worker));
  try {
    const opened = await engine.remote.call<Opened>("open", {
      url: address.href,
      wasmUrl: new URL("findling_engine.wasm", assets).href,
      deferredUrl: new URL("findling_engine_rest.wasm", assets).href,
      memory: options.memory,
      streamed: options.vectors !== "resident",
      module: await module,
      files: await files,
    });
    return new FindlingIndex(address, assets, engine, opened, options);
  } catch (thrown) {
    engine.stop();
    throw thrown;
  }
}

interface Opened {
  description: Description;
  revision: string;
  traffic: Traffic;
  ms: number;
}

interface EventMap {
  semantic: SemanticState;
  progress: EncoderProgress;
}

/**
 * An open bundle. Dispatches `semantic` when the encoder's state changes and `progress` while it
 * loads.
 */
export class FindlingIndex extends EventTarget {
  /** The bundle's description. */
  readonly info: Description;
  /** The time and the traffic of opening the bundle. */
  readonly opening: Traffic & { ms: number };
  readonly #site: URL;
  /** The base of addresses that begin at the root of the site. */
  readonly #root: URL;
  readonly #engine: Spawned;
  readonly #options: OpenOptions;
  readonly #encoder: QueryEncoder;
  #closed = false;

  /** @internal */
  constructor(address: URL, assets: URL, engine: Spawned, opened: Opened, options: OpenOptions) {
    super();
    const { base, site } = parseBundleAddress(address);
    this.#site =
      options.site === undefined ? site : new URL(options.site, globalThis.document?.baseURI);
    this.#root = options.site === undefined ? rootOf(site) : this.#site;
    this.#engine = engine;
    this.#options = options;
    this.info = opened.description;
    this.opening = { ...opened.traffic, ms: opened.ms };
    this.#encoder = new QueryEncoder(this.info.dense, options, {
      base,
      assets,
      onState: (detail) => this.dispatchEvent(new CustomEvent("semantic", { detail })),
      onProgress: (detail) => this.dispatchEvent(new CustomEvent("progress", { detail })),
    });
  }

  /** The state of the encoder. */
  get semantic(): SemanticState {
    return this.#encoder.state;
  }

  /** Bytes that the encoder would download; 0 if there is none to download. */
  get encoderBytes(): number {
    return this.#encoder.bytes;
  }

  /**
   * Resolves when searches by words (`lexical`) or by meaning (`semantic`) are possible; loads the
   * encoder if necessary. Rejects with `encoder-unavailable` if search by meaning is not possible.
   */
  async ready(what: "lexical" | "semantic" = "lexical"): Promise<void> {
    if (what === "lexical" || this.semantic === "ready") return;
    await this.#encoder.load();
  }

  /** Searches. An empty query with a filter, an order or facets lists pages. */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResponse> {
    const start = performance.now();
    const { signal, onWords } = options;
    if (this.#closed) throw new FindlingError("closed", "The index was closed.");
    if (signal?.aborted) throw FindlingError.aborted();
    const request = this.#request(query, options);
    const embeds =
      this.#encoder.embeds &&
      request.mode !== "lexical" &&
      options.vector === undefined &&
      query.trim() !== "";
    const notice = embeds ? await this.#embedOrTell(request, signal) : undefined;
    const encode = performance.now() - start;

    const early = onWords && ((words: Answer) => onWords(this.#response(words, start, 0)));
    let answer = await this.#ask(request, signal, early);
    if (embeds && request.vector) answer = await this.#embedCorrected(request, answer, signal);
    const response = this.#response(answer, start, encode);
    if (notice) {
      const others = response.notices.filter(({ code }) => code !== "encoder-missing");
      response.notices = [notice, ...others];
    }
    if (embeds && !request.vector) this.#loadEncoderAfter(query, options, response);
    return response;
  }

  /**
   * Pages similar to `page`, which is a URL such as `location.href` or a document's id; the page
   * itself is left out. The page's own vectors are compared, so no encoder is needed; without
   * vectors, its words are searched. Rejects with `no-such-page` if the bundle does not have the
   * page.
   */
  similar(page: string | URL, options: SimilarOptions = {}): Promise<SearchResponse> {
    return this.search("", { ...options, similarTo: String(page) } as SearchOptions);
  }

  /**
   * The absolute address of a page; `null` if it is neither HTTP(S) nor of the site's own scheme,
   * such as `javascript:`.
   */
  resolve(url: string): string | null {
    try {
      // An address that begins at the site's root is moved below the path under which the site is
      // served, unless it was built with that path.
      const fromRoot = /^\/(?!\/)/.test(url);
      const isWhole = this.#options.site === undefined && url.startsWith(this.#root.pathname);
      const address = new URL(
        fromRoot && !isWhole ? url.slice(1) : url,
        fromRoot ? this.#root : this.#site,
      );
      // In documentation that is opened from a disk, pages are files too.
      const isPage = /^https?:$/.test(address.protocol) || address.protocol === this.#site.protocol;
      return isPage ? address.href : null;
    } catch {
      return null;
    }
  }

  /** Ends the workers and frees their memory. */
  close(): void {
    this.#closed = true;
    this.#engine.stop();
    this.#encoder.stop();
  }

  /**
   * Calls `listener` for each event of a type: `semantic` with the encoder's new state, `progress`
   * while it loads. Returns a function that removes the listener.
   */
  on<K extends keyof EventMap>(type: K, listener: (detail: EventMap[K]) => void): () => void {
    const wrapped = (event: Event) => listener((event as CustomEvent<EventMap[K]>).detail);
    this.addEventListener(type, wrapped);
    return () => this.removeEventListener(type, wrapped);
  }

  /** The engine's request, without the query's vector unless the caller supplies it. */
  #request(query: string, options: SearchOptions): AheadRequest {
    const { signal: _, onWords: __, onUpgrade: ___, fusion, vector, ...rest } = options;
    const request: AheadRequest = { ...(rest as Request), query };
    if (fusion !== undefined)
      request.fusion = typeof fusion === "string" ? { method: fusion } : fusion;
    const { dense } = this.info;
    if (vector !== undefined && dense && options.mode !== "lexical") {
      const values = checkedVector(vector, dense.dim);
      request.vector = { values, truncated: false, encoder: "supplied" };
    }
    if (this.#options.encoder === "none") request.encoder = "none";
    // The next search will have a vector, for which the engine needs no files.
    if (this.#encoder.embeds && this.semantic === "ready") delete request.ahead;
    return request;
  }

  /** Embeds the query and its alternative phrasings, with corrections applied. */
  async #embed(
    request: Request,
    corrections: readonly Correction[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const texts = [request.query, ...(request.also ?? [])].map((text) =>
      applyCorrections(text, corrections),
    );
    const [vector, ...also] = await abortable(this.#encoder.embed(texts), signal);
    request.vector = vector!;
    request.alsoVectors = also;
  }

  /** Embeds the query if the encoder is ready; otherwise returns why the query has no vector. */
  async #embedOrTell(
    request: Request,
    signal: AbortSignal | undefined,
  ): Promise<Notice | undefined> {
    const semantic = request.mode === "semantic";
    if (semantic && this.info.dense?.builtIn === null)
      await abortable(this.ready("semantic"), signal);
    if (this.semantic !== "ready") return this.#encoder.notice();
    try {
      await this.#embed(request, [], signal);
    } catch (thrown) {
      const error = FindlingError.from(thrown, "encoder-failed");
      if (error.code === "aborted" || semantic) throw error;
      return { code: "encoder-failed", message: error.advice };
    }
    return undefined;
  }

  /**
   * Searches again if words were corrected: the vector belonged to the query as typed. The first
   * answer stands if the corrected query cannot be embedded.
   */
  async #embedCorrected(
    request: Request,
    first: Answer,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const corrections = correctionsIn(first.json);
    if (corrections.length === 0) return first;
    try {
      await this.#embed(request, corrections, signal);
      const second = await this.#ask(request, signal);
      for (const key of ADDED_COSTS) second.cost[key] += first.cost[key];
      return second;
    } catch (thrown) {
      if (FindlingError.from(thrown, "encoder-failed").code === "aborted") throw thrown;
      return first;
    }
  }

  /**
   * Asks the engine. If the bundle does not know the page of `similarTo` or `why`, asks again
   * without the site's own address at its beginning.
   */
  async #ask(
    request: Request,
    signal: AbortSignal | undefined,
    onWords?: (words: Answer) => void,
  ): Promise<Answer> {
    const ask = () => this.#engine.remote.call<Answer>("search", request, signal, onWords);
    try {
      return await ask();
    } catch (thrown) {
      if (FindlingError.from(thrown).code !== "no-such-page") throw thrown;
      const name = request.similarTo === undefined ? "why" : "similarTo";
      const page = request[name] ?? "";
      const site = this.#site.href;
      const href = URL.canParse(page, site) ? new URL(page, site).href : site;
      if (!href.startsWith(site)) throw thrown;
      request[name] = href.slice(site.length);
      return ask();
    }
  }

  /**
   * After an answer without the transformer, begins to load it. An answer by words only is upgraded
   * when it has loaded, or repeated with the reason if it cannot be loaded. An answer by meaning
   * stays as it is: an upgrade would only reorder it.
   */
  #loadEncoderAfter(query: string, options: SearchOptions, response: SearchResponse): void {
    const { onUpgrade, onWords: _, ...again } = options;
    const upgrade = async () => {
      if (onUpgrade && !options.signal?.aborted) onUpgrade(await this.search(query, again));
    };
    this.#encoder.loadAfterSearch(response.encoder === null ? upgrade : undefined);
  }

  #response({ json, cost }: Answer, start: number, encode: number): SearchResponse {
    const { results, why, ...response } = JSON.parse(json) as Response;
    const page = (hit: PageHit | null) => hit && this.#page(hit);
    return {
      ...response,
      results: results.map((hit) => this.#page(hit)),
      ...(why && {
        why: { ...why, hit: page(why.hit), first: page(why.first), above: page(why.above) },
      }),
      stats: stats(cost, response.encoder, performance.now() - start, encode),
    };
  }

  #page(page: PageHit): PageResult {
    return {
      ...page,
      href: this.resolve(page.url),
      snippet: page.sections[0]?.snippet ?? EMPTY_SNIPPET,
      sections: page.sections.map((section) => ({ ...section, href: this.resolve(section.url) })),
    };
  }
}

/** The costs of two searches for one answer that are added. */
const ADDED_COSTS = [
  "bytesFetched",
  "requests",
  "cacheHits",
  "fetch",
  "engine",
  "recoveries",
] as const;

function stats(cost: Cost, encoder: string | null, total: number, encode: number) {
  const { bytesFetched, requests, cacheHits, residentBytes, recoveries, fetch, engine } = cost;
  const ms = { total, encode, fetch, engine };
  return { bytesFetched, requests, cacheHits, residentBytes, recoveries, ms, encoder };
}
