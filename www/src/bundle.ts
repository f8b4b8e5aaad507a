/**
 * One opened bundle: the engine, fed with the files it asks for. The same in a browser's worker, on
 * a page without workers and in a Cloudflare Worker; what differs is where files come from.
 */

import type { Engine } from "../wasm/engine/findling_engine";
import type { Notice, Request, Response } from "./engine-types";
import { abortable, FindlingError } from "./errors";
import { needsRest, type Rest } from "./rest";
import { noTraffic, type Traffic, type Wanted } from "./shards";
import type { Source } from "./sources";
import type { Description } from "./types";

/** The WebAssembly module's face, initialised. */
export type Wasm = typeof import("../wasm/engine/findling_engine");

/** What a search cost. */
export interface Cost extends Traffic {
  /** Milliseconds from the request's arrival at the engine to its answer. */
  total: number;
  /** Of which the engine worked. */
  engine: number;
  /** Of which it waited for files. */
  fetch: number;
  /** Bytes the bundle takes in memory now. */
  residentBytes: number;
}

/**
 * The engine asks two or three times; many more would be a fault, and must not become an endless
 * loop.
 */
const MOST_ROUNDS = 16;

/** How long words wait for what meaning needs. */
const PATIENCE_MS = 3000;

/** How a bundle is kept. */
export interface Keeping {
  /**
   * Most bytes that shards may keep occupied between searches; 24 MiB unless told, 96 where all
   * vectors are fetched.
   */
  memory?: number | undefined;
  /**
   * Whether to fetch the vectors near a query instead of all of them, where the bundle allows it.
   */
  streamed: boolean;
}

const MEMORY = { streamed: 24 << 20, resident: 96 << 20 };

interface Load {
  done: Promise<void>;
  controller: AbortController;
  waiting: number;
}

/** An answer with one notice more, which tells more than that there was no encoder. */
export function noticed(json: string, notice: Notice): string {
  const answer = JSON.parse(json) as Response;
  answer.notices = [notice, ...answer.notices.filter(({ code }) => code !== "encoder-missing")];
  return JSON.stringify(answer);
}

/** A bundle, open. */
export class Bundle {
  readonly #wasm: Wasm;
  readonly #source: Source;
  readonly #keeping: Keeping;
  readonly #rest: Rest | undefined;
  readonly #loads = new Map<number, Load>();
  /**
   * Engines that trapped: what they had lent out is never given back, so that they refuse to work.
   */
  readonly #broken = new WeakSet<Engine>();
  #engine!: Engine;
  /** What it was opened with: the entry and the manifest. */
  #opened!: [Uint8Array, Uint8Array];
  #searching = 0;
  #revision = "";
  #memory = 0;
  /** Whether the bundle has vectors. */
  #dense = false;
  #pruned = false;

  private constructor(wasm: Wasm, source: Source, keeping: Keeping, rest: Rest | undefined) {
    this.#wasm = wasm;
    this.#source = source;
    this.#keeping = keeping;
    this.#rest = rest;
  }

  /**
   * Opens the bundle behind `source`. `ready` is the module's initialisation, awaited beside the
   * first file; `rest` what of the module comes when it is needed.
   */
  static async open(
    wasm: Wasm,
    source: Source,
    keeping: Keeping,
    traffic: Traffic,
    ready?: Promise<unknown>,
    rest?: Rest,
  ): Promise<Bundle> {
    const bundle = new Bundle(wasm, source, keeping, rest);
    const [entry] = await Promise.all([source.entry(traffic), ready]);
    await bundle.#load(entry, traffic);
    return bundle;
  }

  /** The manifest's hash: changes whenever anything in the bundle does. */
  get revision(): string {
    return this.#revision;
  }

