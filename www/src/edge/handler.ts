/**
 * Search as an HTTP endpoint, for any host with `fetch`. `GET /search?q=` answers with the same
 * JSON as `findling search --json`, from the same bundle; `docs/edge.md` describes all routes.
 * `request.ts` reads the parameters, `answerer.ts` answers. `POST /mcp` answers
 * assistants, see `mcp.ts`.
 */

import { meant } from "../assistant-reading";
import type { ToolRequest } from "../assistant-tool";
import type { Response as EngineResponse, Request as SearchRequest } from "../engine-types";
import { FindlingError } from "../errors";
import { Answerer, placeOf } from "./answerer";
import { answerAddress, keepAnswer, keptAnswer, STALE_SECONDS } from "./answers";
import { Budget, type BudgetOptions, DEFAULT_BUDGET, type Metered, metered } from "./budget";
import { type LogLevel, logRequest, requestId, type Trail } from "./log";
import { answerMessage, type EdgeSite } from "./mcp";
import { askMembers, type MadeAnswer, type Placed, revisionsOf } from "./members";
import { type Mounted, memberOf, mountOf, parseMounts } from "./mounts";
import { openApi, type RoutePaths } from "./openapi";
import type { Context, EdgeOptions, Env, Handler } from "./options";
import {
  CORS,
  entityTag,
  type Fault,
  faultOf,
  hasTag,
  json,
  notModified,
  preflight,
  problem,
} from "./reply";
import { readPage, readSearch, readSimilar, readSuggest } from "./request";
import { OPENSEARCH, suggestionsIn } from "./suggestions";

/** Seconds for which caches may serve an answer without asking again. */
const DEFAULT_MAX_AGE = 60;
/** Maximum number of requests under way in an isolate. */
const DEFAULT_MAX_REQUESTS = 256;
/** Milliseconds after which a request is refused. */
const DEFAULT_REQUEST_TIMEOUT = 60_000;
/** Seconds after which a client with too many requests may ask again. */
const RATE_PERIOD = 60;

const METHODS = "GET, HEAD, OPTIONS";
const MCP_METHODS = "POST, OPTIONS";

/** Makes a request handler with the engine's module. An isolate keeps bundles open in it. */
export function handlerWith(module: WebAssembly.Module, options: EdgeOptions = {}): Handler {
  const endpoint = new Endpoint(module, options);
  return {
    fetch(request, env = {}, context) {
      const answer = endpoint.fetch(request, env, context);
      // Requests share files under way, so they must arrive even if this reader goes away.
      context?.waitUntil(answer);
      return answer;
    },
  };
}

/** One request that is being answered. */
interface Asked {
  request: Request;
  env: Env;
  url: URL;
  cost: Metered;
  trail: Trail;
  mounted: Mounted;
}

/** A request to a bundle, and the form of its answer. */
interface Question {
  query: SearchRequest;
  /** The body, made of the engine's JSON. */
  shape(json: string): string;
  type?: string;
}

/** Thrown when a request ends with a fault. */
class Refused extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

class Endpoint {
  readonly #options: EdgeOptions;
  readonly #answerer: Answerer;
  readonly #paths: RoutePaths;
  /** When each request under way began. A request that the host has ended is not removed. */
  readonly #running = new Map<Trail, number>();

