/** Reads the parameters of the endpoint. A parameter that is not understood is refused. */

import type {
  EncoderChoice,
  FacetsOf,
  Fusion,
  Mode,
  Order,
  Prefer,
  Request as SearchRequest,
  Sort,
} from "./engine-types";
import { FindlingError } from "./errors";

/** Maximum characters of a query or of a page's address. */
const MAX_CHARACTERS = 1000;
/** Maximum number of alternative phrasings. */
const MAX_PHRASINGS = 4;

const ORDERS: readonly Order[] = ["relevance", "recent", "balanced", "match"];

/** The parameters that `/search` and `/similar` share. */
const COMMON = [
  "k",
  "offset",
  "mode",
  "filter",
  "facets",
  "facetsOf",
  "sort",
  "prefer",
  "order",
  "spread",
  "copies",
  "sections",
  "explain",
];

/** The parameters of `/search`. */
export const SEARCH_PARAMETERS: readonly string[] = [
  "q",
  "encoder",
  "fusion",
  "prefix",
  "every-word",
  "verbatim",
  "suggest",
  "why",
  "also",
  "instead",
  ...COMMON,
];

/** The parameters of `/similar`. */
export const SIMILAR_PARAMETERS: readonly string[] = ["url", ...COMMON];

/** The request behind `/similar?url=...`. */
export function readSimilar(parameters: URLSearchParams): SearchRequest {
  checkNames(parameters, SIMILAR_PARAMETERS);
  const similarTo = text(parameters, "url", "a page's URL, path or id: url=guide/glaze.html");
  return { ...readCommon(parameters), similarTo };
}

/** The request behind `/search?q=...`. */
export function readSearch(parameters: URLSearchParams): SearchRequest {
  checkNames(parameters, SEARCH_PARAMETERS);
  const query = text(parameters, "q", "the query: q=words");
  const request: SearchRequest = { ...readCommon(parameters), query };
  const encoder = choice<EncoderChoice>(parameters, "encoder", ["static", "none"]);
  if (encoder) request.encoder = encoder;
  const fusion = choice<Fusion["method"]>(parameters, "fusion", ["convex", "rrf"]);
  if (fusion) request.fusion = { method: fusion };
  if (flag(parameters, "prefix")) request.prefix = true;
  if (flag(parameters, "every-word")) request.everyWord = true;
  if (flag(parameters, "verbatim")) request.verbatim = true;
  if (!flag(parameters, "suggest", true)) request.suggest = false;
  if (flag(parameters, "instead")) request.facetsInstead = true;
  const why = parameters.get("why");
  if (why) request.why = why;
  const also = readAlso(parameters);
  if (also.length > 0) request.also = also;
  return request;
}

function readAlso(parameters: URLSearchParams): string[] {
  const also = parameters.getAll("also").filter((query) => query.trim() !== "");
  const longest = Math.max(0, ...also.map((query) => query.length));
  if (longest > MAX_CHARACTERS)
    throw refuse("also", `at most ${MAX_CHARACTERS} characters`, `${longest}`);
  if (also.length > MAX_PHRASINGS)
    throw refuse("also", `at most ${MAX_PHRASINGS} phrasings`, `${also.length}`);
  return also;
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
  const facetsOf = choice<FacetsOf>(parameters, "facetsOf", ["pages", "sections"]);
  if (facetsOf) request.facetsOf = facetsOf;
  const sort = parameters.get("sort");
  if (sort) request.sort = readSort(sort);
  const prefer = parameters.get("prefer");
  if (prefer) request.prefer = readPrefer(prefer);
  const order = choice<Order>(parameters, "order", ORDERS);
  if (order) request.order = order;
  const spread = parameters.get("spread");
  if (spread) request.spread = spread;
  if (flag(parameters, "copies")) request.copies = true;
  if (flag(parameters, "explain")) request.explain = true;
  return request;
}

/** `attribute`, or `-attribute` for the largest first. */
function readSort(text: string): Sort {
  return text.startsWith("-") ? { by: text.slice(1), descending: true } : { by: text };
}

/** `attribute` or `attribute:share`, with `-` in front to prefer the smallest. */
function readPrefer(text: string): Prefer {
  const [, minus, by, share] = /^(-?)(.*?)(?::([\d.]+))?$/s.exec(text)!;
  return {
    by: by!,
    ...(minus ? { ascending: true } : {}),
    ...(share ? { share: Number(share) } : {}),
  };
}

function checkNames(parameters: URLSearchParams, known: readonly string[]): void {
  for (const name of parameters.keys()) {
    if (!known.includes(name)) {
      const message = `Unknown parameter \`${name}\`. Known parameters: ${known.join(", ")}.`;
      throw new FindlingError("request", message);
    }
    const times = parameters.getAll(name).length;
    if (name !== "also" && times > 1) throw refuse(name, "the parameter once", `it ${times} times`);
  }
}

function text(parameters: URLSearchParams, name: string, expected: string): string {
  const value = parameters.get(name);
  if (value === null) throw refuse(name, expected, "no such parameter");
  if (value.length > MAX_CHARACTERS)
    throw refuse(name, `at most ${MAX_CHARACTERS} characters`, `${value.length}`);
  return value;
}

function integer(
  parameters: URLSearchParams,
  name: string,
  min: number,
  max: number,
  otherwise: number,
): number {
  const text = parameters.get(name);
  if (text === null) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max))
    throw refuse(name, `a whole number from ${min} to ${max}`, `\`${text}\``);
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
  if (value === undefined) throw refuse(name, values.join(" or "), `\`${text}\``);
  return value;
}

function flag(parameters: URLSearchParams, name: string, otherwise = false): boolean {
  const text = parameters.get(name);
  if (text === null) return otherwise;
  if (["0", "false"].includes(text)) return false;
  if (["", "1", "true"].includes(text)) return true;
  throw refuse(name, "1 or 0", `\`${text}\``);
}

function refuse(name: string, expected: string, found: string): FindlingError {
  return new FindlingError(
    "request",
    `The parameter \`${name}\` is not valid: expected ${expected}; found ${found}.`,
  );
}
