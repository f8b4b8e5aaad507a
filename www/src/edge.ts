/**
 * Search as an HTTP endpoint, for Cloudflare Workers and other hosts with `fetch`. `GET /search?q=`
 * answers with the same JSON as `findling search --json`, from the same bundle. `GET /similar?url=`
 * answers with pages similar to one. The README lists the parameters, `edge-request.ts` reads them.
 * `POST /mcp` answers assistants, see `edge-mcp.ts`.
 *
 * Variables: `FINDLING_BUNDLE`, the bundle's path among the assets: a directory (`/findling/`) or a
 * file (`/site.findling`).
 */

import * as engine from "../wasm/engine/findling_engine";
import engineModule from "../wasm/engine/findling_engine_bg.wasm";
import type { ToolRequest } from "./assistant-tool";
import { type Answer, Bundle, withNotice } from "./bundle";
import { parseBundleAddress } from "./bundle-address";
import { DirectorySource, SingleFileSource } from "./bundle-layout";
import { hex } from "./bytes";
import { applyCorrections, correctionsIn } from "./corrected-query";
import { answerMessage, type EdgeSite } from "./edge-mcp";
import { readSearch, readSimilar } from "./edge-request";
import type { Encoded } from "./encoder";
import type {
  Correction,
  Response as EngineResponse,
  Notice,
  QueryVector,
  Request as SearchRequest,
} from "./engine-types";
import { type ErrorCode, FindlingError } from "./errors";
import { HttpStore, noTraffic } from "./http-store";
import type { Description } from "./types";

/** The Worker's bindings and variables. */
export interface Env {
  /** The static assets, with the bundle among them. */
  ASSETS: { fetch(request: Request | string, init?: RequestInit): Promise<Response> };
  /** Path of the bundle among the assets. Default: `/findling/`. */
  FINDLING_BUNDLE?: string;
}

/** An encoder that runs in the Worker. */
export interface EdgeEncoder {
  /** Its name in responses. */
  name: string;
  /** Loads it, once for each isolate. */
  load(
    description: Description,
    store: HttpStore,
  ): Promise<{ encode(query: string): Encoded | Promise<Encoded> }>;
}

/** How to answer. */
export interface EdgeOptions {
  encoder?: EdgeEncoder;
  /**
   * Maximum bytes of memory for shards between requests. Default: 32 MiB. An isolate has 128 MB.
   */
  memory?: number;
  /** Seconds for which caches may serve an answer without asking again. Default: 60. */
  maxAge?: number;
  /** Path of the search endpoint. Default: `/search`. */
  path?: string;
  /** Path of the endpoint for similar pages. Default: `/similar`. */
  similarPath?: string;
  /** Path of the endpoint for assistants; `false` for none. Default: `/mcp`. */
  mcpPath?: string | false;
}

/** Bytes of memory for shards between requests. */
const DEFAULT_MEMORY = 32 << 20;
/** Milliseconds after which a failed load of the encoder is retried. */
const ENCODER_RETRY = 60_000;
/** Milliseconds after which an isolate checks whether another build is deployed. */
const REVISION_CHECK = 60_000;

const METHODS = "GET, HEAD, OPTIONS";
const MCP_METHODS = "POST, OPTIONS";
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, server-timing",
};

/** Errors that the client must repair; they get the status 400. */
const CLIENT_ERRORS: ReadonlySet<ErrorCode> = new Set([
  "request",
  "filter",
  "unknown-attribute",
  "no-such-page",
  "vector",
  "encoder-unavailable",
]);

/** Makes a request handler. An isolate keeps one open bundle in it. */
export function createHandler(options: EdgeOptions = {}): {
  fetch(request: Request, env: Env): Promise<Response>;
} {
  const endpoint = new Endpoint(options);
  return { fetch: (request, env) => endpoint.fetch(request, env) };
}

interface Opened {
  bundle: Bundle;
  store: HttpStore;
  description: Description;
  /** When the deployed build was last checked. */
  checked: number;
}

type WholeOrPart = Answer & { whole: boolean };

class Endpoint {
  readonly #options: EdgeOptions;
  readonly #path: string;
  readonly #similarPath: string;
  readonly #mcpPath: string | false;
  #opening: Promise<Opened> | undefined;
  #encoder: ReturnType<EdgeEncoder["load"]> | undefined;
  /** When the encoder last failed to load. */
  #encoderFailed = -Infinity;

