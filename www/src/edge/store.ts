/**
 * Where an endpoint reads the files of a bundle: static assets, an R2 bucket, a KV namespace or a
 * web server. Each is a `fetch` for files, so the layout of the bundle is the same in all.
 */

import { FindlingError } from "../errors";
import type { Fetch, FileResponse } from "../http-store";
import { type Budget, type Metered, meteredBy } from "./budget";

/** The part of a binding for static assets, or of another Worker, that is used. */
export interface Fetcher {
  fetch(request: Request | string, init?: RequestInit): Promise<Response>;
}

/** The part of an R2 bucket that is used. */
export interface R2Like {
  get(
    key: string,
    options?: { range?: { offset: number; length: number } },
  ): Promise<{ body: ReadableStream; size: number } | null>;
}

/** The part of a KV namespace that is used. */
export interface KvLike {
  get(key: string, options: { type: "stream"; cacheTtl?: number }): Promise<ReadableStream | null>;
}

/** The part of a cache that is used: `caches.default`, or one of `caches.open`. */
export interface CacheLike {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

/** Answers a request for a file: the whole, a range of it, or 404. */
export type FileStore = (url: string, init: RequestInit) => Promise<Response>;

/** Seconds for which KV may keep `findling.idx`, the shortest that KV allows, and other files. */
const KV_TTL = { entry: 60, immutable: 86_400 };

/** Static assets of the Worker. */
export function assetsStore(assets: Fetcher): FileStore {
  return (url, { headers, signal }) =>
    assets.fetch(url, { ...(headers ? { headers } : {}), ...(signal ? { signal } : {}) });
}

/** A bucket of R2. The key of a file is its path without the leading slash. */
export function r2Store(bucket: R2Like): FileStore {
  return async (url, init) => {
    const range = rangeOf(init);
    const found = await bucket.get(
      keyOf(url),
      range ? { range: { offset: range.start, length: range.end - range.start } } : undefined,
    );
    return found ? part(found.body, range, found.size) : missing();
  };
}

/** A namespace of KV. The key of a file is its path without the leading slash. */
export function kvStore(namespace: KvLike): FileStore {
  return async (url, init) => {
    const isEntry = init.cache === "no-cache" && rangeOf(init) === undefined;
    const cacheTtl = isEntry ? KV_TTL.entry : KV_TTL.immutable;
    const found = await namespace.get(keyOf(url), { type: "stream", cacheTtl });
    return found ? new Response(found) : missing();
  };
}

/** A web server: the bundle of any site. */
export const webStore: FileStore = (url, { cache: _, ...init }) => fetch(url, init);

/** The answer to a request for a missing file. */
export function missing(): Response {
  return new Response(null, { status: 404 });
}

/** The answer with a file, or with a range of it. */
export function part(body: BodyInit, range: Range | undefined, size: number): Response {
  if (!range) return new Response(body);
  const headers = { "content-range": `bytes ${range.start}-${range.end - 1}/${size}` };
  return new Response(body, { status: 206, headers });
}

interface Range {
  start: number;
  end: number;
}

/** The range that a request asks for, as `HttpStore` writes it. */
export function rangeOf(init: RequestInit): Range | undefined {
  const header = (init.headers as Record<string, string> | undefined)?.["range"];
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(header ?? "") ?? [];
  return last === undefined ? undefined : { start: Number(first), end: Number(last) + 1 };
}

const keyOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(1));

/** Options for fetching files. */
export interface FetchingOptions {
  store: FileStore;
  /** Milliseconds after which a file that has not arrived is requested again, once. */
  timeout: number;
  /** A cache for files that never change, in front of a slow store. */
  cache?: CacheLike | undefined;
}

/**
 * A `fetch` for `HttpStore` that reads from a store within the budget of the request. A file is
 * read whole before the next may begin, since a body that is not read occupies a connection.
 */
