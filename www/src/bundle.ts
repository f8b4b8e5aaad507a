/**
 * An open bundle: the engine, and the files that it needs. The same class runs in a browser's
 * worker, on a page without workers and in a Cloudflare Worker. Only the source of the files
 * differs.
 */

import type { Engine, Search } from "../wasm/engine/findling_engine";
import type { BundleSource } from "./bundle-layout";
import { type DeferredEngine, needsDeferred } from "./deferred-engine";
import type { Mode, Notice, Request, Response } from "./engine-types";
import { abortable, type ErrorCode, FindlingError } from "./errors";
import { noTraffic, type Traffic, type WantedShard } from "./http-store";
import { ShardLoader } from "./shard-loader";
import type { Description } from "./types";

/** The functions of the engine's WebAssembly module. */
export type Wasm = typeof import("../wasm/engine/findling_engine");

/** The time and the traffic of a search. */
export interface Cost extends Traffic {
  /** Milliseconds from the request to the answer. */
  total: number;
  /** Milliseconds of them in the engine. */
  engine: number;
  /** Milliseconds of them waiting for files. */
  fetch: number;
  /** Bytes of memory that the bundle takes now. */
  residentBytes: number;
  /** Times that the search began again because it had called an engine part not loaded yet. */
  recoveries: number;
  /** The next request. Its files are prefetched with the files of this one. */
  ahead?: Request | undefined;
}

/** A request with the mode of the next one (`SearchOptions.ahead`). */
export type AheadRequest = Request & { ahead?: Mode };

/** An answer in the engine's own JSON. */
export interface Answer {
  json: string;
  cost: Cost;
}

/** Called with the results of the query's own words, before corrections and meaning. */
export type OnWords = (words: Answer) => void;

/**
 * Rounds after which a search fails. A round is one set of shards fetched together. Searches take
 * two to four, and a few more for corrections and phrases (ARCHITECTURE.md, "A query's way"). More
 * would be an endless loop.
 */
const MAX_ROUNDS = 16;

/**
 * Milliseconds without an arriving file, and milliseconds in all, after which a hybrid search
 * answers by words. Time in which the host was busy does not count, because it says nothing about
 * the connection.
 */
const MAX_WAIT_FOR_MEANING = 3000;
const MAX_WAIT_IN_ALL = 9000;
/** Milliseconds between two checks for arrived files. */
const LOOK = 250;

/** Bytes of memory for shards, by how vectors are fetched. */
const DEFAULT_MEMORY = { streamed: 24 << 20, resident: 96 << 20 };

/** Errors of files that a later deployment or a working network may fix. */
const FILE_ERRORS: ReadonlySet<ErrorCode> = new Set(["network", "shard-missing", "shard-corrupt"]);

export interface BundleOptions {
  /** Maximum bytes that shards may occupy between searches. Default: 24 MiB; resident 96 MiB. */
  memory?: number | undefined;
  /** Whether to fetch only the vectors near the query, if the bundle supports it. */
  streamed: boolean;
}

/** The answer with one more notice, which replaces the notice that there is no encoder. */
export function withNotice(json: string, notice: Notice): string {
  const answer = JSON.parse(json) as Response;
  const others = answer.notices.filter(({ code }) => code !== "encoder-missing");
  answer.notices = [notice, ...others];
  return JSON.stringify(answer);
}

export const newCost = (): Cost => ({
  ...noTraffic(),
  total: 0,
  engine: 0,
  fetch: 0,
  residentBytes: 0,
  recoveries: 0,
});

/** Waits for files until none has arrived for a while, or the total time is over. */
class Waiting {
  /** Resolves when the wait is over. */
  readonly over: Promise<undefined>;
  readonly #cost: Cost;
  #timer: ReturnType<typeof setInterval> | undefined;
  #looked = performance.now();
  #arrived: number;
  #silent = 0;
  #all = 0;

  constructor(cost: Cost) {
    this.#cost = cost;
    this.#arrived = cost.bytesFetched;
    this.over = new Promise((resolve) => {
      this.#timer = setInterval(() => {
        if (this.#isOver()) resolve(undefined);
      }, LOOK);
    });
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #isOver(): boolean {
    const now = performance.now();
    const isBusy = now - this.#looked > 2 * LOOK;
    this.#looked = now;
    if (isBusy) return false;
    const { bytesFetched } = this.#cost;
    this.#silent = bytesFetched === this.#arrived ? this.#silent + LOOK : 0;
    this.#arrived = bytesFetched;
    this.#all += LOOK;
    return this.#silent >= MAX_WAIT_FOR_MEANING || this.#all >= MAX_WAIT_IN_ALL;
  }
}