  constructor(options: EdgeOptions) {
    this.#options = options;
    this.#path = options.path ?? "/search";
    this.#similarPath = options.similarPath ?? "/similar";
    this.#mcpPath = options.mcpPath ?? "/mcp";
  }

  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      return await this.#route(request, env);
    } catch (thrown) {
      const error = FindlingError.from(thrown);
      const { code, message, remedy } = error;
      const status = code === "no-such-page" ? 404 : CLIENT_ERRORS.has(code) ? 400 : 503;
      if (status === 503) console.error(`findling: ${code}: ${message}`);
      const body = { error: { code, message, ...(remedy ? { remedy } : {}) } };
      return json(request, status, body, { "cache-control": "no-store" });
    }
  }

  async #route(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === this.#mcpPath) return this.#assist(request, env, url);
    if (![this.#path, this.#similarPath, "/health"].includes(url.pathname)) {
      const message =
        `Nothing is at ${url.pathname}. Search: ${this.#path}?q=words. ` +
        `Similar pages: ${this.#similarPath}?url=page.`;
      return json(request, 404, { error: { code: "not-found", message } });
    }
    if (request.method === "OPTIONS") return preflight(request, METHODS);
    if (request.method !== "GET" && request.method !== "HEAD")
      return wrongMethod(request, METHODS, "GET");
    return url.pathname === "/health"
      ? this.#health(request, env, url)
      : this.#search(request, env, url);
  }

  /** Answers an assistant. */
  async #assist(request: Request, env: Env, url: URL): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request, MCP_METHODS);
    if (request.method !== "POST") return wrongMethod(request, MCP_METHODS, "POST");
    const site = async (): Promise<EdgeSite> => {
      const opened = await this.#open(env, url.origin);
      const base = siteUrl(env, url.origin);
      const ask = async (request: ToolRequest) =>
        JSON.parse((await this.#answer(request, opened, base)).json) as EngineResponse;
      const { generator } = opened.description;
      return { generator, resolve: (url) => absolute(url, base), ask };
    };
    const { status, body } = await answerMessage(request, site);
    const headers = { "cache-control": "no-store" };
    return body
      ? json(request, status, body, headers)
      : new Response(null, { status, headers: { ...CORS, ...headers } });
  }

  async #search(request: Request, env: Env, url: URL): Promise<Response> {
    const read = url.pathname === this.#similarPath ? readSimilar : readSearch;
    const query = read(url.searchParams);
    const opened = await this.#open(env, url.origin);
    const etag = await entityTag(opened.bundle.revision, query);
    const maxAge = this.#options.maxAge ?? 60;
    const headers: Record<string, string> = {
      ...CORS,
      "content-type": "application/json; charset=utf-8",
      "cache-control": `public, max-age=${maxAge}, stale-while-revalidate=86400`,
      vary: "accept-encoding",
      etag,
    };
    if (matches(request.headers.get("if-none-match"), etag))
      return new Response(null, { status: 304, headers });
    const { json, cost, whole } = await this.#answer(query, opened, siteUrl(env, url.origin));
    if (!whole) {
      // The next answer may be whole.
      headers["cache-control"] = "no-store";
      delete headers["etag"];
    }
    const [engine, fetched] = [cost.engine.toFixed(1), cost.fetch.toFixed(1)];
    headers["server-timing"] =
      `engine;dur=${engine}, shards;dur=${fetched};desc="${cost.requests} fetched"`;
    return new Response(request.method === "HEAD" ? null : json, { headers });
  }

  /**
   * Answers a request. If the bundle does not know the page that the request names, asks again
   * without the site's own address in front of it. `whole` tells that no file and no encoder was
   * missing.
   */
  async #answer(query: SearchRequest, opened: Opened, site: URL): Promise<WholeOrPart> {
    try {
      return await this.#answerAsGiven(query, opened);
    } catch (thrown) {
      const name = PAGE_FIELDS.find((field) => query[field] !== undefined);
      const page = name === undefined ? "" : (query[name] ?? "");
      const unknown = FindlingError.from(thrown).code === "no-such-page";
      if (!unknown || name === undefined || !page.startsWith(site.href)) throw thrown;
      return this.#answerAsGiven({ ...query, [name]: page.slice(site.href.length) }, opened);
    }
  }

  async #answerAsGiven(query: SearchRequest, opened: Opened): Promise<WholeOrPart> {
    const notice = await this.#embed(query, opened, []);
    const search = () => opened.bundle.search(query, new AbortController().signal);
    let answer = await search();
    const corrections = query.vector ? correctionsIn(answer.json) : [];
    if (corrections.length > 0) {
      // The vector was of the query as typed.
      await this.#embed(query, opened, corrections);
      answer = await search();
    }
    const json = notice ? withNotice(answer.json, notice) : answer.json;
    return { json, cost: answer.cost, whole: !answer.partial && !notice };
  }

  async #health(request: Request, env: Env, url: URL): Promise<Response> {
    const { bundle, description } = await this.#open(env, url.origin);
    const { pages, sections, generator } = description;
    const body = { status: "ok", revision: bundle.revision, pages, sections, generator };
    return json(request, 200, body, { "cache-control": "no-store" });
  }

  /** Opens the bundle with the first request; later checks whether another build is deployed. */
  async #open(env: Env, origin: string): Promise<Opened> {
    this.#opening ??= openBundle(env, origin, this.#options.memory ?? DEFAULT_MEMORY);
    let opened: Opened;
    try {
      opened = await this.#opening;
    } catch (thrown) {
      this.#opening = undefined;
      throw thrown;
    }
    if (Date.now() - opened.checked > REVISION_CHECK) {
      opened.checked = Date.now();
      if (await opened.bundle.refresh(noTraffic())) {
        opened.description = opened.bundle.describe();
        this.#encoder = undefined;
      }
    }
    return opened;
  }

  /** Embeds the query, with corrections applied; returns why if it cannot be embedded. */
  async #embed(
    request: SearchRequest,
    opened: Opened,
    corrections: readonly Correction[],
  ): Promise<Notice | undefined> {
    const { encoder } = this.#options;
    const { dense } = opened.description;
    const wanted =
      request.mode !== "lexical" && request.encoder === undefined && request.query.trim() !== "";
    if (!encoder || !wanted || !dense || dense.builtIn === "hash") return undefined;
    try {
      const loaded = await this.#loadEncoder(encoder, opened);
      const vectors: QueryVector[] = [];
      for (const query of [request.query, ...(request.also ?? [])]) {
        const { values, truncated } = await loaded.encode(applyCorrections(query, corrections));
        vectors.push({ values: Array.from(values), truncated, encoder: encoder.name });
      }
      const [vector, ...also] = vectors;
      request.vector = vector!;
      request.alsoVectors = also;
      return undefined;
    } catch (thrown) {
      const error = FindlingError.from(thrown, "encoder-failed");
      console.warn(`findling: ${error.message}`);
      // The bundle's own encoder or the words answer instead, if there are any.
      if (request.mode === "semantic" && dense.builtIn === null) throw error;
      return { code: error.code, message: error.message };
    }
  }

  async #loadEncoder(encoder: EdgeEncoder, { description, store }: Opened) {
    if (Date.now() - this.#encoderFailed > ENCODER_RETRY)
      this.#encoder ??= encoder.load(description, store);
    if (!this.#encoder)
      throw new FindlingError("encoder-failed", "The encoder failed to load a moment ago.");
    try {
      return await this.#encoder;
    } catch (thrown) {
      this.#encoder = undefined;
      this.#encoderFailed = Date.now();
      throw thrown;
    }
  }
}

