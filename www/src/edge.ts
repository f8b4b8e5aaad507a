/**
 * Search as an endpoint, for Cloudflare Workers and whatever else speaks `fetch`: `GET /search?q=…`
 * answers the same JSON as the command line, from the same bundle, through the `ASSETS` binding.
 *
 * | parameter | |
 * |---|---|
 * | `q` | the query; required, at most 1,000 characters |
 * | `k` | pages to return, 0 to 100; 10 |
 * | `offset` | pages to pass over, 0 to 10,000 |
 * | `mode` | `hybrid`, `lexical`, `semantic` |
 * | `filter` | as on the command line: `book=reference`, `year:gte:2020`, JSON |
 * | `encoder` | who embeds the query: `static` (the bundle's own rows), `none`; the best there is unless told |
 * | `fusion` | `convex`, `rrf` |
 * | `facets` | names of attributes, separated by commas; `*` for all that are filters by themselves |
 * | `sort` | name of an attribute; with `-` in front, largest first |
 * | `prefer` | name of a number or date that relevant pages are preferred by: `date`, `date:0.9`; with `-` in front, the smallest |
 * | `order` | `relevance`, `recent` (the newest first), `balanced` (of equally relevant pages the newer) |
 * | `spread` | name of an attribute of whose values none is to fill the list |
 * | `copies` | `1`: show every copy of a page |
 * | `instead` | `1`: count the values of `facets` as if the filter asked nothing of the attribute counted |
 * | `sections` | sections under a page, 1 to 20; 3 |
 * | `prefix`, `verbatim`, `explain` | `1` or `true` |
 * | `also` | the query in other words; up to four times |
 * | `why` | a page, by URL, path or id: say why it stands where it stands |
 *
 * `GET /similar?url=…` answers the same of pages similar to one, given by URL, path or id; it takes
 * `k`, `offset`, `mode`, `filter`, `facets`, `sort`, `prefer`, `order`, `spread`, `copies`,
 * `sections` and `explain`.
 *
 * Variables: `FINDLING_BUNDLE`, the bundle's path among the assets (`/findling/`, or a file
 * `/site.findling`).
 */

import * as engine from "../wasm/engine/findling_engine";
import engineModule from "../wasm/engine/findling_engine_bg.wasm";
import { Bundle, noticed } from "./bundle";
import type { Encoded } from "./encoder";
import type {
  Correction,
  EncoderChoice,
  Fusion,
  Mode,
  Notice,
  Order,
  QueryVector,
  Request as SearchRequest,
} from "./engine-types";
import { type ErrorCode, FindlingError } from "./errors";
import { locate } from "./locate";
import { meant } from "./meant";
import { Files, noTraffic } from "./shards";
import { Directory, OneFile } from "./sources";
import type { Description } from "./types";

/** What the Worker is given. */
export interface Env {
  /** The static assets, the bundle among them. */
  ASSETS: { fetch(request: Request | string, init?: RequestInit): Promise<Response> };
  /** Path of the bundle among the assets. Default: `/findling/`. */
  FINDLING_BUNDLE?: string;
}

/** How queries become vectors, where they do. */
export interface EdgeEncoder {
  /** Named in responses. */
  name: string;
  /** Loads what it needs, once for each isolate. */
  load(
    description: Description,
    files: Files,
  ): Promise<{ encode(query: string): Encoded | Promise<Encoded> }>;
}

/** How to answer. */
export interface EdgeOptions {
  encoder?: EdgeEncoder;
  /**
   * Most bytes that shards may keep occupied between requests. An isolate has 128 MB in all.
   * Default 32 MiB.
   */
  memory?: number;
  /** Seconds that an answer may be kept by caches before it is asked for again. Default 60. */
  maxAge?: number;
  /** Path of the endpoint. Default `/search`. */
  path?: string;
  /** Path of the endpoint for similar pages. Default `/similar`. */
  similarPath?: string;
}

const MOST_CHARACTERS = 1000;
const MOST_WORDINGS = 4;
/** Milliseconds after which loading an encoder that failed is tried again. */
const RETRIED = 60_000;
/** Where the bundle says it is looked at anew, in milliseconds. */
const REVISION_KEPT = 60_000;
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, server-timing",
};
/** What the asker can mend. */
const ASKER: ReadonlySet<ErrorCode> = new Set([
  "request",
  "query",
  "filter",
  "unknown-attribute",
  "no-such-page",
  "vector",
  "encoder-unavailable",
]);

