/**
 * The files of a bundle over HTTP: `fetch`, with the Cache API in front if the browser has it.
 * Every file except the entry file is named by its content, so a cached file is never outdated. The
 * engine verifies each file, so a damaged file is never used.
 */

import { FindlingError } from "./errors";

/** A shard, as the engine asks for it. */
export interface WantedShard {
  /** The shard's number in the shard directory. */
  id: number;
  /** The shard's path relative to the bundle, which names the content. */
  path: string;
  /** The shard's length in a single-file bundle, in bytes. */
  length: number;
  /** The shard's first byte in a single-file bundle. */
  offset: number;
  /** Present if the deferred part of the engine reads it. */
  rest?: true;
  /** Present if the search can continue without it. */
  optional?: true;
}

/** Traffic of one search, or of opening a bundle. */
export interface Traffic {
  /** Bytes of the bodies received, uncompressed. */
  bytesFetched: number;
  /** Requests sent to the network. */
  requests: number;
  /** Files found in the cache. */
  cacheHits: number;
  /**
   * Lets work continue after the request is answered. In Workers, the work of a request ends with
   * it, and other requests that wait for the work would wait for ever.
   */
  later?(work: Promise<unknown>): void;
}

/** Work that other requests wait for as well, so that it outlives the request that began it. */
export function shared<T>(work: Promise<T>, { later }: Traffic): Promise<T> {
  later?.(work.catch(() => {}));
  return work;
}

export const noTraffic = (): Traffic => ({ bytesFetched: 0, requests: 0, cacheHits: 0 });

/** The parts of a response that the store reads. */
export type FileResponse = Pick<
  Response,
  "ok" | "status" | "headers" | "body" | "arrayBuffer" | "clone"
>;

/**
 * The part of `fetch` that the store needs. An endpoint passes one that reads from its binding and
 * uses `traffic` to count the fetches of a request.
 */
export type Fetch = (url: string, init?: RequestInit, traffic?: Traffic) => Promise<FileResponse>;

/** Options for fetching a file. */
export interface FetchOptions {
  signal?: AbortSignal | undefined;
  /** Bypasses every cache. */
  fresh?: boolean | undefined;
}

/** Options for fetching a range of a pack. */
export interface PackedOptions extends FetchOptions {
  /** Called when the server begins to send the whole file instead of the range. */
  onWhole(): void;
}

/** A range of bytes in a file; `end` is exclusive. */
export interface ByteRange {
  file: string;
  start: number;
  end: number;
}

/** Bytes of a file, and the whole file if the server ignored the range. */
export interface Fetched {
  bytes: Uint8Array;
  whole?: Uint8Array;
}

/** The cache entry that stores the build for which the cache was last pruned. */
const PRUNED = "findling.pruned";

/**
 * Milliseconds without a new file before files are written to the cache. A first search fetches
 * dozens of files, and writing them at the same time would delay its answer.
 */
const WRITING_PAUSE = 200;

/**
 * The cache with this name. `undefined` if storage is blocked, as in private windows, frames and
 * pages over plain HTTP: the cache saves traffic and is never required.
 */
async function openCache(name: string): Promise<Cache | undefined> {
  try {
    // In a sandboxed frame, reading `caches` throws.
    return await caches.open(name);
  } catch {
    return undefined;
  }
}

/** Whether there is a cache with this name. */
async function hasCache(name: string): Promise<boolean> {
  try {
    return await caches.has(name);
  } catch {
    return false;
  }
}

/**
 * Refuses a part of a file if it is not the requested one or is compressed: some servers send parts
 * of a compressed file, which cannot be decompressed. Scripts of other origins only see these
 * headers if the server exposes them.
 */
function checkPart(file: string, expected: string, headers: Headers): void {
  const found = headers.get("content-range") ?? expected;
  const encoding = headers.get("content-encoding") ?? "identity";
  if (found.startsWith(expected) && encoding === "identity") return;
  throw new FindlingError(
    "bundle",
    `${file} came wrong: expected ${expected}…, found ${found}, encoded as ${encoding}.`,
  );
}