export class Bundle {
  readonly #wasm: Wasm;
  readonly #source: BundleSource;
  readonly #options: BundleOptions;
  readonly #deferred: DeferredEngine | undefined;
  readonly #loader: ShardLoader;
  /** Engines that trapped. Their borrowed objects are never returned, so they refuse to work. */
  readonly #broken = new WeakSet<Engine>();
  #engine!: Engine;
  /** The entry file and the manifest, to open another engine with. */
  #opened!: [Uint8Array, Uint8Array];
  #searching = 0;
  #revision = "";
  /** The file that the open build began with. */
  #opening = "";
  #memory = 0;
  #hasVectors = false;
  #pruned = false;

  private constructor(
    wasm: Wasm,
    source: BundleSource,
    options: BundleOptions,
    deferred: DeferredEngine | undefined,
  ) {
    this.#wasm = wasm;
    this.#source = source;
    this.#options = options;
    this.#deferred = deferred;
    this.#loader = new ShardLoader(source, deferred);
  }

  /**
   * Opens the bundle behind `source`. `ready` resolves when the module is initialised; meanwhile
   * the first file is fetched. `deferred` is the part of the engine that is loaded when needed.
   */
  static async open(
    wasm: Wasm,
    source: BundleSource,
    options: BundleOptions,
    traffic: Traffic,
    ready?: Promise<unknown>,
    deferred?: DeferredEngine,
  ): Promise<Bundle> {
    const bundle = new Bundle(wasm, source, options, deferred);
    const [entry] = await Promise.all([source.entry(traffic), ready]);
    await bundle.#load(entry, traffic);
    return bundle;
  }

  /** The hash of the manifest. It changes with every change to the bundle. */
  get revision(): string {
    return this.#revision;
  }

  describe(): Description {
    return JSON.parse(this.#workingEngine().describe()) as Description;
  }

  /** Loads the deployed build if it differs; returns whether it does. */
  async refresh(traffic: Traffic): Promise<boolean> {
    const entry = await this.#source.entry(traffic);
    const isSame = this.#wasm.manifestOf(entry).endsWith(`${this.#revision}.bin`);
    if (isSame && this.#source.opening === this.#opening) return false;
    await this.#load(entry, traffic);
    return true;
  }

  /**
   * Answers a request. `partial` is set if the answer is by words only, because files for meaning
   * are missing or slow. `onWords` is called at most once, before the answer: see `#answerWords`.
   * The cost of the search is added to `given`, or to a new cost.
   */
  async search(
    { ahead, ...request }: AheadRequest,
    signal: AbortSignal,
    onWords?: OnWords,
    given?: Cost,
  ): Promise<Answer & { partial: boolean }> {
    const cost = given ?? newCost();
    if (ahead) cost.ahead = { ...request, mode: ahead };
    const start = performance.now();
    let partial = false;
    const setPartial = () => {
      partial = true;
    };
    this.#searching++;
    try {
      const json = await this.#answerInTime(request, cost, signal, setPartial, onWords)
        .catch(async (thrown: unknown) => {
          // A missing or damaged shard usually means that the site was deployed again.
          const error = FindlingError.from(thrown);
          const stale = error.code === "shard-missing" || error.code === "shard-corrupt";
          if (!stale || !(await this.refresh(cost))) throw error;
          return this.#answer(request, cost, signal);
        })
        .catch((thrown: unknown) => {
          setPartial();
          return this.#answerByWords(request, FindlingError.from(thrown), cost, signal);
        });
      return { json, cost, partial };
    } finally {
      this.#searching--;
      cost.total = performance.now() - start;
      this.#tidy();
      cost.residentBytes = this.#workingEngine().residentBytes();
    }
  }

  /**
   * The answer, or the answer by words if the whole one takes too long. Requested files continue to
   * arrive, for the next search.
   */
  async #answerInTime(
    request: Request,
    cost: Cost,
    signal: AbortSignal,
    setPartial: () => void,
    onWords: OnWords | undefined,
  ): Promise<string> {
    const whole = this.#answer(request, cost, signal, onWords);
    if ((request.mode ?? "hybrid") !== "hybrid" || !this.#hasVectors) return whole;
    const waiting = new Waiting(cost);
    const inTime = await Promise.race([whole, waiting.over]).finally(() => waiting.end());
    if (inTime !== undefined) return inTime;
    const seconds = MAX_WAIT_FOR_MEANING / 1000;
    const slow = new FindlingError("network", `Files for meaning took over ${seconds} seconds.`, {
      remedy: "They go on arriving, for the next search.",
    });
    const words = this.#answerByWords(request, slow, cost, signal).then((json) => {
      setPartial();
      return json;
    });
    // If the search by words fails, or waits for files too, the whole answer decides.
    return Promise.race([whole, words.catch(() => whole)]);
  }