interface Opened {
  bundle: Bundle;
  files: Files;
  description: Description;
  looked: number;
}

/** Makes a handler; an isolate keeps one engine behind it. */
export function createHandler(options: EdgeOptions = {}): {
  fetch(request: Request, env: Env): Promise<Response>;
} {
  const path = options.path ?? "/search";
  const similarPath = options.similarPath ?? "/similar";
  let opening: Promise<Opened> | undefined;
  let encoding: ReturnType<EdgeEncoder["load"]> | undefined;
  /** When loading the encoder failed last; it is not tried with every request. */
  let failed = -Infinity;

  /**
   * Opens the bundle with the isolate's first request, and looks now and then whether it is still
   * the one.
   */
  async function open(env: Env, origin: string): Promise<Opened> {
    opening ??= openBundle(env, origin, options.memory ?? 32 << 20);
    let opened: Opened;
    try {
      opened = await opening;
    } catch (thrown) {
      opening = undefined;
      throw thrown;
    }
    if (Date.now() - opened.looked > REVISION_KEPT) {
      opened.looked = Date.now();
      if (await opened.bundle.refresh(noTraffic())) {
        opened.description = opened.bundle.describe();
        encoding = undefined;
      }
    }
    return opened;
  }

  /** Gives the request its vector; where that cannot be had, says why. */
  async function embed(
    request: SearchRequest,
    { description, files }: Opened,
    corrections: Correction[] = [],
  ): Promise<Notice | undefined> {
    const { encoder } = options;
    if (
      !encoder ||
      request.mode === "lexical" ||
      request.encoder !== undefined ||
      !description.dense ||
      description.dense.builtIn === "hash" ||
      request.query.trim() === ""
    )
      return undefined;
    if (Date.now() - failed > RETRIED) encoding ??= encoder.load(description, files);
    try {
      const loaded = await encoding?.catch((thrown: unknown) => {
        encoding = undefined;
        failed = Date.now();
        throw thrown;
      });
      if (!loaded)
        throw new FindlingError("encoder-failed", "The encoder could not be loaded a moment ago.");
      const vectors: QueryVector[] = [];
      for (const query of [request.query, ...(request.also ?? [])]) {
        const { values, truncated } = await loaded.encode(meant(query, corrections));
        vectors.push({ values: Array.from(values), truncated, encoder: encoder.name });
      }
      const [vector, ...also] = vectors;
      request.vector = vector!;
      request.alsoVectors = also;
      return undefined;
    } catch (thrown) {
      const error = FindlingError.from(thrown, "encoder-failed");
      console.warn(`findling: ${error.message}`);
      // Hybrid goes on by the encoder in the bundle or by words; meaning alone only by that
      // encoder.
      if (request.mode === "semantic" && description.dense.builtIn === null) throw error;
      return { code: error.code, message: error.message };
    }
  }

  async function search(request: Request, env: Env, url: URL): Promise<Response> {
    const query =
      url.pathname === similarPath ? readSimilar(url.searchParams) : readSearch(url.searchParams);
    const opened = await open(env, url.origin);
    const headers: Record<string, string> = {
      ...CORS,
      "content-type": "application/json; charset=utf-8",
      "cache-control": `public, max-age=${options.maxAge ?? 60}, stale-while-revalidate=86400`,
      vary: "accept-encoding",
      etag: await tag(opened.bundle.revision, query),
    };
    if (matches(request.headers.get("if-none-match"), headers["etag"]!))
      return new Response(null, { status: 304, headers });
    const notice = await embed(query, opened);
    const ask = () => opened.bundle.search(query, new AbortController().signal);
    let { json: answer, cost, partial } = await ask();
    if (query.vector && answer.includes('"corrections":[{')) {
      // The vector is of what was typed; what was meant is known only now.
      await embed(query, opened, (JSON.parse(answer) as { corrections: Correction[] }).corrections);
      ({ json: answer, cost, partial } = await ask());
    }
    const json = notice ? noticed(answer, notice) : answer;
    if (partial || notice) {
      // The next answer may be whole.
      headers["cache-control"] = "no-store";
      delete headers["etag"];
    }
    headers["server-timing"] =
      `engine;dur=${cost.engine.toFixed(1)}, shards;dur=${cost.fetch.toFixed(1)};desc="${cost.requests} fetched"`;
    return new Response(request.method === "HEAD" ? null : json, { headers });
  }

  async function health(request: Request, env: Env, url: URL): Promise<Response> {
    const { bundle, description } = await open(env, url.origin);
    const { pages, sections, generator } = description;
    return json(
      { status: "ok", revision: bundle.revision, pages, sections, generator },
      200,
      { "cache-control": "no-store" },
      request,
    );
  }

  return {
    async fetch(request, env) {
      const url = new URL(request.url);
      try {
        if (![path, similarPath, "/health"].includes(url.pathname)) {
          return json(
            {
              error: {
                code: "not-found",
                message: `There is nothing at ${url.pathname}; search is at ${path}?q=…, similar pages are at ${similarPath}?url=…`,
              },
            },
            404,
            {},
            request,
          );
        }
        switch (request.method) {
          case "OPTIONS":
            return new Response(null, {
              status: 204,
              headers: {
                ...CORS,
                allow: "GET, HEAD, OPTIONS",
                "access-control-allow-methods": "GET, HEAD, OPTIONS",
                "access-control-allow-headers":
                  request.headers.get("access-control-request-headers") ?? "*",
                "access-control-max-age": "86400",
              },
            });
          case "GET":
          case "HEAD":
            return url.pathname === "/health"
              ? await health(request, env, url)
              : await search(request, env, url);
          default:
            return json(
              {
                error: {
                  code: "method",
                  message: `${request.method} is not answered here; use GET.`,
                },
              },
              405,
              { allow: "GET, HEAD, OPTIONS" },
              request,
            );
        }
      } catch (thrown) {
        const { code, message, remedy } = FindlingError.from(thrown);
        const status = code === "no-such-page" ? 404 : ASKER.has(code) ? 400 : 503;
        if (status === 503) console.error(`findling: ${code}: ${message}`);
        return json(
          { error: { code, message, ...(remedy ? { remedy } : {}) } },
          status,
          { "cache-control": "no-store" },
          request,
        );
      }
    },
  };
}