  constructor(module: WebAssembly.Module, options: EdgeOptions) {
    this.#options = options;
    this.#answerer = new Answerer(module, options);
    const { prefix = "", mcpPath = "/mcp" } = options;
    this.#paths = {
      search: prefix + (options.path ?? "/search"),
      similar: prefix + (options.similarPath ?? "/similar"),
      suggest: prefix + (options.suggestPath ?? "/suggest"),
      page: prefix + (options.pagePath ?? "/page"),
      health: `${prefix}/health`,
      openapi: `${prefix}/openapi.json`,
      mcp: mcpPath && prefix + mcpPath,
    };
  }

  async fetch(request: Request, env: Env, context: Context | undefined): Promise<Response> {
    const url = new URL(request.url);
    const budget = new Budget({ ...budgetOf(env), ...this.#options.budget });
    const later = (work: Promise<unknown>) => context?.waitUntil(work);
    const cost = metered(budget, later);
    const trail: Trail = { id: requestId(request), start: Date.now(), route: "" };
    const response = await this.#answerOrFault({ request, env, url, cost, trail });
    response.headers.set("x-request-id", trail.id);
    const { FINDLING_LOG = "requests" } = env;
    const level = this.#options.log ?? (FINDLING_LOG as LogLevel);
    logRequest(level, request, response.status, trail, cost);
    return response;
  }

  async #answerOrFault(asked: Omit<Asked, "mounted">): Promise<Response> {
    const { request, trail } = asked;
    try {
      return await this.#routeInTime({ ...asked, mounted: this.#mountOf(asked) });
    } catch (thrown) {
      const fault = thrown instanceof Refused ? thrown.fault : faultOf(FindlingError.from(thrown));
      trail.code = fault.code;
      // Messages of errors that the client must repair may quote the query.
      if (fault.status >= 500) trail.message = fault.message;
      return problem(request, trail.id, fault);
    }
  }

  #mountOf({ env, url }: Pick<Asked, "env" | "url">): Mounted {
    const { FINDLING_BUNDLE, FINDLING_BUNDLES } = env;
    const mounts =
      this.#options.mounts ?? (FINDLING_BUNDLES ? parseMounts(FINDLING_BUNDLES) : undefined);
    if (!mounts) return { members: [memberOf(FINDLING_BUNDLE ?? "/findling/")], prefix: "" };
    const mounted = mountOf(mounts, url);
    if (mounted) return mounted;
    const known = Object.keys(mounts).join(" or ");
    const asked = `${url.host}${url.pathname}`;
    const message = `No bundle answers ${asked}: expected a request that begins with ${known}.`;
    throw new Refused({ status: 404, code: "not-found", message });
  }

  get #requestTimeout(): number {
    return this.#options.requestTimeout ?? DEFAULT_REQUEST_TIMEOUT;
  }

  /**
   * Refuses a request that takes too long. It may have waited for the work of a request that the
   * host has ended, so its bundles are opened anew for the next one.
   */
  async #routeInTime(asked: Asked): Promise<Response> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Workers cancel a request that waits for nothing of its own. Files under way may belong to
    // another request, so this one has a timer.
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#running.delete(asked.trail);
        for (const { place } of placed(asked)) this.#answerer.forget(place);
        reject(tooLate(this.#requestTimeout));
      }, this.#requestTimeout);
    });
    return Promise.race([this.#route(asked), late]).finally(() => clearTimeout(timer));
  }

  async #route(asked: Asked): Promise<Response> {
    const { request, url, trail, mounted } = asked;
    const path = url.pathname.slice(mounted.prefix.length);
    const paths = this.#paths;
    const route = (Object.keys(paths) as (keyof RoutePaths)[]).find((name) => paths[name] === path);
    if (!route) {
      const known = Object.values(paths).filter((path) => path !== false);
      const routes = `Search: ${paths.search}?q=words. Routes: ${known.join(", ")}.`;
      const message = `Nothing is at ${url.pathname}. ${routes}`;
      throw new Refused({ status: 404, code: "not-found", message });
    }
    trail.route = route;
    const methods = route === "mcp" ? MCP_METHODS : METHODS;
    if (request.method === "OPTIONS") return preflight(request, methods);
    if (!methods.split(", ").includes(request.method)) {
      const [use] = methods.split(",");
      const message = `The method ${request.method} is not supported: use ${use}.`;
      throw new Refused({ status: 405, code: "method", message, headers: { allow: methods } });
    }
    if (route === "openapi") return this.#describe(asked);
    await this.#checkRate(asked);
    return this.#unlessBusy(asked, () => this.#answerRoute(route, asked));
  }

  async #describe({ request, url, mounted }: Asked): Promise<Response> {
    const text = JSON.stringify(openApi(this.#paths, `${url.origin}${mounted.prefix}`));
    const headers = { etag: await entityTag(text), "cache-control": "public, max-age=3600" };
    const response = json(request, 200, text, headers);
    return hasTag(request, headers.etag) ? notModified(response.headers) : response;
  }

  /** Refuses a client with too many requests. */
  async #checkRate({ request, env }: Asked): Promise<void> {
    const limiter = env.FINDLING_RATE_LIMIT;
    if (!limiter) return;
    const key = this.#options.rateKey?.(request) ?? request.headers.get("cf-connecting-ip") ?? "";
    if ((await limiter.limit({ key })).success) return;
    throw new Refused({
      status: 429,
      code: "too-many-requests",
      message: "This client has asked too often.",
      remedy: `Ask again in ${RATE_PERIOD} seconds.`,
      headers: { "retry-after": String(RATE_PERIOD) },
    });
  }

  /** Refuses a request if the maximum is already under way. */
  async #unlessBusy(asked: Asked, work: () => Promise<Response>): Promise<Response> {
    const { maxRequests = DEFAULT_MAX_REQUESTS } = this.#options;
    const running = this.#running;
    const now = Date.now();
    for (const [trail, start] of running) {
      if (now - start <= this.#requestTimeout) break;
      running.delete(trail);
    }
    if (running.size >= maxRequests) {
      throw new Refused({
        status: 503,
        code: "overloaded",
        message: `${running.size} requests are under way: expected at most ${maxRequests}.`,
        remedy: "Ask again in a second.",
        headers: { "retry-after": "1" },
      });
    }
    running.set(asked.trail, now);
    try {
      return await work();
    } finally {
      running.delete(asked.trail);
    }
  }

  #answerRoute(route: Exclude<keyof RoutePaths, "openapi">, asked: Asked): Promise<Response> {
    const { env, url, trail } = asked;
    const members = placed(asked);
    if (route === "mcp") return this.#assist(asked, members);
    if (route === "health") return this.#health(asked, members);
    const question = questionOf(route, url.searchParams);
    if (this.#options.logQueries ?? env.FINDLING_LOG_QUERIES === "1")
      trail.query = question.query.query || (question.query.similarTo ?? question.query.read ?? "");
    return this.#answer(asked, members, question);
  }

  /** The answer in the cache, or a new one. */
  async #answer(asked: Asked, members: Placed[], question: Question): Promise<Response> {
    const { request, url, cost, trail } = asked;
    const { cache } = this.#answerer;
    const { query, type = "" } = question;
    const bundles = members.map(({ place: { name }, weight, filter }) => [name, weight, filter]);
    const name = JSON.stringify([bundles, trail.route, type, query]);
    const address = cache && (await answerAddress(url, name));
    const kept =
      address && (await cost.budget.run(() => keptAnswer(cache, address)).catch(() => {}));
    const open = revisionsOf(this.#answerer, members);
    if (kept && (open === undefined || open === kept.revision)) {
      const { response, revision, age } = kept;
      const isFresh = open !== undefined || age < this.#maxAge;
      if (!isFresh) cost.later(this.#renew(asked, members, question, address));
      trail.cached = isFresh ? "fresh" : "stale";
      trail.revision = revision;
      return this.#send(request, response);
    }
    const { response, revision } = await this.#make(asked, members, question);
    if (address && revision !== undefined) {
      const copy = response.clone();
      cost.later(keep(cost, () => keepAnswer(cache, address, copy, revision)));
    }
    return this.#send(request, response);
  }

  /** A new answer that replaces one of an earlier build. */
  async #renew(
    asked: Asked,
    members: Placed[],
    question: Question,
    address: string,
  ): Promise<void> {
    const { cache } = this.#answerer;
    try {
      const { response, revision } = await this.#make(asked, members, question);
      if (cache && revision !== undefined)
        await keep(asked.cost, () => keepAnswer(cache, address, response, revision));
    } catch {
      // The next request tries again.
    }
  }

  get #maxAge(): number {
    return this.#options.maxAge ?? DEFAULT_MAX_AGE;
  }

  /** An answer in the form in which it is sent to a client. */
  #send(request: Request, made: Response): Response {
    const headers = new Headers(made.headers);
    if (made.headers.has("etag"))
      headers.set(
        "cache-control",
        `public, max-age=${this.#maxAge}, stale-while-revalidate=${STALE_SECONDS}`,
      );
    if (hasTag(request, headers.get("etag"))) return notModified(headers);
    return new Response(request.method === "HEAD" ? null : made.body, { headers });
  }

  /** Queries the bundles. There is a revision if the answer is complete. */
  async #make(asked: Asked, members: Placed[], { query, shape, type }: Question) {
    const { env, cost, trail } = asked;
    const answer = await askMembers(this.#answerer, members, query, env, cost);
    const { revision, whole } = answer;
    trail.revision = revision;
    const headers: Record<string, string> = {
      ...CORS,
      "content-type": `${type ?? "application/json"}; charset=utf-8`,
      vary: "accept-encoding",
      "server-timing": timing(cost),
      ...(await validity(answer, query, trail.route)),
    };
    const response = new Response(shape(answer.json), { headers });
    return { response, revision: whole ? revision : undefined };
  }

  /** Answers an assistant. */
  async #assist({ request, env, cost }: Asked, members: Placed[]): Promise<Response> {
    const { place } = members[0]!;
    const ask = async (query: ToolRequest) => {
      const { json } = await askMembers(this.#answerer, members, query, env, cost);
      return JSON.parse(json) as EngineResponse;
    };
    const site = (): Promise<EdgeSite> =>
      this.#answerer.use(place, env, cost, async ({ description: { generator } }) => ({
        generator,
        resolve: (url) => absolute(url, place.site),
        ask,
      }));
    const { status, body } = await answerMessage(request, site);
    const headers = { "cache-control": "no-store" };
    return body
      ? json(request, status, body, headers)
      : new Response(null, { status, headers: { ...CORS, ...headers } });
  }

  /** The builds, and their numbers of pages and sections. */
  async #health({ request, env, cost, trail }: Asked, members: Placed[]): Promise<Response> {
    const states = await Promise.all(
      members.map(({ place }) =>
        this.#answerer.use(place, env, cost, async ({ bundle, description }) => ({
          revision: bundle.revision,
          ...description,
        })),
      ),
    );
    const sum = (name: "pages" | "sections") => states.reduce((sum, state) => sum + state[name], 0);
    const revision = states.map((state) => state.revision).join("+");
    trail.revision = revision;
    const { generator } = states[0]!;
    const [pages, sections] = [sum("pages"), sum("sections")];
    const body = { status: "ok", revision, pages, sections, generator };
    return json(request, 200, body, { "cache-control": "no-store" });
  }
}

