/**
 * The endpoint with the transformer in the Worker. It adds about 1 MB of script, 30 MB of memory
 * and some five milliseconds of CPU time for each new query, so it needs a plan that allows this.
 */

import * as wasm from "../../wasm/encoder/findling_encoder";
import encoderModule from "../../wasm/encoder/findling_encoder_bg.wasm";
import { type Encoded, encodeWith, loadEncoder } from "../encoder";
import { FindlingError } from "../errors";
import { LruCache } from "../lru";
import { createHandler, type EdgeEncoder } from "./edge";

export { createHandler, type EdgeEncoder, type EdgeOptions, type Env } from "./edge";

/** Number of query vectors kept, 1.5 kB each. */
const MAX_VECTORS = 256;

/** The transformer deployed with the bundle. */
export const transformer: EdgeEncoder = {
  name: "transformer",
  async load({ dense }, store) {
    const deployed = dense?.queryEncoders.find(({ kind }) => kind === "transformer");
    if (!dense || !deployed)
      throw new FindlingError("encoder-unavailable", "The bundle has no transformer.");
    wasm.initSync({ module: encoderModule });
    const encoder = await loadEncoder(wasm, store, deployed.files, dense.fingerprint);
    // The same query comes in many requests: for other result pages, filters and facets.
    const vectors = new LruCache<Encoded>(MAX_VECTORS);
    return {
      encode(query) {
        const known = vectors.get(query);
        if (known) return known;
        const encoded = encodeWith(encoder, query);
        vectors.set(query, encoded);
        return encoded;
      },
    };
  },
};

export default createHandler({ encoder: transformer });
