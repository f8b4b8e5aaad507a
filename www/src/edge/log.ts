/**
 * One line of JSON for each request. Queries are not logged, unless the site wants it, because they
 * can identify the reader.
 */

import type { Metered } from "./budget";

/** The requests that the endpoint logs. */
export type LogLevel = "requests" | "errors" | "none";

/** The log entry of a request. */
export interface LogEntry {
  id: string;
  method: string;
  route: string;
  status: number;
  ms: number;
  /** Milliseconds in the engine. */
  engineMs: number;
  subrequests: number;
  bytes: number;
  /** Whether the answer came from the cache. */
  cached?: "fresh" | "stale";
  /** The hash of the build that answered. */
  revision?: string;
  code?: string;
  message?: string;
  /** Only if queries are logged. */
  query?: string;
}

/** Facts about a request that are gathered while it is answered. */
export interface Trail {
  id: string;
  start: number;
  route: string;
  cached?: "fresh" | "stale";
  revision?: string;
  code?: string;
  message?: string;
  query?: string;
}

/** Writes the line of a request. */
export function logRequest(
  level: LogLevel,
  { method }: Request,
  status: number,
  trail: Trail,
  { engine, bytesFetched, budget }: Metered,
): void {
  if (level === "none" || (level === "errors" && status < 500)) return;
  const { id, start, route, ...rest } = trail;
  const entry: LogEntry = {
    id,
    method,
    route,
    status,
    ms: Math.round(Date.now() - start),
    engineMs: Math.round(engine),
    subrequests: budget.used,
    bytes: bytesFetched,
    ...rest,
  };
  const line = JSON.stringify({ findling: entry });
  if (status >= 500) console.error(line);
  else console.log(line);
}

/** The form of request identities that proxies create. */
const REQUEST_ID = /^[\w.:@/+=-]{1,128}$/;

/** The identity of a request: the one from a proxy in front, or a new one. */
export function requestId({ headers }: Request): string {
  const given = headers.get("x-request-id") ?? headers.get("cf-ray");
  return given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID();
}