export function fetchFiles(options: FetchingOptions): Fetch {
  return async (url, init = {}, traffic) => {
    const request = meteredBy(traffic);
    // The files of a query encoder, which are streamed once for each isolate.
    if (!request) return options.store(url, init);
    const file = fetchWithin(request, options, url, init);
    // Other requests may wait for the same file, so it must arrive even if this one is answered.
    request.later(file.catch(() => {}));
    return file;
  };
}

async function fetchWithin(
  request: Metered,
  options: FetchingOptions,
  url: string,
  init: RequestInit,
): Promise<FileResponse> {
  const { budget } = request;
  const { cache } = options;
  const isImmutable = (init.cache ?? "default") === "default";
  const name = cacheName(url, init);
  // A look-up in the cache is a subrequest too. If the first files are not there, others are not
  // either.
  const asks = cache !== undefined && isImmutable && request.cacheMisses < MAX_CACHE_MISSES;
  if (asks) {
    const kept = await budget.run(() => cached(cache, name)).catch(() => undefined);
    if (kept) return kept;
    request.cacheMisses++;
  }
  const file = await readAgain(budget, options, url, init);
  if (asks && file.ok && budget.left > 0) {
    // A store that knows no ranges has sent the whole file.
    const what = file.status === 206 ? name : cacheName(url, {});
    request.later(budget.run(() => cache.put(what, toKeep(file))).catch(() => {}));
  }
  return file;
}

/** Number of attempts to fetch a file. */
const MAX_ATTEMPTS = 3;

/** Repeats requests to a store that fails or is too slow. */
async function readAgain(
  budget: Budget,
  options: FetchingOptions,
  url: string,
  init: RequestInit,
): Promise<WholeFile> {
  for (let attempt = 1; ; attempt++) {
    const isLast = () => attempt === MAX_ATTEMPTS || init.signal?.aborted || budget.left === 0;
    try {
      const file = await budget.run(() => readWhole(options, url, init));
      if (file.status < 500 || isLast()) return file;
    } catch (thrown) {
      if (isLast()) throw thrown;
    }
  }
}

/**
 * Number of files that one request may look for in the cache in vain. Each is kept there
 * afterwards.
 */
const MAX_CACHE_MISSES = 5;

/** The address of a file in the cache. The Cache API does not take parts of files. */
function cacheName(url: string, init: RequestInit): string {
  const range = rangeOf(init);
  const name = new URL(url);
  if (range) name.searchParams.set("findling-bytes", `${range.start}-${range.end}`);
  return name.href;
}

async function cached(cache: CacheLike, name: string): Promise<FileResponse | undefined> {
  const kept = await cache.match(name);
  if (!kept) return undefined;
  return wholeFile(await kept.arrayBuffer(), name.includes("findling-bytes=") ? 206 : 200, kept);
}

function toKeep(file: WholeFile): Response {
  const headers = { "cache-control": "public, max-age=31536000, immutable" };
  return new Response(file.bytes, { headers });
}

interface WholeFile extends FileResponse {
  bytes: ArrayBuffer;
}

async function readWhole(
  { store, timeout }: FetchingOptions,
  url: string,
  init: RequestInit,
): Promise<WholeFile> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  init.signal?.addEventListener("abort", abort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new FindlingError("network", `no answer within ${timeout / 1000} seconds`));
      abort();
    }, timeout);
  });
  try {
    const reading = read(store, url, { ...init, signal: controller.signal });
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    init.signal?.removeEventListener("abort", abort);
  }
}

async function read(store: FileStore, url: string, init: RequestInit): Promise<WholeFile> {
  const response = await store(url, init);
  const bytes = await response.arrayBuffer();
  return wholeFile(bytes, response.status, response);
}

/** A response whose body is read. A real one would copy the body once more. */
function wholeFile(bytes: ArrayBuffer, status: number, { headers }: Response): WholeFile {
  const file: WholeFile = {
    bytes,
    status,
    ok: status >= 200 && status < 300,
    headers,
    get body() {
      return new Response(bytes).body;
    },
    arrayBuffer: () => Promise.resolve(bytes),
    clone: () => new Response(bytes, { status, headers }),
  };
  return file;
}