/** A directory on a web server. */
export class HttpStore {
  readonly #base: URL;
  readonly #fetch: Fetch;
  readonly #cache: Promise<Cache | undefined>;
  /** Whether an earlier visit may have left files in the cache. */
  readonly #hadCache: Promise<boolean>;
  /** Paths that this visit has written to the cache. */
  readonly #written = new Set<string>();
  /** Files that are still to be written; `undefined` without a cache. */
  readonly #unwritten: Map<string, Uint8Array> | undefined;
  #writing: ReturnType<typeof setTimeout> | undefined;
  /** Settled when the last write to the cache is done. */
  #puts: Promise<unknown> = Promise.resolve();

  /** `base` must end with a slash. Without a `cacheName` only the browser's HTTP cache is used. */
  constructor(base: URL, fetch: Fetch, cacheName?: string) {
    this.#base = base;
    this.#fetch = fetch;
    const named = cacheName !== undefined;
    this.#unwritten = named ? new Map() : undefined;
    this.#hadCache = named ? hasCache(cacheName) : Promise.resolve(false);
    this.#cache = this.#hadCache.then(() => (named ? openCache(cacheName) : undefined));
  }

  /**
   * A file that never changes: from the cache, or else from the network. With `range`, the bytes
   * are a range of another file and `path` is only their name in the cache.
   */
  async immutable(
    path: string,
    traffic: Traffic,
    options: FetchOptions = {},
    range?: ByteRange,
  ): Promise<Uint8Array> {
    const cached = options.fresh ? undefined : await this.#match(path, traffic);
    if (cached) return cached;
    const init: RequestInit = { cache: options.fresh ? "reload" : "default" };
    const { bytes } = range
      ? await this.range(range, traffic, options)
      : await this.#get(path, traffic, init, options);
    this.#put(path, bytes);
    return bytes;
  }

  /**
   * A file that never changes, as a stream. A copy goes to the cache while the stream is read, so
   * the whole file is never in memory.
   */
  async stream(path: string, { signal, fresh }: FetchOptions = {}): Promise<ReadableStream> {
    const cache = await this.#cache;
    const url = this.#url(path);
    const cached = fresh ? undefined : await cache?.match(url).catch(() => undefined);
    if (cached?.body) return cached.body;
    const response = await this.#response(path, { cache: fresh ? "reload" : "default" }, signal);
    if (!response.body)
      throw new FindlingError("network", `${url} could not be fetched: the answer has no body.`);
    // The cache drops a copy that is cut off. A full disk must not fail the search.
    if (cache) cache.put(url, response.clone() as Response).catch(() => {});
    return response.body;
  }

  /** A file that changes: from the network if the server can be reached, or else from the cache. */
  async mutable(
    path: string,
    traffic: Traffic,
    options: FetchOptions = {},
    range?: ByteRange,
  ): Promise<Fetched> {
    try {
      const fetched = range
        ? await this.range(range, traffic, { ...options, fresh: true })
        : await this.#get(path, traffic, { cache: "no-cache" }, options);
      this.#put(path, fetched.bytes);
      return fetched;
    } catch (thrown) {
      const offline = FindlingError.from(thrown).code === "network";
      const cached = offline ? await this.#match(path, traffic) : undefined;
      if (!cached) throw thrown;
      return { bytes: cached };
    }
  }

  /**
   * A range of a file. A server that ignores ranges sends the whole file, which is returned too.
   */
  async range(
    { file, start, end }: ByteRange,
    traffic: Traffic,
    options: FetchOptions,
  ): Promise<Fetched> {
    const init: RequestInit = {
      headers: { range: `bytes=${start}-${end - 1}` },
      cache: options.fresh ? "no-cache" : "default",
    };
    const { bytes, partial } = await this.#get(file, traffic, init, options);
    return partial ? { bytes } : { bytes: bytes.subarray(start, end), whole: bytes };
  }

  /** A file of this visit or an earlier visit that is in the cache. */
  cached(path: string, traffic: Traffic): Promise<Uint8Array | undefined> {
    return this.#match(path, traffic);
  }

  /** Puts a file into the cache. */
  keep(path: string, bytes: Uint8Array): void {
    this.#put(path, bytes);
  }

