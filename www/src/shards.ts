/**
 * A bundle's files over HTTP: `fetch`, behind the Cache API where there is one. Files other than
 * the entry are named by their content, so that a cached one is never stale; the engine verifies
 * each, so that a damaged one is never used.
 */

import { FindlingError } from "./errors";

/** A file of the bundle, as the engine asks for it. */
export interface Wanted {
  /** Number in the shard directory. */
  id: number;
  /** Relative to the bundle; names the content. */
  path: string;
  /** Bytes, where it lies in a single-file bundle. */
  length: number;
  /** Where it begins there. */
  offset: number;
  /** Whether the rest of the engine must be here to read it. */
  rest?: true;
  /** Whether the search goes on without it. */
  optional?: true;
}

/** What was moved over the network for one search, or since opening. */
export interface Traffic {
  /** Bytes of bodies received, as the engine takes them. */
  bytesFetched: number;
  /** Requests that reached the network. */
  requests: number;
  /** Files that the cache had. */
  cacheHits: number;
}

export const noTraffic = (): Traffic => ({ bytesFetched: 0, requests: 0, cacheHits: 0 });

/** The part of `fetch` that is needed; a Worker passes its assets binding's. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** How to get a file. */
export interface Getting {
  signal?: AbortSignal | undefined;
  /** Passes over every cache on the way. */
  fresh?: boolean | undefined;
}

/** A part of a file, `end` excluded. */
export interface Span {
  file: string;
  start: number;
  end: number;
}

/** Says in the cache which build it was last pruned for. */
const PRUNED = "findling.pruned";

/**
 * The cache of a name, if there is one. Storage may be blocked (private windows, frames, plain
 * http): it is a help, never a need.
 */
export async function openCache(name: string): Promise<Cache | undefined> {
  try {
    // In a sandboxed frame to look at `caches` is an error.
    return await caches.open(name);
  } catch {
    return undefined;
  }
}

/** A directory on a web server. */
export class Files {
  readonly #base: URL;
  readonly #fetch: Fetch;
  readonly #cache: Promise<Cache | undefined>;

  /** `base` ends with a slash. Without a `cacheName` there is no cache but the browser's own. */
  constructor(base: URL, fetch: Fetch, cacheName?: string) {
    this.#base = base;
    this.#fetch = fetch;
    this.#cache = cacheName === undefined ? Promise.resolve(undefined) : openCache(cacheName);
  }

