/**
 * Answers in the cache of the data centre. An answer of the deployed build is used as long as that
 * build is deployed. An isolate that has no bundle open uses an answer of an earlier build for a
 * day, and meanwhile requests the new one.
 */

import type { CacheLike } from "./store";

/** An answer that was kept. */
export interface KeptAnswer {
  response: Response;
  revision: string;
  /** Seconds since it was made. */
  age: number;
}

/** Seconds for which an answer of an earlier build may be used. */
export const STALE_SECONDS = 86_400;

const REVISION = "x-findling-revision";
const MADE = "x-findling-made";

/** The address of an answer in the cache: it must be an address of the Worker's own host. */
export async function answerAddress(url: URL, name: string): Promise<string> {
  const bytes = new TextEncoder().encode(name);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes), 0, 16);
  const text = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${url.origin}/.findling-answers/${text}`;
}

/** The answer at an address, if there is one. */
export async function keptAnswer(
  cache: CacheLike,
  address: string,
): Promise<KeptAnswer | undefined> {
  const response = await cache.match(address);
  const revision = response?.headers.get(REVISION);
  const made = Number(response?.headers.get(MADE));
  if (!response || !revision || !(made > 0)) return undefined;
  const headers = new Headers(response.headers);
  for (const name of [REVISION, MADE]) headers.delete(name);
  const answer = new Response(response.body, { headers });
  return { response: answer, revision, age: (Date.now() - made) / 1000 };
}

/** Keeps an answer. */
export function keepAnswer(
  cache: CacheLike,
  address: string,
  response: Response,
  revision: string,
): Promise<void> {
  const kept = new Response(response.body, response);
  kept.headers.set("cache-control", `public, max-age=${STALE_SECONDS}`);
  kept.headers.set(REVISION, revision);
  kept.headers.set(MADE, String(Date.now()));
  kept.headers.delete("server-timing");
  kept.headers.delete("x-request-id");
  return cache.put(address, kept);
}
