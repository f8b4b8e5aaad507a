/** Embeds the queries of one open bundle: by the site's own function, or by the transformer. */

import { reasonNotToDownload, whenIdle } from "./device";
import type { Encoded } from "./encoder";
import type { Notice, QueryVector } from "./engine-types";
import { FindlingError } from "./errors";
import { LruCache } from "./lru";
import { type Spawned, spawn } from "./spawn";
import { startWorker } from "./start-worker";
import type { Description, EncoderProgress, OpenOptions, SemanticState } from "./types";

/** Number of query vectors kept, so that paging and filtering do not embed again. */
const MAX_VECTORS = 32;

/** The places of the transformer's files, and the listener for its state. */
export interface Surroundings {
  /** Directory of the bundle. */
  base: URL;
  /** Directory of the client's scripts. */
  assets: URL;
  onState: (state: SemanticState) => void;
  onProgress: (progress: EncoderProgress) => void;
}

export class QueryEncoder {
  readonly #dense: Description["dense"];
  readonly #options: OpenOptions;
  readonly #surroundings: Surroundings;
  readonly #vectors = new LruCache<Promise<Encoded>>(MAX_VECTORS);
  /** Whether the transformer embeds queries once it is loaded. */
  readonly #usesTransformer: boolean;
  #state: SemanticState = "none";
  #transformer: Promise<Spawned> | undefined;
  #failure: FindlingError | undefined;
  #stopped = false;

  constructor(dense: Description["dense"], options: OpenOptions, surroundings: Surroundings) {
    this.#dense = dense;
    this.#options = options;
    this.#surroundings = surroundings;
    const { encode, encoder = "auto" } = options;
    this.#usesTransformer =
      dense !== null &&
      !encode &&
      this.#deployed !== undefined &&
      (encoder === "transformer" || (encoder === "auto" && dense.builtIn !== "hash"));
    if (this.#usesTransformer) this.#state = "idle";
    else if (dense && (encode || (dense.builtIn !== null && encoder !== "none")))
      this.#state = "ready";
    if (encoder === "transformer" && this.#usesTransformer) this.load().catch(() => {});
  }

  get state(): SemanticState {
    return this.#state;
  }

  /** Whether queries are embedded here, rather than by the engine or not at all. */
  get embeds(): boolean {
    return this.#usesTransformer || (this.#dense !== null && this.#options.encode !== undefined);
  }

  /** Bytes of the transformer's files; 0 if none are deployed. */
  get bytes(): number {
    return this.#deployed?.files.reduce((sum, { length }) => sum + length, 0) ?? 0;
  }

  /** The reason why a query is not embedded now; `undefined` if there is none. */
  notice(): Notice | undefined {
    if (this.#failure) return { code: this.#failure.code, message: this.#failure.advice };
    if (this.#state === "none") return undefined;
    const reason = this.#state === "idle" ? reasonNotToDownload() : undefined;
    return reason !== undefined
      ? { code: "encoder-postponed", message: `The encoder was not loaded ${reason}.` }
      : { code: "encoder-loading", message: "The encoder is loading; meaning follows." };
  }

  /** The vectors of texts; `null` for a text without a word. */
  embed(texts: string[]): Promise<(QueryVector | null)[]> {
    const { encode } = this.#options;
    const unknown = [...new Set(texts)].filter(
      (text) => text.trim() !== "" && this.#vectors.get(text) === undefined,
    );
    if (unknown.length > 0) {
      const all = this.#encode(unknown);
      for (const [i, text] of unknown.entries()) {
        const vector = all.then((vectors) => vectors[i]!);
        this.#vectors.set(text, vector);
        vector.catch(() => this.#vectors.delete(text, vector));
      }
    }
    const encoder = encode ? "supplied" : "transformer";
    return Promise.all(
      texts.map(async (text) => {
        const vector = await this.#vectors.get(text);
        return vector
          ? { values: Array.from(vector.values), truncated: vector.truncated, encoder }
          : null;
      }),
    );
  }

  async #encode(texts: string[]): Promise<Encoded[]> {
    const { encode } = this.#options;
    if (!encode) return (await this.load()).remote.call<Encoded[]>("encode", texts);
    const dim = this.#dense?.dim ?? 0;
    return Promise.all(
      texts.map(async (text) => ({
        values: Float32Array.from(checkedVector(await encode(text), dim)),
        truncated: false,
      })),
    );
  }

  /**
   * Begins to load the transformer after a search without it, unless the device or the connection
   * is too weak for it. `upgrade` is called when it has loaded or has failed to. Without `upgrade`,
   * loading waits until the page is idle.
   */
  loadAfterSearch(upgrade: (() => unknown) | undefined): void {
    if (this.#state === "idle" ? reasonNotToDownload() !== undefined : this.#state !== "loading")
      return;
    if (upgrade) {
      const end = () => {
        if (!this.#stopped) return upgrade();
      };
      this.load()
        .then(end, end)
        .catch(() => {});
    } else {
      whenIdle(() => {
        if (!this.#stopped) this.load().catch(() => {});
      });
    }
  }

  /** Loads the transformer; a failed load is retried by the next call. */
  load(): Promise<Spawned> {
    const dense = this.#dense;
    const deployed = this.#deployed;
    if (!dense || !deployed || !this.#usesTransformer) {
      const why = dense
        ? "The bundle has no query encoder, or the option `encoder` excludes it."
        : "The bundle has no vectors, so it can be searched by words only.";
      return Promise.reject(new FindlingError("encoder-unavailable", why));
    }
    this.#transformer ??= this.#spawn(deployed.files, dense.fingerprint);
    return this.#transformer;
  }

  async #spawn(files: { path: string; length: number; hash: string }[], fingerprint: string) {
    const { base, assets, onProgress } = this.#surroundings;
    this.#failure = undefined;
    this.#enter("loading");
    try {
      const url = new URL("findling_encoder.js", assets).href;
      const worker = this.#options.worker === false ? undefined : startWorker(url);
      const spawned = await spawn(url, worker);
      const wasmUrl = new URL("findling_encoder_bg.wasm", assets).href;
      const call = { base: base.href, wasmUrl, files, fingerprint };
      await spawned.remote.call("load", call, undefined, onProgress);
      this.#enter("ready");
      return spawned;
    } catch (thrown) {
      this.#failure = FindlingError.from(thrown, "encoder-failed");
      this.#transformer = undefined;
      this.#enter("failed");
      throw this.#failure;
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#transformer?.then(
      (transformer) => transformer.stop(),
      () => {},
    );
  }

  get #deployed() {
    return this.#dense?.queryEncoders.find(({ kind }) => kind === "transformer");
  }

  #enter(state: SemanticState): void {
    this.#state = state;
    this.#surroundings.onState(state);
  }
}

/** A vector from outside as numbers; throws `vector` if it cannot be in the documents' space. */
export function checkedVector(values: Float32Array | number[], dim: number): number[] {
  const numbers = Array.from(values);
  const refuse = (found: string) =>
    new FindlingError(
      "vector",
      `The query vector is not valid: expected ${dim} finite numbers, not all 0; found ${found}.`,
      { remedy: "Embed queries with the model that embedded the bundle's documents." },
    );
  if (numbers.length !== dim) throw refuse(`${numbers.length} numbers`);
  const at = numbers.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw refuse(`${numbers[at]} at index ${at}`);
  if (!numbers.some((value) => value !== 0)) throw refuse("only 0");
  return numbers;
}
