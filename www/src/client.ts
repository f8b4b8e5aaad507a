/**
 * The client: `open(url)`, then `search(query)`. Words answer at once; meaning joins when its
 * encoder has loaded.
 */

import type { Cost } from "./bundle";
import { hindrance, whenIdle } from "./device";
import type { Encoded } from "./encoder";
import type { Correction, Notice, PageHit, QueryVector, Request, Response } from "./engine-types";
import { abortable, FindlingError } from "./errors";
import { locate } from "./locate";
import { meant } from "./meant";
import { Recent } from "./recent";
import type { Traffic } from "./shards";
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

/** Vectors of recent queries kept, so that paging and filtering do not embed again. */
const VECTORS_KEPT = 32;

/**
 * Opens the bundle in the directory at `url`, or the one in the file at `url` if that ends with
 * `.findling`.
 */
export async function open(url: string | URL, options: OpenOptions = {}): Promise<FindlingIndex> {
  const address = new URL(url, document.baseURI);
  const assets = new URL(
    options.assets ?? ".",
    options.assets === undefined ? import.meta.url : document.baseURI,
  );
  const inWorker = options.worker !== false;
  const engine = await spawn(new URL("findling-worker.js", assets).href, inWorker);
  try {
    const opened = await engine.remote.call<Opened>("open", {
      url: address.href,
      wasmUrl: new URL("findling_engine.pack", assets).href,
      restUrl: new URL("findling_engine_rest.pack", assets).href,
      memory: options.memory,
      streamed: options.vectors !== "resident",
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
 * An open bundle. Dispatches `semantic` when the state of the encoder changes and `progress` while
 * it loads.
 */
export class FindlingIndex extends EventTarget {
  /** What the bundle says of itself. */
  readonly info: Description;
  /** What opening it cost. */
  readonly opening: Traffic & { ms: number };
  readonly #base: URL;
  readonly #site: URL;
  readonly #moved: boolean;
  readonly #assets: URL;
  readonly #engine: Spawned;
  readonly #options: OpenOptions;
  readonly #vectors = new Recent<Promise<Encoded>>(VECTORS_KEPT);
  /** Whether queries are embedded by an encoder that is loaded, once it is. */
  readonly #loads: boolean;
  #semantic: SemanticState = "none";
  #encoder: Promise<Spawned> | undefined;
  #failure: FindlingError | undefined;
  #closed = false;

  /** @internal */
  constructor(address: URL, assets: URL, engine: Spawned, opened: Opened, options: OpenOptions) {
    super();
    const { base, file } = locate(address);
    this.#base = base;
    this.#moved = options.site !== undefined;
    this.#site =
      options.site === undefined
        ? new URL(file === undefined ? "../" : ".", base)
        : new URL(options.site, document.baseURI);
    this.#assets = assets;
    this.#engine = engine;
    this.#options = options;
    this.info = opened.description;
    this.opening = { ...opened.traffic, ms: opened.ms };
    const { dense } = this.info;
    this.#loads =
      dense !== null &&
      !options.encode &&
      options.encoder !== "none" &&
      options.encoder !== "static" &&
      this.#transformer !== undefined &&
      (options.encoder === "transformer" || dense.builtIn !== "hash");
    if (
      dense &&
      (options.encode || (dense.builtIn !== null && options.encoder !== "none" && !this.#loads))
    )
      this.#semantic = "ready";
    else if (this.#loads) this.#semantic = "idle";
    if (options.encoder === "transformer" && this.#semantic === "idle")
      this.#load().catch(() => {});
  }

  /** How far meaning is. */
  get semantic(): SemanticState {
    return this.#semantic;
  }

  /** Bytes that the encoder would fetch; 0 where there is none to fetch. */
  get encoderBytes(): number {
    return this.#transformer?.files.reduce((sum, file) => sum + file.length, 0) ?? 0;
  }

  /**
   * Resolves when searches by words (`lexical`) or by meaning (`semantic`) are possible, and makes
   * the encoder load. Rejects with `encoder-unavailable` where meaning never will be.
   */
  async ready(what: "lexical" | "semantic" = "lexical"): Promise<void> {
    if (what === "lexical" || this.#semantic === "ready") return;
    await this.#load();
  }

  /** Searches. An empty query with a filter, sort or facets lists pages. */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResponse> {
    const start = performance.now();
    const { signal, onUpgrade, fusion, vector: supplied, ...rest } = options;
    if (this.#closed) throw new FindlingError("closed", "The index was closed.");
    if (signal?.aborted) throw FindlingError.aborted();
    const request: Request = { ...(rest as Request), query };
    if (fusion !== undefined)
      request.fusion = typeof fusion === "string" ? { method: fusion } : fusion;

    const mode = options.mode ?? "hybrid";
    const { dense } = this.info;
    const wantsVector =
      mode !== "lexical" &&
      dense !== null &&
      supplied === undefined &&
      (this.#loads || this.#options.encode !== undefined) &&
      query.trim() !== "";
    if (supplied !== undefined && dense && mode !== "lexical") {
      request.vector = {
        values: checked(supplied, dense.dim),
        truncated: false,
        encoder: "supplied",
      };
    }
    if (this.#options.encoder === "none") request.encoder = "none";
    const embed = async (corrections: readonly Correction[]) => {
      const texts = [query, ...(options.also ?? [])].map((text) => meant(text, corrections));
      const [vector, ...also] = await abortable(this.#embed(texts), signal);
      request.vector = vector!;
      request.alsoVectors = also;
    };
    let notice: Notice | undefined;
    if (wantsVector) {
      if (mode === "semantic" && dense.builtIn === null)
        await abortable(this.ready("semantic"), signal);
      if (this.#semantic === "ready") {
        try {
          await embed([]);
        } catch (thrown) {
          const error = FindlingError.from(thrown, "encoder-failed");
          if (error.code === "aborted" || mode === "semantic") throw error;
          notice = {
            code: "encoder-failed",
            message: `${error.message} ${error.remedy}`.trimEnd(),
          };
        }
      } else {
        notice = this.#whyNot();
      }
    }
    const encode = performance.now() - start;

    const first = await this.#ask(request, signal);
    let { cost } = first;
    let answer = JSON.parse(first.json) as Response;
    if (wantsVector && request.vector && answer.corrections.length > 0) {
      // The vector is of what was typed; what was meant is known only now.
      try {
        await embed(answer.corrections);
        const again = await this.#ask(request, signal);
        for (const key of ["bytesFetched", "requests", "cacheHits", "fetch", "engine"] as const)
          again.cost[key] += cost[key];
        cost = again.cost;
        answer = JSON.parse(again.json) as Response;
      } catch (thrown) {
        if (FindlingError.from(thrown, "encoder-failed").code === "aborted") throw thrown;
      }
    }
    const { results, why, ...response } = answer;
    if (notice)
      response.notices = [
        notice,
        ...response.notices.filter(({ code }) => code !== "encoder-missing"),
      ];

    if (wantsVector && !request.vector) this.#later(query, options, response.encoder !== null);
    const { bytesFetched, requests, cacheHits, fetch, engine, residentBytes } = cost;
    return {
      ...response,
      results: results.map((page) => this.#page(page)),
      ...(why && {
        why: {
          ...why,
          hit: why.hit && this.#page(why.hit),
          first: why.first && this.#page(why.first),
          above: why.above && this.#page(why.above),
        },
      }),
      stats: {
        bytesFetched,
        requests,
        cacheHits,
        residentBytes,
        ms: { total: performance.now() - start, encode, fetch, engine },
        encoder: response.encoder,
      },
    };
  }

  /**
   * Pages similar to one, without itself: by the page's own vectors, so that no encoder takes part,
   * or by its words in a bundle without vectors. `page`: its URL, such as `location.href`, or its
   * document's id; rejects with `no-such-page` where none is found.
   */
  similar(page: string | URL, options: SimilarOptions = {}): Promise<SearchResponse> {
    return this.search("", { ...options, similarTo: String(page) } as SearchOptions);
  }

  /**
   * A page's address as an absolute one; `null` where it is not http(s), such as a `javascript:`
   * address.
   */
  resolve(url: string): string | null {
    try {
      // Under another root than the one indexed, root-relative addresses move along.
      const address = new URL(
        this.#moved && /^\/(?!\/)/.test(url) ? url.slice(1) : url,
        this.#site,
      );
      return /^https?:$/.test(address.protocol) ? address.href : null;
    } catch {
      return null;
    }
  }

  /** Ends the workers and frees their memory. */
  close(): void {
    this.#closed = true;
    this.#engine.stop();
    this.#encoder?.then(
      (encoder) => encoder.stop(),
      () => {},
    );
  }

  /**
   * Calls `listener` on every `semantic` (a new state) and `progress` (of loading) until the
   * function returned is called.
   */
  on<K extends keyof EventMap>(type: K, listener: (detail: EventMap[K]) => void): () => void {
    const wrapped = (event: Event) => listener((event as CustomEvent<EventMap[K]>).detail);
    this.addEventListener(type, wrapped);
    return () => this.removeEventListener(type, wrapped);
  }

  get #transformer() {
    return this.info.dense?.queryEncoders.find(({ kind }) => kind === "transformer");
  }

  #page(page: PageHit): PageResult {
    return {
      ...page,
      href: this.resolve(page.url),
      snippet: page.sections[0]?.snippet ?? {
        text: "",
        ranges: [],
        code: [],
        cutStart: false,
        cutEnd: false,
      },
      sections: page.sections.map((section) => ({ ...section, href: this.resolve(section.url) })),
    };
  }

  /**
   * Asks the engine; about a page once more without the site's own address in front, which the
   * bundle may not know.
   */
  #ask(request: Request, signal: AbortSignal | undefined): Promise<{ json: string; cost: Cost }> {
    const ask = () =>
      this.#engine.remote.call<{ json: string; cost: Cost }>("search", request, signal);
    return ask().catch((thrown: unknown) => {
      const name = request.similarTo === undefined ? "why" : "similarTo";
      const page = request[name] ?? "";
      const { href } = URL.canParse(page, this.#site) ? new URL(page, this.#site) : this.#site;
      if (FindlingError.from(thrown).code !== "no-such-page" || !href.startsWith(this.#site.href))
        throw thrown;
      request[name] = href.slice(this.#site.href.length);
      return ask();
    });
  }

  #enter(state: SemanticState): void {
    this.#semantic = state;
    this.dispatchEvent(new CustomEvent("semantic", { detail: state }));
  }

  #whyNot(): Notice | undefined {
    if (this.#failure)
      return {
        code: this.#failure.code,
        message: `${this.#failure.message} ${this.#failure.remedy}`.trimEnd(),
      };
    if (this.#semantic === "none") return undefined;
    const why = this.#semantic === "idle" ? hindrance() : undefined;
    return why !== undefined
      ? { code: "encoder-postponed", message: `The encoder was not loaded, ${why}.` }
      : {
          code: "encoder-loading",
          message: "The encoder is still loading; results by meaning follow.",
        };
  }

  /**
   * After an answer without the transformer: gets that under way. An answer by words alone is given
   * again when it is there; one that `knew` meaning stays, since it would only be put in another
   * order.
   */
  #later(query: string, { onUpgrade, ...options }: SearchOptions, knew: boolean): void {
    if (this.#semantic === "idle" && hindrance() !== undefined) return;
    if (this.#semantic !== "idle" && this.#semantic !== "loading") return;
    if (knew) {
      whenIdle(() => !this.#closed && this.#load().catch(() => {}));
      return;
    }
    this.#load()
      .then(() => {
        if (onUpgrade && !options.signal?.aborted && !this.#closed)
          return this.search(query, options).then(onUpgrade);
      })
      .catch(() => {});
  }

  #load(): Promise<Spawned> {
    const { dense } = this.info;
    const transformer = this.#transformer;
    if (!dense || !transformer || !this.#loads) {
      return Promise.reject(
        new FindlingError(
          "encoder-unavailable",
          dense
            ? "This bundle has no query encoder beside it, or it was not wanted."
            : "This bundle has no vectors: it can be searched by words alone.",
        ),
      );
    }
    this.#encoder ??= (async () => {
      this.#failure = undefined;
      this.#enter("loading");
      try {
        const spawned = await spawn(
          new URL("findling_encoder.js", this.#assets).href,
          this.#options.worker !== false,
        );
        await spawned.remote.call(
          "load",
          {
            base: this.#base.href,
            wasmUrl: new URL("findling_encoder_bg.wasm", this.#assets).href,
            files: transformer.files,
            fingerprint: dense.fingerprint,
          },
          undefined,
          (detail: EncoderProgress) => this.dispatchEvent(new CustomEvent("progress", { detail })),
        );
        this.#enter("ready");
        return spawned;
      } catch (thrown) {
        this.#failure = FindlingError.from(thrown, "encoder-failed");
        // Asked for again, it is tried again.
        this.#encoder = undefined;
        this.#enter("failed");
        throw this.#failure;
      }
    })();
    return this.#encoder;
  }

  /** Vectors of texts, those not known from before in one call. `null` of one without a word. */
  #embed(texts: string[]): Promise<(QueryVector | null)[]> {
    const { encode } = this.#options;
    const dim = this.info.dense?.dim ?? 0;
    const unknown = [...new Set(texts)].filter(
      (text) => text.trim() !== "" && this.#vectors.get(text) === undefined,
    );
    if (unknown.length > 0) {
      const all = encode
        ? Promise.all(
            unknown.map(async (text) => ({
              values: Float32Array.from(checked(await encode(text), dim)),
              truncated: false,
            })),
          )
        : this.#load().then(({ remote }) => remote.call<Encoded[]>("encode", unknown));
      unknown.forEach((text, i) => {
        const vector = all.then((vectors) => vectors[i]!);
        this.#vectors.set(text, vector);
        vector.catch(() => this.#vectors.forget(text, vector));
      });
    }
    return Promise.all(
      texts.map(async (text) => {
        const vector = this.#vectors.get(text);
        if (!vector) return null;
        const { values, truncated } = await vector;
        return {
          values: Array.from(values),
          truncated,
          encoder: encode ? "supplied" : "transformer",
        };
      }),
    );
  }
}

/** A vector from outside, if it can be of the documents' space. */
function checked(values: Float32Array | number[], dim: number): number[] {
  const numbers = Array.from(values);
  const refuse = (found: string) =>
    new FindlingError(
      "vector",
      `A query's vector must be ${dim} finite numbers, not all 0; ${found}.`,
      {
        remedy: "Embed queries with the model that the bundle's documents were embedded with.",
      },
    );
  if (numbers.length !== dim) throw refuse(`this one has ${numbers.length}`);
  const at = numbers.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw refuse(`at ${at} there is ${numbers[at]}`);
  if (!numbers.some((value) => value !== 0)) throw refuse("these all are");
  return numbers;
}