  async #load(entry: Uint8Array, traffic: Traffic): Promise<void> {
    const path = this.#wasm.manifestOf(entry);
    const { streamed } = this.#options;
    let manifest: Uint8Array;
    let engine: Engine;
    try {
      manifest = await this.#source.manifest(path, traffic, false);
      engine = this.#wasm.Engine.open(entry, manifest, streamed);
    } catch (thrown) {
      const error = FindlingError.from(thrown);
      if (["analysis", "network", "not-found", "aborted"].includes(error.code)) throw error;
      // A cache may have damaged the manifest, or the shards that come with it.
      manifest = await this.#source.manifest(path, traffic, true);
      engine = this.#wasm.Engine.open(entry, manifest, streamed);
    }
    // Running searches keep the engine with which they began.
    this.#engine = engine;
    this.#opened = [entry, manifest];
    this.#loader.reset();
    this.#opening = this.#source.opening;
    this.#revision = path.slice(path.lastIndexOf("/") + 1, path.lastIndexOf("."));
    const { dense } = this.describe();
    this.#hasVectors = dense !== null;
    this.#memory =
      this.#options.memory ?? DEFAULT_MEMORY[dense?.streamed ? "streamed" : "resident"];
    this.#pruned = false;
    this.#tidy();
  }

  /** The answer by words, with a notice, if a file for meaning could not be fetched. */
  async #answerByWords(
    request: Request,
    error: FindlingError,
    cost: Cost,
    signal: AbortSignal,
  ): Promise<string> {
    const hybrid = (request.mode ?? "hybrid") === "hybrid";
    if (!FILE_ERRORS.has(error.code) || !hybrid || !this.#hasVectors || signal.aborted) throw error;
    const json = await this.#answer(lexical(request), cost, signal).catch(() => {
      // The search by words also needs the missing file. The first error is more informative.
      throw error;
    });
    const message = `Searched by words only: ${error.advice}`;
    return withNotice(json, { code: "meaning-missing", message });
  }

  async #answer(
    request: Request,
    cost: Cost,
    signal: AbortSignal,
    onWords?: OnWords,
  ): Promise<string> {
    const deferred = this.#deferred;
    if (deferred && !deferred.loaded && needsDeferred(request))
      await abortable(deferred.load(), signal);
    const engine = this.#workingEngine();
    try {
      return await this.run(request, cost, signal, onWords, engine);
    } catch (thrown) {
      if (!deferred || signal.aborted) throw thrown;
      if (this.#broken.has(engine)) {
        // This search, or another in the same engine, called the deferred part before it was
        // loaded. Search again, with the deferred part. `needsDeferred` and the engine's requests
        // for shards should make this rare; tests fail on the message.
        cost.recoveries++;
        console.debug("findling: a search began again with the deferred part of the engine");
        await abortable(deferred.load(), signal);
        return this.run(request, cost, signal);
      }
      return this.#answerUncorrected(engine, request, FindlingError.from(thrown), cost, signal);
    }
  }

  /** The answer without corrections, if the deferred part of the engine cannot be loaded. */
  async #answerUncorrected(
    engine: Engine,
    request: Request,
    error: FindlingError,
    cost: Cost,
    signal: AbortSignal,
  ): Promise<string> {
    const uncorrected = request.verbatim === true && request.suggest === false;
    if (error.code !== "wasm" || needsDeferred(request) || uncorrected) throw error;
    const json = await this.run(verbatim(request), cost, signal, undefined, engine);
    const message = `Spelling was not corrected: ${error.advice}`;
    return withNotice(json, { code: "corrections-missing", message });
  }

  /** The engine; opened again if it has trapped. */
  #workingEngine(): Engine {
    if (this.#broken.has(this.#engine)) {
      this.#engine = this.#wasm.Engine.open(...this.#opened, this.#options.streamed);
      this.#loader.reset();
    }
    return this.#engine;
  }

  /** Runs one search: the engine requests shards, round after round, until it has the answer. */
  async run(
    request: Request,
    cost: Cost,
    signal: AbortSignal,
    onWords?: OnWords,
    engine = this.#workingEngine(),
  ): Promise<string> {
    const done = onWords && new AbortController();
    let answeringWords = !onWords || request.mode === "semantic";
    let search: Search | undefined;
    try {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        if (signal.aborted) throw FindlingError.aborted();
        const answer = timed(cost, () => {
          search ??= engine.search(JSON.stringify(request));
          return search.step(engine);
        });
        if (!answer.startsWith("[")) return answer;
        const wanted = JSON.parse(answer) as WantedShard[];
        if (round > 0 && !answeringWords)
          answeringWords = this.#answerWords(engine, request, wanted, done!.signal, onWords!);
        if (round === 0 && cost.ahead) this.#readAhead(engine, cost.ahead);
        const start = performance.now();
        await Promise.all(wanted.map((shard) => this.#loader.provide(engine, shard, cost, signal)));
        cost.fetch += performance.now() - start;
      }
      throw new FindlingError(
        "internal",
        `The search did not end: expected at most ${MAX_ROUNDS} rounds of files.`,
      );
    } catch (thrown) {
      if (thrown instanceof WebAssembly.RuntimeError) this.#broken.add(engine);
      throw thrown;
    } finally {
      done?.abort();
      // A broken engine cannot free anything.
      if (!this.#broken.has(engine)) search?.free();
    }
  }

  /**
   * Prefetches files of the next request that are adjacent to the files of this round. The engine
   * returns at once the files that are missing.
   */
  #readAhead(engine: Engine, request: Request): void {
    if (this.#deferred && !this.#deferred.loaded && needsDeferred(request)) return;
    const search = engine.search(JSON.stringify(request));
    const answer = search.step(engine);
    search.free();
    if (!answer.startsWith("[")) return;
    for (const shard of JSON.parse(answer) as WantedShard[])
      this.#source.along?.(shard, noTraffic());
  }

  /**
   * Answers by the query's own words while the whole search waits for files: for a correction or
   * for vectors. Returns `false` if the search by words would have to wait for the same files; the
   * caller then tries again in the next round. `signal` is aborted when the whole search is done.
   */
  #answerWords(
    engine: Engine,
    request: Request,
    waiting: WantedShard[],
    signal: AbortSignal,
    onWords: OnWords,
  ): boolean {
    const words = verbatim(lexical(request));
    const search = engine.search(JSON.stringify(words));
    const answer = search.step(engine);
    search.free();
    if (answer.startsWith("[")) {
      const ids = new Set(waiting.map(({ id }) => id));
      if ((JSON.parse(answer) as WantedShard[]).every(({ id }) => ids.has(id))) return false;
    }
    const cost = newCost();
    const start = performance.now();
    this.run(words, cost, signal, undefined, engine).then(
      (json) => {
        cost.total = performance.now() - start;
        cost.residentBytes = engine.residentBytes();
        if (!signal.aborted) onWords({ json, cost });
      },
      // The whole search continues and reports its own errors.
      () => {},
    );
    return true;
  }

  /**
   * Called between searches: keeps memory within its limit. Once all files of the build are known,
   * removes other files from the cache.
   */
  #tidy(): void {
    if (this.#searching > 0) return;
    const engine = this.#workingEngine();
    if (engine.residentBytes() > this.#memory) engine.shrink(this.#memory);
    if (this.#pruned) return;
    const shards = engine.shardPaths()?.split("\n");
    if (!shards) return;
    this.#pruned = true;
    const manifest = `shards/${this.#revision}.bin`;
    const encoders = this.describe().dense?.queryEncoders ?? [];
    const encoderFiles = encoders.flatMap(({ files }) => files.map(({ path }) => path));
    const keep = new Set([manifest, ...shards, ...encoderFiles]);
    void this.#source.prune(keep, this.#revision).catch(() => {});
  }
}

/** The request without search by meaning. */
function lexical(request: Request): Request {
  const { vector: _, alsoVectors: __, ...words } = request;
  return { ...words, mode: "lexical" };
}

/** The request without corrections and suggestions. */
function verbatim(request: Request): Request {
  return { ...request, verbatim: true, suggest: false };
}

/** Calls `work` and adds its time to the engine's. */
function timed<T>(cost: Cost, work: () => T): T {
  const start = performance.now();
  try {
    return work();
  } finally {
    cost.engine += performance.now() - start;
  }
}
