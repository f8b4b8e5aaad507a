/**
 * The bundles that an isolate has open. Each is opened by the first request for it, kept for later
 * requests, and replaced when another build is deployed. All share one limit of memory.
 */

import type { Engine } from "../../wasm/engine/findling_engine";
import { Bundle, type Wasm } from "../bundle";
import { type BundleAddress, parseBundleAddress } from "../bundle-address";
import { DirectorySource, SingleFileSource } from "../bundle-layout";
import { HttpStore } from "../http-store";
import type { Description } from "../types";
import type { Metered } from "./budget";
import { type FetchingOptions, fetchFiles } from "./store";

/** An open bundle. */
export interface Opened {
  bundle: Bundle;
  store: HttpStore;
  description: Description;
  /** The build that the description belongs to. */
  revision: string;
  /** When the deployed build was last checked. */
  checked: number;
}

/** Options for keeping bundles. */
export interface LibraryOptions {
  /** Maximum memory, in bytes, for the shards of all bundles between requests. */
  memory: number;
  /** Maximum number of open bundles. */
  bundles: number;
  /** Whether to fetch only the vectors near a query. */
  streamed: boolean;
  /** Milliseconds after which to check whether another build is deployed. */
  revisionCheck: number;
  /** Called after another build of a bundle was opened. */
  changed(name: string): void;
}

interface Kept {
  opening: Promise<Opened>;
  opened?: Opened;
  /** The bundle's engines: one of the present build, and engines of earlier builds. */
  engines: Engine[];
  /** Requests that are using it. */
  users: number;
}

export class Library {
  readonly #wasm: Wasm;
  readonly #options: LibraryOptions;
  /** Bundles by name; the bundle used last is last. */
  readonly #kept = new Map<string, Kept>();

  constructor(wasm: Wasm, options: LibraryOptions) {
    this.#wasm = wasm;
    this.#options = options;
  }

  /** The bundle with a name if it is open. */
  at(name: string): Opened | undefined {
    return this.#kept.get(name)?.opened;
  }

  /**
   * Does work with the bundle at an address. An open bundle answers at once, with its build. From
   * time to time, in parallel with the answer, it checks whether another build is deployed.
   */
  async use<T>(
    { name, address }: { name: string; address: URL },
    files: FetchingOptions,
    cost: Metered,
    work: (opened: Opened) => Promise<T>,
  ): Promise<T> {
    const kept = this.#kept.get(name) ?? this.#begin(name, address, files, cost);
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    kept.users++;
    try {
      this.#closeOthers();
      const opened = await kept.opening;
      if (Date.now() - opened.checked > this.#options.revisionCheck)
        cost.later(this.#refresh(opened, cost));
      const { revision } = opened.bundle;
      if (revision !== opened.revision) {
        Object.assign(opened, { revision, description: opened.bundle.describe() });
        this.#options.changed(name);
      }
      return await work(opened);
    } finally {
      kept.users--;
      if (this.#kept.get(name) === kept) this.#tidy(kept);
      else close(kept);
    }
  }

  /** Forgets a bundle with which a request did not end. The next request opens it anew. */
  forget(name: string): void {
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    if (kept) close(kept);
  }

  async #refresh(opened: Opened, cost: Metered): Promise<void> {
    opened.checked = Date.now();
    try {
      await opened.bundle.refresh(cost);
    } catch (thrown) {
      // The open build continues to answer.
      console.warn(`findling: ${(thrown as Error).message}`);
    }
  }

  #begin(name: string, address: URL, files: FetchingOptions, cost: Metered): Kept {
    const engines: Engine[] = [];
    const opening = this.#open(parseBundleAddress(address), files, cost, engines);
    const kept: Kept = { opening, engines, users: 0 };
    const settled = opening.then(
      (opened) => {
        kept.opened = opened;
      },
      () => {
        // The next request tries again.
        if (this.#kept.get(name) === kept) this.#kept.delete(name);
      },
    );
    // Other requests wait for the bundle too.
    cost.later(settled);
    return kept;
  }

  async #open(
    { base, file }: BundleAddress,
    files: FetchingOptions,
    cost: Metered,
    engines: Engine[],
  ): Promise<Opened> {
    const store = new HttpStore(base, fetchFiles(files));
    const wasm = keepingEngines(this.#wasm, engines);
    const source =
      file === undefined ? new DirectorySource(store) : new SingleFileSource(store, file, wasm);
    const { streamed } = this.#options;
    // The library keeps the memory of all bundles within its limit.
    const bundle = await Bundle.open(wasm, source, { memory: Infinity, streamed }, cost);
    const { revision } = bundle;
    return { bundle, store, description: bundle.describe(), revision, checked: Date.now() };
  }

  /**
   * Keeps the memory of a bundle within its share. A running search requests dropped shards again,
   * so the limit is doubled while there are searches.
   */
  #tidy({ engines, users }: Kept): void {
    const engine = engines.at(-1);
    const share = this.#options.memory / Math.max(1, this.#kept.size);
    try {
      if (engine && engine.residentBytes() > share * (users > 0 ? 2 : 1)) engine.shrink(share);
    } catch {
      // An engine that has trapped refuses to work; the next search opens another.
    }
  }

  /** Closes the bundles used least recently. Bundles in use are closed after their requests. */
  #closeOthers(): void {
    for (const [name, kept] of this.#kept) {
      if (this.#kept.size <= this.#options.bundles) return;
      this.#kept.delete(name);
      close(kept);
    }
  }
}

/** Frees the memory of a bundle that no request uses. */
function close({ users, engines }: Kept): void {
  if (users > 0) return;
  for (const engine of engines.splice(0)) engine.free();
}

/** The engine's module, which lists the engines that it opens in `engines`. */
function keepingEngines(wasm: Wasm, engines: Engine[]): Wasm {
  const open = (...args: Parameters<Wasm["Engine"]["open"]>) => {
    const engine = wasm.Engine.open(...args);
    engines.push(engine);
    return engine;
  };
  return { ...wasm, Engine: { open } as unknown as Wasm["Engine"] };
}