async function openBundle(env: Env, origin: string, memory: number): Promise<Opened> {
  engine.initSync({ module: engineModule });
  const { base, file } = parseBundleAddress(bundleUrl(env, origin));
  const store = new HttpStore(base, (url, init) =>
    env.ASSETS.fetch(url, init?.headers ? { headers: init.headers } : undefined),
  );
  const source =
    file === undefined ? new DirectorySource(store) : new SingleFileSource(store, file, engine);
  const bundle = await Bundle.open(engine, source, { memory, streamed: false }, noTraffic());
  return { bundle, store, description: bundle.describe(), checked: Date.now() };
}

function bundleUrl(env: Env, origin: string): URL {
  return new URL(env.FINDLING_BUNDLE ?? "/findling/", origin);
}

/** The fields of a request that name a page. */
const PAGE_FIELDS = ["similarTo", "read", "why"] as const;

/** Base of relative page addresses. */
function siteUrl(env: Env, origin: string): URL {
  return parseBundleAddress(bundleUrl(env, origin)).site;
}

/** The absolute address of a page; `null` if it is not one of the web. */
function absolute(url: string, base: URL): string | null {
  const relative = url.replace(/^\/+/, "");
  const parsed = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(url) ? url : relative, base);
  return parsed && ["https:", "http:"].includes(parsed.protocol) ? parsed.href : null;
}

/** The build and the request together determine the answer, so they name it. */
async function entityTag(revision: string, request: SearchRequest): Promise<string> {
  const name = new TextEncoder().encode(`${revision} ${JSON.stringify(request)}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", name), 0, 12);
  return `"${hex(digest)}"`;
}

/** Whether an `if-none-match` header has the tag. */
function matches(header: string | null, etag: string): boolean {
  const tags = header?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  return tags.includes("*") || tags.includes(etag);
}

function wrongMethod(request: Request, methods: string, use: string): Response {
  const message = `The method ${request.method} is not supported: use ${use}.`;
  return json(request, 405, { error: { code: "method", message } }, { allow: methods });
}

function preflight(request: Request, methods: string): Response {
  const headers = {
    ...CORS,
    allow: methods,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
    "access-control-max-age": "86400",
  };
  return new Response(null, { status: 204, headers });
}

function json(
  request: Request,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  return new Response(request.method === "HEAD" ? null : JSON.stringify(body), {
    status,
    headers: { ...CORS, "content-type": "application/json; charset=utf-8", ...headers },
  });
}

export default createHandler();
