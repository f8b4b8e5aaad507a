/**
 * A replacement of `begin-opening.ts`: nothing is fetched, because the file contains everything.
 */

import type { Opening } from "../begin-opening";
import { parseBundleAddress } from "../bundle-address";
import type { OpenOptions } from "../types";
import { BUNDLE, DEFERRED, ENGINE } from "./names";
import { payload } from "./payload";
import { startEmbedded } from "./spawn";

/** Begins to open the bundle that this file carries. `address` is the directory of the file. */
export function beginOpening(address: URL, { worker }: OpenOptions): Opening {
  const carried = payload();
  const base = parseBundleAddress(address).base;
  const url = (name: string) => new URL(name, base).href;
  const files = carried.then(({ engine, rest, bundle }): [string, ArrayBuffer][] => [
    [url(ENGINE), engine],
    [url(DEFERRED), rest],
    [url(BUNDLE), bundle],
  ]);
  // The caller waits for it later, and reports its error.
  files.catch(() => {});
  return {
    assets: base,
    worker: worker === false ? undefined : startEmbedded(),
    // A compiled module cannot be posted to a page on a disk. The bytes can.
    module: Promise.resolve(undefined),
    files,
  };
}
