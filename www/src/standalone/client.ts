/** A replacement of `client.ts`: elements open the bundle in this file. */

import type { Opening } from "../begin-opening";
import { parseBundleAddress } from "../bundle-address";
import { type FindlingIndex, openBegun as open } from "../client";
import type { OpenOptions } from "../types";
import { BUNDLE } from "./names";

/** Opens the bundle. The addresses of its pages are relative to the directory of this file. */
export function openBegun(
  address: URL,
  options: OpenOptions,
  opening: Opening,
): Promise<FindlingIndex> {
  const { base } = parseBundleAddress(address);
  return open(new URL(BUNDLE, base), { site: base.href, ...options }, opening);
}
