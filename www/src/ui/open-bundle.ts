/** Opens bundles for elements. Elements of a page that use the same bundle share one index. */

import { beginOpening } from "../begin-opening";
import type { FindlingIndex } from "../client";
import type { OpenOptions } from "../types";

/** An index that may have other users. */
export interface Lease {
  index: Promise<FindlingIndex>;
  /** Releases the index; call it once. When the last user releases it, the index is closed. */
  end(): void;
}

const leases = new Map<unknown, { index: Promise<FindlingIndex>; users: number }>();

/** The index of the bundle at `address`. */
export function lease(address: URL, options: OpenOptions): Lease {
  // Functions and bytes cannot be compared, so an index opened with them is not shared.
  const key = options.encode || options.bytes ? {} : JSON.stringify([address, options]);
  const known = leases.get(key);
  const open = known ?? { index: begin(address, options), users: 0 };
  open.users++;
  // An index that failed or was closed may already have been replaced by a later one.
  const forget = () => leases.get(key) === open && leases.delete(key);
  if (!known) {
    leases.set(key, open);
    open.index.catch(forget);
  }
  return {
    index: open.index,
    end() {
      if (--open.users > 0) return;
      forget();
      open.index.then(
        (index) => index.close(),
        () => {},
      );
    },
  };
}

/** The client is only fetched now, together with the files that it will request. */
async function begin(address: URL, options: OpenOptions): Promise<FindlingIndex> {
  const begun = beginOpening(address, options);
  try {
    return await (await import("../client")).openBegun(address, options, begun);
  } catch (thrown) {
    begun.worker?.worker.terminate();
    throw thrown;
  }
}
