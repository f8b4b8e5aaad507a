/**
 * Fetches shards and hands them to an engine, each shard once for all searches that wait for it.
 */

import type { Engine } from "../wasm/engine/findling_engine";
import type { BundleSource } from "./bundle-layout";
import type { DeferredEngine } from "./deferred-engine";
import { abortable, FindlingError } from "./errors";
import type { Traffic, WantedShard } from "./http-store";

interface Load {
  done: Promise<void>;
  controller: AbortController;
  waiting: number;
}

export class ShardLoader {
  readonly #source: BundleSource;
  readonly #deferred: DeferredEngine | undefined;
  readonly #loads = new Map<number, Load>();

  constructor(source: BundleSource, deferred: DeferredEngine | undefined) {
    this.#source = source;
    this.#deferred = deferred;
  }

  /** Forgets all pending loads, for a new engine. */
  reset(): void {
    this.#loads.clear();
  }

  /**
   * Hands a shard to the engine. Searches that need the same shard share one request, which is
   * cancelled when the last of them is aborted.
   */
  async provide(
    engine: Engine,
    wanted: WantedShard,
    traffic: Traffic,
    signal: AbortSignal,
  ): Promise<void> {
    const load = this.#loads.get(wanted.id) ?? this.#begin(engine, wanted, traffic);
    load.waiting++;
    try {
      await abortable(wanted.optional ? load.done.catch(() => {}) : load.done, signal);
    } finally {
      load.waiting--;
      if (load.waiting === 0) this.#cancel(wanted.id, load);
    }
  }

  /** Cancels a load. It is forgotten at once: a search that begins now must not wait for it. */
  #cancel(id: number, load: Load): void {
    this.#forget(id, load);
    load.controller.abort();
  }

  #forget(id: number, load: Load): void {
    if (this.#loads.get(id) === load) this.#loads.delete(id);
  }

  #begin(engine: Engine, wanted: WantedShard, traffic: Traffic): Load {
    const controller = new AbortController();
    const done = this.#fetch(engine, wanted, traffic, controller.signal);
    const load = { controller, waiting: 0, done };
    const forget = () => this.#forget(wanted.id, load);
    this.#loads.set(wanted.id, load);
    // A load can take several requests, and other searches wait for the last of them.
    const settled = done.then(forget, forget);
    traffic.later?.(settled);
    return load;
  }

  async #fetch(
    engine: Engine,
    wanted: WantedShard,
    traffic: Traffic,
    signal: AbortSignal,
  ): Promise<void> {
    // The deferred part of the engine reads some kinds of shards. Both are loaded at once.
    const deferred = wanted.rest ? this.#deferred?.load() : undefined;
    const get = async (fresh: boolean) => {
      const shard = this.#source.shard(wanted, traffic, { signal, fresh });
      const bytes = shard.catch((thrown: unknown) => {
        const error = FindlingError.from(thrown);
        if (error.code !== "not-found") throw error;
        throw new FindlingError("shard-missing", error.message, { cause: error });
      });
      return (await Promise.all([bytes, deferred]))[0];
    };
    try {
      engine.provide(wanted.id, await get(false));
    } catch (thrown) {
      if (FindlingError.from(thrown).code !== "bundle") throw thrown;
      // The bytes do not match the manifest. A cache may have damaged them, so the second request
      // bypasses all caches.
      await this.#fetchFresh(engine, wanted, get);
    }
  }

  async #fetchFresh(
    engine: Engine,
    wanted: WantedShard,
    get: (fresh: boolean) => Promise<Uint8Array>,
  ): Promise<void> {
    try {
      engine.provide(wanted.id, await get(true));
    } catch (thrown) {
      const error = FindlingError.from(thrown);
      if (error.code !== "bundle") throw error;
      throw new FindlingError("shard-corrupt", `${wanted.path} is damaged: ${error.message}`, {
        cause: thrown,
      });
    }
  }
}