/** Returns the bundles that a request is for, with their places. */
const placed = ({ url, mounted }: Asked): Placed[] =>
  mounted.members.map((member) => ({ ...member, place: placeOf(member.bundle, url) }));

/** Refuses a request whose answer took longer than a number of milliseconds. */
const tooLate = (milliseconds: number): Refused =>
  new Refused({
    status: 503,
    code: "timeout",
    message: `The answer took over ${milliseconds / 1000} seconds.`,
    remedy: "Ask again in a second.",
    headers: { "retry-after": "1" },
  });

/** Returns the limits on a request's fetches, unless the options set them. */
function budgetOf({ FINDLING_SUBREQUESTS }: Env): BudgetOptions {
  const subrequests = Number(FINDLING_SUBREQUESTS);
  return subrequests > 0 ? { ...DEFAULT_BUDGET, subrequests } : DEFAULT_BUDGET;
}

/** Reads the request to the bundle from an HTTP request. */
function questionOf(
  route: "search" | "similar" | "suggest" | "page",
  given: URLSearchParams,
): Question {
  const asItIs = (json: string) => json;
  if (route === "search") return { query: readSearch(given), shape: asItIs };
  if (route === "similar") return { query: readSimilar(given), shape: asItIs };
  if (route === "suggest") {
    const { request, format } = readSuggest(given);
    const shape = (json: string) => suggestionsIn(json, format);
    return { query: request, shape, ...(format === "opensearch" ? { type: OPENSEARCH } : {}) };
  }
  const { request, url } = readPage(given);
  return { query: request, shape: (json) => documentIn(json, url) };
}