  /**
   * Bytes that never change under the name `path`, from the cache if it has them; else the file, or
   * a span of another.
   */
  async immutable(
    path: string,
    traffic: Traffic,
    how: Getting = {},
    span?: Span,
  ): Promise<Uint8Array> {
    const cached = how.fresh ? undefined : await this.#match(path, traffic);
    if (cached) return cached;
    const bytes = span
      ? (await this.range(span, traffic, how)).bytes
      : (await this.#get(path, traffic, { cache: how.fresh ? "reload" : "default" }, how)).bytes;
    this.#keep(path, bytes);
    return bytes;
  }

  /**
   * A whole file that never changes under the name `path`, as it arrives: from the cache if it has
   * it, which is else given what comes. Nothing is held but what is under way.
   */
  async stream(path: string, { signal, fresh }: Getting = {}): Promise<ReadableStream<Uint8Array>> {
    const cache = await this.#cache;
    const cached = fresh ? undefined : await cache?.match(this.#url(path)).catch(() => undefined);
    if (cached?.body) return cached.body;
    const response = await this.#response(path, { cache: fresh ? "reload" : "default" }, signal);
    if (!response.body)
      throw new FindlingError("network", `${this.#url(path)} came without a body.`);
    // A copy that is cut off is not kept; a full disk is nobody's concern here.
    if (cache) cache.put(this.#url(path), response.clone()).catch(() => {});
    return response.body;
  }

  /** A file that changes: the network's if it answers, else the last one seen. */
  async mutable(
    path: string,
    traffic: Traffic,
    how: Getting = {},
    span?: Span,
  ): Promise<{ bytes: Uint8Array; whole?: Uint8Array }> {
    try {
      const got = span
        ? await this.range(span, traffic, { ...how, fresh: true })
        : await this.#get(path, traffic, { cache: "no-cache" }, how);
      this.#keep(path, got.bytes);
      return got;
    } catch (thrown) {
      const cached =
        FindlingError.from(thrown).code === "network"
          ? await this.#match(path, traffic)
          : undefined;
      if (!cached) throw thrown;
      return { bytes: cached };
    }
  }

  /**
   * Part of a file. A server that knows no ranges answers with the whole of it, which is given too.
   */
  async range(
    { file, start, end }: Span,
    traffic: Traffic,
    how: Getting,
  ): Promise<{ bytes: Uint8Array; whole?: Uint8Array }> {
    const init = {
      headers: { range: `bytes=${start}-${end - 1}` },
      cache: how.fresh ? "no-cache" : "default",
    } as const;
    const { bytes, partial } = await this.#get(file, traffic, init, how);
    return partial ? { bytes } : { bytes: bytes.subarray(start, end), whole: bytes };
  }

  /**
   * Forgets cached files that `keep` does not want, those of earlier builds, unless that was done
   * for this `build`.
   */
  async prune(keep: (path: string) => boolean, build: string): Promise<void> {
    const cache = await this.#cache;
    const done = this.#url(PRUNED);
    if (!cache || (await (await cache.match(done))?.text()) === build) return;
    for (const request of await cache.keys()) {
      if (!keep(request.url.slice(this.#base.href.length))) await cache.delete(request);
    }
    await cache.put(done, new Response(build));
  }

  async #match(path: string, traffic: Traffic): Promise<Uint8Array | undefined> {
    const cache = await this.#cache;
    const cached = await cache?.match(this.#url(path)).catch(() => undefined);
    if (!cached) return undefined;
    traffic.cacheHits++;
    return new Uint8Array(await cached.arrayBuffer());
  }

  /** Not awaited, and a full disk is nobody's concern here. */
  #keep(path: string, bytes: Uint8Array): void {
    const response = new Response(bytes as BodyInit, {
      headers: { "content-type": "application/octet-stream" },
    });
    this.#cache.then((cache) => cache?.put(this.#url(path), response)).catch(() => {});
  }

  #url(path: string): string {
    return new URL(path, this.#base).href;
  }

  async #get(
    path: string,
    traffic: Traffic,
    init: RequestInit,
    { signal }: Getting,
  ): Promise<{ bytes: Uint8Array; partial: boolean }> {
    traffic.requests++;
    const response = await this.#response(path, init, signal);
    try {
      const bytes = new Uint8Array(await response.arrayBuffer());
      traffic.bytesFetched += bytes.length;
      return { bytes, partial: response.status === 206 };
    } catch (thrown) {
      throw this.#unreachable(path, thrown, signal);
    }
  }

  /** The server's answer, if it is one. */
  async #response(
    path: string,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const url = this.#url(path);
    let response: Response;
    try {
      response = await this.#fetch(url, signal ? { ...init, signal } : init);
    } catch (thrown) {
      throw this.#unreachable(path, thrown, signal);
    }
    if (response.ok) return response;
    const gone = response.status === 404 || response.status === 410;
    throw new FindlingError(
      gone ? "not-found" : "network",
      `${url} could not be fetched: the server answered ${response.status}.`,
    );
  }

  #unreachable(path: string, thrown: unknown, signal: AbortSignal | undefined): FindlingError {
    if (signal?.aborted) return FindlingError.aborted();
    return new FindlingError(
      "network",
      `${this.#url(path)} could not be fetched: ${(thrown as Error).message}`,
      { cause: thrown },
    );
  }
}
