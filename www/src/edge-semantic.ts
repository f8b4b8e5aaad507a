/**
 * The endpoint with the transformer in the Worker: about 1 MB of script and 30 MB of memory more,
 * and some five milliseconds of processor time for each query that no cache knows. For plans that
 * allow that.
 */

import * as wasm from "../wasm/encoder/findling_encoder";
import encoderModule from "../wasm/encoder/findling_encoder_bg.wasm";
import { createHandler, type EdgeEncoder } from "./edge";
import { type Encoded, encodeWith, loadEncoder } from "./encoder";
import { FindlingError } from "./errors";
import { Recent } from "./recent";

export { createHandler, type EdgeEncoder, type EdgeOptions, type Env } from "./edge";

/** Vectors of recent queries kept, 1.5 kB each. */
const VECTORS_KEPT = 256;

/** The encoder deployed beside the bundle. */
export const transformer: EdgeEncoder = {
  name: "transformer",
  async load({ dense }, files) {
    const deployed = dense?.queryEncoders.find(({ kind }) => kind === "transformer");
    if (!dense || !deployed)
      throw new FindlingError("encoder-unavailable", "The bundle has no transformer beside it.");
    wasm.initSync({ module: encoderModule });
    const encoder = await loadEncoder(wasm, files, deployed.files, dense.fingerprint);
    // Of one query there are many requests: other pages of results, filters, facets.
    const known = new Recent<Encoded>(VECTORS_KEPT);
    return {
      encode(query) {
        const before = known.get(query);
        if (before) return before;
        const encoded = encodeWith(encoder, query);
        known.set(query, encoded);
        return encoded;
      },
    };
  },
};

export default createHandler({ encoder: transformer });
