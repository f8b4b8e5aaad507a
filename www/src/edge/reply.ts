/** Responses of the endpoint: JSON, problems (RFC 9457), answers to preflights, entity tags. */

import { hex } from "../bytes";
import type { FindlingError } from "../errors";

/** Headers of every answer. Any site may send requests. */
export const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, retry-after, server-timing, x-request-id",
};

const PROBLEM = "application/problem+json; charset=utf-8";

/** An answer in JSON. */
export function json(
  request: Request,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Response(request.method === "HEAD" ? null : text, {
    status,
    headers: { ...CORS, "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** A problem with a request, or with the endpoint. */
export interface Fault {
  status: number;
  /** Stable, for programs. */
  code: string;
  message: string;
  /** The remedy. */
  remedy?: string;
  headers?: Record<string, string>;
}

const TITLES: Readonly<Record<number, string>> = {
  400: "The request is not valid",
  404: "Nothing is here",
  405: "The method is not supported",
  429: "Too many requests",
  503: "The search cannot answer now",
};

/**
 * An error as `application/problem+json`. It has `error` too, the form of earlier versions. No
 * cache keeps it.
 */
export function problem(request: Request, id: string, fault: Fault): Response {
  const { status, code, message, headers } = fault;
  const remedy = fault.remedy ? { remedy: fault.remedy } : {};
  const body = {
    type: `urn:findling:problem:${code}`,
    title: TITLES[status] ?? "An error",
    status,
    detail: message,
    instance: `urn:findling:request:${id}`,
    code,
    ...remedy,
    error: { code, message, ...remedy },
  };
  return json(request, status, body, {
    "cache-control": "no-store",
    ...headers,
    "content-type": PROBLEM,
  });
}

/** Codes of errors that the client must repair, with their status. */
const CLIENT_ERRORS: Readonly<Record<string, number>> = {
  request: 400,
  filter: 400,
  "unknown-attribute": 400,
  vector: 400,
  "encoder-unavailable": 400,
  "no-such-page": 404,
};

/** Seconds after which an answer may become possible. */
const RETRY_AFTER = 1;

/** An error as a fault. */
export function faultOf({ code, message, remedy }: FindlingError): Fault {
  const status = CLIENT_ERRORS[code] ?? 503;
  const headers = status === 503 ? { "retry-after": String(RETRY_AFTER) } : {};
  return { status, code, message, remedy, headers };
}

/**
 * The answer to a preflight request, by which a browser checks whether a script of another origin
 * may send a request.
 */
export function preflight(request: Request, methods: string): Response {
  const headers = {
    ...CORS,
    allow: methods,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
    "access-control-max-age": "86400",
  };
  return new Response(null, { status: 204, headers });
}

/** Returns an entity tag made of everything that determines an answer. */
export async function entityTag(...parts: string[]): Promise<string> {
  const name = new TextEncoder().encode(parts.join(" "));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", name), 0, 12);
  return `"${hex(digest)}"`;
}

/** Whether a client has the answer with this tag. */
export function hasTag(request: Request, etag: string | null): boolean {
  const header = request.headers.get("if-none-match");
  const tags = header?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  return etag !== null && (tags.includes("*") || tags.includes(etag));
}

/** The response to a client that already has the answer. */
export function notModified(headers: Headers): Response {
  const kept = new Headers(headers);
  kept.delete("content-type");
  return new Response(null, { status: 304, headers: kept });
}