async function openBundle(env: Env, origin: string, memory: number): Promise<Opened> {
  engine.initSync({ module: engineModule });
  const traffic = noTraffic();
  const { base, file } = locate(new URL(env.FINDLING_BUNDLE ?? "/findling/", origin));
  const files = new Files(base, (url, init) =>
    env.ASSETS.fetch(url, init?.headers ? { headers: init.headers } : undefined),
  );
  const bundle = await Bundle.open(
    engine,
    file === undefined ? new Directory(files) : new OneFile(files, file, engine),
    { memory, streamed: false },
    traffic,
  );
  return { bundle, files, description: bundle.describe(), looked: Date.now() };
}

/** What both endpoints take. */
const COMMON = [
  "k",
  "offset",
  "mode",
  "filter",
  "facets",
  "sort",
  "prefer",
  "order",
  "spread",
  "copies",
  "sections",
  "explain",
];

function readSimilar(parameters: URLSearchParams): SearchRequest {
  check(parameters, ["url", ...COMMON]);
  return {
    ...readCommon(parameters),
    similarTo: text(
      parameters,
      "url",
      "the page's URL, path or id, is missing: /similar?url=guide/glaze.html",
    ),
  };
}

function readSearch(parameters: URLSearchParams): SearchRequest {
  check(parameters, [
    "q",
    "encoder",
    "fusion",
    "prefix",
    "verbatim",
    "why",
    "also",
    "instead",
    ...COMMON,
  ]);
  const request = {
    ...readCommon(parameters),
    query: text(parameters, "q", "the query, is missing: /search?q=words"),
  };
  const encoder = choice<EncoderChoice>(parameters, "encoder", ["static", "none"]);
  if (encoder) request.encoder = encoder;
  const fusion = choice<Fusion["method"]>(parameters, "fusion", ["convex", "rrf"]);
  if (fusion) request.fusion = { method: fusion };
  if (flag(parameters, "prefix")) request.prefix = true;
  if (flag(parameters, "verbatim")) request.verbatim = true;
  if (flag(parameters, "instead")) request.facetsInstead = true;
  const why = parameters.get("why");
  if (why) request.why = why;
  const also = parameters.getAll("also").filter((query) => query.trim() !== "");
  if (also.some((query) => query.length > MOST_CHARACTERS))
    throw refuse(`\`also\` has more than ${MOST_CHARACTERS} characters`);
  if (also.length > MOST_WORDINGS)
    throw refuse(
      `\`also\` is given ${also.length} times; at most ${MOST_WORDINGS} other wordings are searched`,
    );
  if (also.length > 0) request.also = also;
  return request;
}

