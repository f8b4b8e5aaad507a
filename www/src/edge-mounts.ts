/** Which bundle answers a request: many bundles by path or by host, behind one endpoint. */

import { FindlingError } from "./errors";

/**
 * Bundles by what their requests begin with: a path (`/v2/`), a host (`docs.example.org`), or a
 * host with a path (`example.org/docs/`). A bundle is a path in the store, or an address.
 */
export type Mounts = Readonly<Record<string, string>>;

/** Where a request goes. */
export interface Mounted {
  /** The bundle's path in the store, or its address. */
  bundle: string;
  /** The path in front of the route, without a slash at its end. */
  prefix: string;
}

/** The mounts in a variable of JSON. */
export function parseMounts(text: string): Mounts {
  const expected = 'expected a JSON object of bundles by path or host, {"/v2/": "/v2/findling/"}';
  let mounts: unknown;
  try {
    mounts = JSON.parse(text);
  } catch (cause) {
    throw new FindlingError("request", `FINDLING_BUNDLES: ${expected}; found no JSON.`, { cause });
  }
  const isObject = typeof mounts === "object" && mounts !== null && !Array.isArray(mounts);
  if (!isObject || Object.values(mounts as object).some((value) => typeof value !== "string"))
    throw new FindlingError("request", `FINDLING_BUNDLES: ${expected}; found ${text}.`);
  return mounts as Mounts;
}

/** The mount of a request with the longest beginning that fits; `undefined` if there is none. */
export function mountOf(mounts: Mounts, { hostname, host, pathname }: URL): Mounted | undefined {
  let best: (Mounted & { length: number }) | undefined;
  for (const [key, bundle] of Object.entries(mounts)) {
    const [, name, path] = /^([^/]*)(.*)$/s.exec(key)!;
    if (name !== "" && name !== hostname && name !== host) continue;
    const prefix = path!.replace(/\/+$/, "");
    if (!pathname.startsWith(`${prefix}/`)) continue;
    const length = key.length;
    if (!best || length > best.length) best = { bundle, prefix, length };
  }
  return best;
}