  /**
   * A range of a pack, or the whole pack from a server that ignores ranges. The HTTP cache would
   * make requests for ranges of one file wait for each other, so it is not used if there is a
   * better one.
   */
  async packed(range: ByteRange, traffic: Traffic, options: PackedOptions): Promise<Uint8Array> {
    const { file, start, end } = range;
    const init: RequestInit = {
      headers: { range: `bytes=${start}-${end - 1}` },
      cache: this.#unwritten ? "no-store" : "default",
    };
    const expected = `bytes ${start}-${end - 1}/`;
    const { bytes } = await this.#get(file, traffic, init, options, (response) => {
      if (response.status !== 206) options.onWhole();
      else checkPart(file, expected, response.headers);
    });
    return bytes;
  }

  /** A whole pack. */
  async pack(file: string, traffic: Traffic, options: FetchOptions): Promise<Uint8Array> {
    const init: RequestInit = { cache: options.fresh ? "reload" : "default" };
    return (await this.#get(file, traffic, init, options)).bytes;
  }

  /** Removes cached files that `keep` refuses, once for each `build`. */
  async prune(keep: (path: string) => boolean, build: string): Promise<void> {
    const cache = await this.#cache;
    const marker = this.#url(PRUNED);
    if (!cache || (await (await cache.match(marker))?.text()) === build) return;
    // Files of an earlier build must not be written afterwards.
    for (const path of this.#unwritten?.keys() ?? [])
      if (!keep(path)) this.#unwritten?.delete(path);
    await this.#puts;
    for (const request of await cache.keys()) {
      if (!keep(request.url.slice(this.#base.href.length))) await cache.delete(request);
    }
    await cache.put(marker, new Response(build));
  }

  /** A file of this visit or an earlier one. A first visit asks the cache for its own files. */
  async #match(path: string, traffic: Traffic): Promise<Uint8Array | undefined> {
    const unwritten = this.#unwritten?.get(path);
    if (!unwritten && !this.#written.has(path) && !(await this.#hadCache)) return undefined;
    const cached =
      unwritten ?? (await (await this.#cache)?.match(this.#url(path)).catch(() => undefined));
    if (!cached) return undefined;
    traffic.cacheHits++;
    return cached instanceof Uint8Array ? cached : new Uint8Array(await cached.arrayBuffer());
  }

  /** Files are written after none has arrived for a while. */
  #put(path: string, bytes: Uint8Array): void {
    if (!this.#unwritten) return;
    this.#unwritten.set(path, bytes);
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => void this.#write(), WRITING_PAUSE);
  }

  async #write(): Promise<void> {
    const cache = await this.#cache;
    const puts: (Promise<void> | undefined)[] = [];
    for (const [path, bytes] of this.#unwritten ?? []) {
      const headers = { "content-type": "application/octet-stream" };
      puts.push(cache?.put(this.#url(path), new Response(bytes as BodyInit, { headers })));
      this.#written.add(path);
    }
    this.#unwritten?.clear();
    // A full disk must not fail the search.
    this.#puts = Promise.allSettled([this.#puts, ...puts]);
  }

  #url(path: string): string {
    return new URL(path, this.#base).href;
  }

  async #get(
    path: string,
    traffic: Traffic,
    init: RequestInit,
    { signal }: FetchOptions,
    look?: (response: FileResponse) => void,
  ): Promise<{ bytes: Uint8Array; partial: boolean }> {
    traffic.requests++;
    const response = await this.#response(path, init, signal, traffic);
    look?.(response);
    try {
      const bytes = new Uint8Array(await response.arrayBuffer());
      traffic.bytesFetched += bytes.length;
      return { bytes, partial: response.status === 206 };
    } catch (thrown) {
      throw this.#unreachable(path, thrown, signal);
    }
  }

  /** The server's answer; rejects unless its status is a success. */
  async #response(
    path: string,
    init: RequestInit,
    signal: AbortSignal | undefined,
    traffic?: Traffic,
  ): Promise<FileResponse> {
    let response: FileResponse;
    try {
      response = await this.#fetch(this.#url(path), signal ? { ...init, signal } : init, traffic);
    } catch (thrown) {
      throw this.#unreachable(path, thrown, signal);
    }
    if (response.ok) return response;
    const { status } = response;
    throw new FindlingError(
      status === 404 || status === 410 ? "not-found" : "network",
      `${this.#url(path)} could not be fetched: the server answered with status ${status}.`,
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