  /** What the bundle says of itself. */
  describe(): Description {
    return JSON.parse(this.#sound().describe()) as Description;
  }

  /** Looks whether another build has been deployed, and moves to it if so. */
  async refresh(traffic: Traffic): Promise<boolean> {
    const entry = await this.#source.entry(traffic);
    if (this.#wasm.manifestOf(entry).endsWith(`${this.#revision}.bin`)) return false;
    await this.#load(entry, traffic);
    return true;
  }

  /**
   * Answers a request with the engine's own JSON. `partial`: by words alone, since files were
   * missing.
   */
  async search(
    request: Request,
    signal: AbortSignal,
  ): Promise<{ json: string; cost: Cost; partial: boolean }> {
    const cost: Cost = { ...noTraffic(), total: 0, engine: 0, fetch: 0, residentBytes: 0 };
    const start = performance.now();
    let partial = false;
    this.#searching++;
    try {
      const json = await this.#soon(request, cost, signal, () => (partial = true))
        .catch(async (thrown: unknown) => {
          // A shard that is gone or another mostly means that the site was deployed anew under the
          // reader's eyes.
          const error = FindlingError.from(thrown);
          if (
            !["shard-missing", "shard-corrupt"].includes(error.code) ||
            !(await this.refresh(cost))
          )
            throw error;
          return this.#answer(request, cost, signal);
        })
        .catch((thrown: unknown) => {
          partial = true;
          return this.#byWords(request, FindlingError.from(thrown), cost, signal);
        });
      return { json, cost, partial };
    } finally {
      this.#searching--;
      cost.total = performance.now() - start;
      this.#tidy();
      cost.residentBytes = this.#sound().residentBytes();
    }
  }

  /**
   * The answer, or what words alone find where that takes too long; what is on its way goes on
   * arriving, for the next search.
   */
  async #soon(
    request: Request,
    cost: Cost,
    signal: AbortSignal,
    late: () => void,
  ): Promise<string> {
    const whole = this.#answer(request, cost, signal);
    if ((request.mode ?? "hybrid") !== "hybrid" || !this.#dense) return whole;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<undefined>(
      (resolve) => (timer = setTimeout(resolve, PATIENCE_MS)),
    );
    const first = await Promise.race([whole, patience]).finally(() => clearTimeout(timer));
    if (first !== undefined) return first;
    const slow = new FindlingError(
      "network",
      `what meaning needs has not arrived within ${PATIENCE_MS / 1000} seconds.`,
    );
    const words = this.#byWords(request, slow, cost, signal).then((json) => {
      late();
      return json;
    });
    // Where words fail, or wait for files themselves, the whole answer decides.
    return Promise.race([whole, words.catch(() => whole)]);
  }

  async #load(entry: Uint8Array, traffic: Traffic): Promise<void> {
    const path = this.#wasm.manifestOf(entry);
    let manifest = await this.#source.manifest(path, traffic, false);
    let engine: Engine;
    try {
      engine = this.#wasm.Engine.open(entry, manifest, this.#keeping.streamed);
    } catch (thrown) {
      if (FindlingError.from(thrown).code === "analysis") throw FindlingError.from(thrown);
      manifest = await this.#source.manifest(path, traffic, true);
      engine = this.#wasm.Engine.open(entry, manifest, this.#keeping.streamed);
    }
    // Searches under way keep the engine they began with; it is collected when the last of them is
    // done.
    this.#engine = engine;
    this.#opened = [entry, manifest];
    this.#loads.clear();
    this.#revision = path.slice(path.lastIndexOf("/") + 1, path.lastIndexOf("."));
    const { dense } = this.describe();
    this.#dense = dense !== null;
    this.#memory = this.#keeping.memory ?? MEMORY[dense?.streamed ? "streamed" : "resident"];
    this.#pruned = false;
    this.#tidy();
  }

  /**
   * What words alone find, where a file that meaning needs could not be had; says so in a notice.
   */
  async #byWords(
    request: Request,
    error: FindlingError,
    cost: Cost,
    signal: AbortSignal,
  ): Promise<string> {
    const partial =
      ["network", "shard-missing", "shard-corrupt"].includes(error.code) &&
      (request.mode ?? "hybrid") === "hybrid";
    if (!partial || signal.aborted || !this.#dense) throw error;
    const { vector: _, alsoVectors: __, ...words } = request;
    const json = await this.#answer({ ...words, mode: "lexical" }, cost, signal).catch(() => {
      // Words need what is missing as well: what was missing first says more.
      throw error;
    });
    return noticed(json, {
      code: "meaning-missing",
      message: `Words alone were searched: ${error.message} ${error.remedy}`.trimEnd(),
    });
  }

  async #answer(request: Request, cost: Cost, signal: AbortSignal): Promise<string> {
    const rest = this.#rest;
    if (rest && !rest.here && needsRest(request)) await abortable(rest.load(), signal);
    const engine = this.#sound();
    try {
      return await this.#steps(engine, request, cost, signal);
    } catch (thrown) {
      if (!rest || signal.aborted) throw thrown;
      if (this.#broken.has(engine)) {
        // It needed the rest without saying so, or another did that shared the engine: once more,
        // with the rest.
        await abortable(rest.load(), signal);
        return this.#steps(this.#sound(), request, cost, signal);
      }
      const error = FindlingError.from(thrown);
      if (
        error.code !== "wasm" ||
        needsRest(request) ||
        (request.verbatim && request.suggest === false)
      )
        throw thrown;
      // Words that the site does not have, and no way to find out what was meant.
      const json = await this.#steps(
        engine,
        { ...request, verbatim: true, suggest: false },
        cost,
        signal,
      );
      return noticed(json, {
        code: "corrections-missing",
        message: `Words were taken as they are spelt: ${error.message} ${error.remedy}`.trimEnd(),
      });
    }
  }

  /** The engine; made anew where a trap has left it in the middle of its work. */
  #sound(): Engine {
    if (this.#broken.has(this.#engine)) {
      this.#engine = this.#wasm.Engine.open(...this.#opened, this.#keeping.streamed);
      this.#loads.clear();
    }
    return this.#engine;
  }

  async #steps(engine: Engine, request: Request, cost: Cost, signal: AbortSignal): Promise<string> {
    const timed = <T>(work: () => T): T => {
      const start = performance.now();
      try {
        return work();
      } finally {
        cost.engine += performance.now() - start;
      }
    };
    let search: ReturnType<Engine["search"]> | undefined;
    try {
      search = timed(() => engine.search(JSON.stringify(request)));
      for (let round = 0; round < MOST_ROUNDS; round++) {
        if (signal.aborted) throw FindlingError.aborted();
        const answer = timed(() => search!.step(engine));
        if (answer.startsWith("{")) return answer;
        const start = performance.now();
        await Promise.all(
          (JSON.parse(answer) as Wanted[]).map((wanted) =>
            this.#provide(engine, wanted, cost, signal),
          ),
        );
        cost.fetch += performance.now() - start;
      }
      throw new FindlingError(
        "internal",
        `The engine asked for files ${MOST_ROUNDS} times without coming to an end.`,
      );
    } catch (thrown) {
      if (thrown instanceof WebAssembly.RuntimeError) this.#broken.add(engine);
      throw thrown;
    } finally {
      // Of a broken engine nothing can be given back.
      if (!this.#broken.has(engine)) search?.free();
    }
  }

  /**
   * Fetches a shard once for all searches that wait for it; only when none waits any more is it
   * cancelled.
   */
  async #provide(
    engine: Engine,
    wanted: Wanted,
    traffic: Traffic,
    signal: AbortSignal,
  ): Promise<void> {
    let load = this.#loads.get(wanted.id);
    if (!load) {
      const controller = new AbortController();
      const fresh: Load = {
        controller,
        waiting: 0,
        done: this.#fetch(engine, wanted, traffic, controller.signal),
      };
      const forget = () => {
        if (this.#loads.get(wanted.id) === fresh) this.#loads.delete(wanted.id);
      };
      fresh.done.then(forget, forget);
      this.#loads.set(wanted.id, fresh);
      load = fresh;
    }
    const shared = load;
    shared.waiting++;
    try {
      await abortable(wanted.optional ? shared.done.catch(() => {}) : shared.done, signal);
    } finally {
      if (--shared.waiting === 0) shared.controller.abort();
    }
  }

  async #fetch(
    engine: Engine,
    wanted: Wanted,
    traffic: Traffic,
    signal: AbortSignal,
  ): Promise<void> {
    const rest = wanted.rest ? this.#rest?.load() : undefined;
    const get = async (fresh: boolean) => {
      const bytes = this.#source
        .shard(wanted, traffic, { signal, fresh })
        .catch((thrown: unknown) => {
          const error = FindlingError.from(thrown);
          throw error.code === "not-found"
            ? new FindlingError("shard-missing", error.message, { cause: error })
            : error;
        });
      return (await Promise.all([bytes, rest]))[0];
    };
    try {
      engine.provide(wanted.id, await get(false));
    } catch (thrown) {
      if (FindlingError.from(thrown).code !== "bundle") throw thrown;
      // Not what the manifest lists: a cache on the way may have spoilt it. Once more, past all of
      // them.
      try {
        engine.provide(wanted.id, await get(true));
      } catch (again) {
        const error = FindlingError.from(again);
        if (error.code !== "bundle") throw error;
        throw new FindlingError("shard-corrupt", `${wanted.path} is damaged: ${error.message}`, {
          cause: again,
        });
      }
    }
  }

  /**
   * Between searches: keeps memory within its bound, and the cache to the files of this build, once
   * they are known.
   */
  #tidy(): void {
    if (this.#searching > 0) return;
    const engine = this.#sound();
    if (engine.residentBytes() > this.#memory) engine.shrink(this.#memory);
    if (this.#pruned) return;
    const shards = engine.shardPaths()?.split("\n");
    if (!shards) return;
    this.#pruned = true;
    const manifest = `shards/${this.#revision}.bin`;
    const encoders =
      this.describe().dense?.queryEncoders.flatMap(({ files }) => files.map((file) => file.path)) ??
      [];
    void this.#source
      .prune(new Set([manifest, ...shards, ...encoders]), this.#revision)
      .catch(() => {});
  }
}
