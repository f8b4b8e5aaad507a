/**
 * The endpoint with the transformer in the Worker: about 1.5 MB of script and 25 MB of memory more, and some ten
 * milliseconds of processor time for each query that no cache knows. For plans that allow that.
 */

import encoderModule from "../wasm/encoder/findling_encoder_bg.wasm";
import * as wasm from "../wasm/encoder/findling_encoder";
import { createHandler, type EdgeEncoder } from "./edge";
import { encodeWith, fetchParts, openEncoder } from "./encoder";
import { FindlingError } from "./errors";

export { createHandler, type EdgeEncoder, type EdgeOptions, type Env } from "./edge";

/** The encoder deployed beside the bundle. */
export const transformer: EdgeEncoder = {
  name: "transformer",
  async load({ dense }, files) {
    const deployed = dense?.queryEncoders.find(({ kind }) => kind === "transformer");
    if (!dense || !deployed) throw new FindlingError("encoder-unavailable", "The bundle has no transformer beside it.");
    const artefact = await fetchParts(files, deployed.files, new AbortController().signal, () => {});
    wasm.initSync({ module: encoderModule });
    const encoder = openEncoder(wasm, artefact, dense.fingerprint);
    return { encode: (query) => encodeWith(encoder, query) };
  },
};

export default createHandler({ encoder: transformer });
