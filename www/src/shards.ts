/**
 * Where a bundle's files come from: `fetch`, behind the Cache API where there is one. Files other than the entry are
 * named by their content, so that a cached one is never stale; the engine verifies each, so that a wrong one is never
 * used.
 */

import { FindlingError } from "./errors";

/** A file of the bundle, as the engine asks for it. */
export interface Wanted {
  /** Number in the shard directory. */
  id: number;
  /** Relative to the bundle; begins with its content's hash. */
  path: string;
  /** Bytes. */
  length: number;
}

/** What was moved over the network for one search, or since opening. */
export interface Traffic {
  /** Bytes of bodies received, before any decoding by the engine. */
  bytesFetched: number;
  /** Requests that reached the network. */
  requests: number;
  /** Files that the cache had. */
  cacheHits: number;
}

export const noTraffic = (): Traffic => ({ bytesFetched: 0, requests: 0, cacheHits: 0 });

/** The part of `fetch` that is needed; a Worker passes its assets binding's. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Told of every piece of a large file. */
export type Arrived = (bytes: number) => void;

const REFUSED = new Set([404, 410]);

/** A directory on a web server. */
export class Files {
  readonly #base: URL;
  readonly #fetch: Fetch;
  readonly #cache: Promise<Cache | undefined>;

  /** `base` ends with a slash. `cacheName` undefined: no Cache API. */
  constructor(base: URL, fetch: Fetch, cacheName?: string) {
    this.#base = base;
    this.#fetch = fetch;
    // Storage may be blocked (private windows, third-party frames, plain http): the cache is a help, never a need.
    this.#cache =
      cacheName === undefined || typeof caches === "undefined"
        ? Promise.resolve(undefined)
        : caches.open(cacheName).catch(() => undefined);
  }

  /** A file that never changes, from the cache if it has it. `fresh` passes over every cache on the way. */
  async immutable(path: string, traffic: Traffic, signal?: AbortSignal, fresh = false, arrived?: Arrived): Promise<Uint8Array> {
    const cache = await this.#cache;
    const url = this.#url(path);
    const cached = fresh ? undefined : await cache?.match(url).catch(() => undefined);
    if (cached) {
      traffic.cacheHits++;
      return new Uint8Array(await cached.arrayBuffer());
    }
    const bytes = await this.#get(path, traffic, { cache: fresh ? "reload" : "default" }, signal, arrived);
    this.#keep(cache, url, bytes);
    return bytes;
  }

  /** The one file that changes: the network's if it answers, else the last one seen. */
  async mutable(path: string, traffic: Traffic, signal?: AbortSignal): Promise<Uint8Array> {
    const cache = await this.#cache;
    const url = this.#url(path);
    try {
      const bytes = await this.#get(path, traffic, { cache: "no-cache" }, signal);
      this.#keep(cache, url, bytes);
      return bytes;
    } catch (thrown) {
      const cached =
        thrown instanceof FindlingError && thrown.code === "network" ? await cache?.match(url).catch(() => undefined) : undefined;
      if (!cached) throw thrown;
      traffic.cacheHits++;
      return new Uint8Array(await cached.arrayBuffer());
    }
  }

  /** Forgets cached files that `keep` does not want: those of earlier builds. */
  async prune(keep: (path: string) => boolean): Promise<void> {
    const cache = await this.#cache;
    if (!cache) return;
    for (const request of await cache.keys()) {
      if (!keep(request.url.slice(this.#base.href.length))) await cache.delete(request);
    }
  }

  #url(path: string): string {
    return new URL(path, this.#base).href;
  }

  #keep(cache: Cache | undefined, url: string, bytes: Uint8Array): void {
    // Not awaited, and a full disk is nobody's concern here.
    cache?.put(url, new Response(bytes as BodyInit, { headers: { "content-type": "application/octet-stream" } })).catch(() => {});
  }

  async #get(path: string, traffic: Traffic, init: RequestInit, signal?: AbortSignal, arrived?: Arrived): Promise<Uint8Array> {
    const url = this.#url(path);
    let response: Response;
    try {
      traffic.requests++;
      response = await this.#fetch(url, signal ? { ...init, signal } : init);
      if (response.ok) {
        const bytes = arrived && response.body ? await collect(response.body, arrived) : new Uint8Array(await response.arrayBuffer());
        traffic.bytesFetched += bytes.length;
        return bytes;
      }
    } catch (thrown) {
      if (signal?.aborted) throw FindlingError.aborted();
      throw new FindlingError("network", `${url} could not be fetched: ${(thrown as Error).message}`, { cause: thrown });
    }
    throw new FindlingError(
      REFUSED.has(response.status) ? "not-found" : "network",
      `${url} could not be fetched: the server answered ${response.status} ${response.statusText}`.trimEnd() + ".",
    );
  }
}

async function collect(body: ReadableStream<Uint8Array>, arrived: Arrived): Promise<Uint8Array> {
  const reader = body.getReader();
  const pieces: BlobPart[] = [];
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value as BlobPart);
    arrived(piece.value.length);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
