/**
 * Choice of the bundles that answer a request: many bundles by path or by host, behind one
 * endpoint.
 */

import * as v from "valibot";
import { FindlingError } from "../errors";

/** One of several bundles. */
export interface MemberOptions {
  /** The path in the store, or the address. */
  bundle: string;
  /** The name in results. Default: the bundle. */
  name?: string | undefined;
  /** A factor on the scores of its pages. Default: 1. */
  weight?: number | undefined;
  /** A filter that applies to every search of this bundle. */
  filter?: string | undefined;
}

/**
 * Bundles by the beginning of their requests: a path (`/v2/`), a host (`docs.example.org`), or a
 * host with a path (`example.org/docs/`). A bundle is a path in the store, or an address. A list of
 * bundles is searched as one.
 */
export type Mounts = Record<string, string | MemberOptions | (string | MemberOptions)[]>;

const MEMBER = v.object({
  bundle: v.string(),
  name: v.optional(v.string()),
  weight: v.optional(v.pipe(v.number(), v.minValue(0))),
  filter: v.optional(v.string()),
});
const ONE = v.union([v.string(), MEMBER]);
const MOUNTS: v.GenericSchema<unknown, Mounts> = v.record(
  v.string(),
  v.union([ONE, v.pipe(v.array(ONE), v.minLength(1))]),
);

/** A bundle that answers a request. */
export interface Member {
  bundle: string;
  name: string;
  weight: number;
  filter: string | undefined;
}

/** The target of a request. */
export interface Mounted {
  members: Member[];
  /** The path in front of the route, without a slash at its end. */
  prefix: string;
}

/** The mounts in a variable of JSON. */
export function parseMounts(text: string): Mounts {
  const expected = 'expected a JSON object of bundles by path or host, {"/v2/": "/v2/findling/"}';
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (cause) {
    throw new FindlingError("request", `FINDLING_BUNDLES: ${expected}; found no JSON.`, { cause });
  }
  const result = v.safeParse(MOUNTS, found);
  if (result.success) return result.output;
  const at = result.issues[0].path?.[0]?.key ?? "";
  throw new FindlingError("request", `FINDLING_BUNDLES: ${expected}; found ${text} (at "${at}").`);
}

/** A bundle as a member of a list of one or several. */
export function memberOf(given: string | MemberOptions): Member {
  const options: MemberOptions = typeof given === "string" ? { bundle: given } : given;
  const { bundle, name, weight, filter } = options;
  return { bundle, name: name ?? bundle, weight: weight ?? 1, filter };
}

/**
 * The mount with the longest key that matches the beginning of a request; `undefined` if there is
 * none.
 */
export function mountOf(mounts: Mounts, { hostname, host, pathname }: URL): Mounted | undefined {
  let best: (Mounted & { length: number }) | undefined;
  for (const [key, bundles] of Object.entries(mounts)) {
    const [, name, path] = /^([^/]*)(.*)$/s.exec(key)!;
    if (name !== "" && name !== hostname && name !== host) continue;
    const prefix = path!.replace(/\/+$/, "");
    if (!pathname.startsWith(`${prefix}/`)) continue;
    const { length } = key;
    if (!best || length > best.length)
      best = { members: [bundles].flat().map(memberOf), prefix, length };
  }
  return best;
}