/** The page that was read, or the section that the address names. */
function documentIn(json: string, url: string): string {
  const { document } = JSON.parse(json) as EngineResponse;
  if (!document) throw new FindlingError("internal", "The text of the page is missing.");
  return JSON.stringify({ ...document, ...meant(document, url) });
}

/**
 * Headers by which clients can check whether an answer is still valid. A partial answer is not
 * kept.
 */
async function validity(
  { whole, revision }: MadeAnswer,
  query: SearchRequest,
  route: string,
): Promise<Record<string, string>> {
  if (!whole) return { "cache-control": "no-store" };
  return { etag: await entityTag(revision, route, JSON.stringify(query)) };
}

function timing({ engine, fetch, budget }: Metered): string {
  const files = `${budget.used} fetched, ${budget.most} at once`;
  return `engine;dur=${engine.toFixed(1)}, shards;dur=${fetch.toFixed(1)};desc="${files}"`;
}

/** Keeps an answer if there is a subrequest left for it. */
async function keep({ budget }: Metered, put: () => Promise<void>): Promise<void> {
  try {
    if (budget.left > 0) await budget.run(put);
  } catch {
    // A cache saves time and is never required.
  }
}

/** The absolute address of a page; `null` if it is not a web address. */
function absolute(url: string, base: URL): string | null {
  const relative = url.replace(/^\/+/, "");
  const parsed = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(url) ? url : relative, base);
  return parsed && ["https:", "http:"].includes(parsed.protocol) ? parsed.href : null;
}