/** What is not understood is refused rather than passed over. */
function check(parameters: URLSearchParams, known: string[]): void {
  for (const name of parameters.keys()) {
    if (!known.includes(name))
      throw refuse(`there is no parameter \`${name}\`; there are ${known.join(", ")}`);
    if (name !== "also" && parameters.getAll(name).length > 1)
      throw refuse(`\`${name}\` is given more than once`);
  }
}

function text(parameters: URLSearchParams, name: string, missing: string): string {
  const value = parameters.get(name);
  if (value === null) throw refuse(`\`${name}\`, ${missing}`);
  if (value.length > MOST_CHARACTERS)
    throw refuse(`\`${name}\` has ${value.length} characters; at most ${MOST_CHARACTERS} are read`);
  return value;
}

function readCommon(parameters: URLSearchParams): SearchRequest {
  const request: SearchRequest = { query: "", limit: integer(parameters, "k", 0, 100, 10) };
  const offset = integer(parameters, "offset", 0, 10_000, 0);
  if (offset > 0) request.offset = offset;
  if (parameters.has("sections"))
    request.sectionsPerPage = integer(parameters, "sections", 1, 20, 3);
  const mode = choice<Mode>(parameters, "mode", ["hybrid", "lexical", "semantic"]);
  if (mode) request.mode = mode;
  const filter = parameters.get("filter");
  if (filter) request.filter = filter;
  const facets = parameters.get("facets");
  if (facets) request.facets = facets.split(",");
  const sort = parameters.get("sort");
  if (sort)
    request.sort = sort.startsWith("-") ? { by: sort.slice(1), descending: true } : { by: sort };
  const prefer = parameters.get("prefer");
  if (prefer) {
    const [, least, by, share] = /^(-?)(.*?)(?::([\d.]+))?$/s.exec(prefer)!;
    request.prefer = {
      by: by!,
      ...(least ? { ascending: true } : {}),
      ...(share ? { share: Number(share) } : {}),
    };
  }
  const order = choice<Order>(parameters, "order", ["relevance", "recent", "balanced"]);
  if (order) request.order = order;
  const spread = parameters.get("spread");
  if (spread) request.spread = spread;
  if (flag(parameters, "copies")) request.copies = true;
  if (flag(parameters, "explain")) request.explain = true;
  return request;
}

function integer(
  parameters: URLSearchParams,
  name: string,
  least: number,
  most: number,
  otherwise: number,
): number {
  const text = parameters.get(name);
  if (text === null) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw refuse(`\`${name}\` must be a whole number from ${least} to ${most}, not \`${text}\``);
  return value;
}

function choice<T extends string>(
  parameters: URLSearchParams,
  name: string,
  values: readonly T[],
): T | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const value = values.find((known) => known === text);
  if (value === undefined)
    throw refuse(`\`${name}\` must be ${values.join(" or ")}, not \`${text}\``);
  return value;
}

function flag(parameters: URLSearchParams, name: string): boolean {
  const text = parameters.get(name);
  if (text === null || ["0", "false"].includes(text)) return false;
  if (["", "1", "true"].includes(text)) return true;
  throw refuse(`\`${name}\` must be 1 or 0, not \`${text}\``);
}

const refuse = (message: string) => new FindlingError("request", message);

/** The same question to the same bundle has the same answer, so together they name it. */
async function tag(revision: string, request: SearchRequest): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(`${revision} ${JSON.stringify(request)}`),
  );
  return `"${[...new Uint8Array(digest, 0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

function matches(header: string | null, etag: string): boolean {
  const given = header?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  return given.includes("*") || given.includes(etag);
}

function json(
  value: unknown,
  status: number,
  headers: Record<string, string>,
  request: Request,
): Response {
  return new Response(request.method === "HEAD" ? null : JSON.stringify(value), {
    status,
    headers: { ...CORS, "content-type": "application/json; charset=utf-8", ...headers },
  });
}

export default createHandler();
