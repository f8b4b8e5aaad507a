// A worker that embeds with this project's module. See run.mjs for what it is asked.

import init, { TransformerEncoder } from "/findling_encoder.js";
import { serve } from "./run.mjs";

serve(async ({ model }) => {
  const [{ memory }, bytes] = await Promise.all([
    init({ module_or_path: "/findling_encoder_bg.wasm" }),
    fetch(model).then((response) => response.arrayBuffer()),
  ]);
  const encoder = new TransformerEncoder(new Uint8Array(bytes));
  return {
    // One word that is one token, and the two special ones.
    encode: async (tokens) => {
      const { values, nTokens } = encoder.encode("water ".repeat(tokens - 2));
      if (nTokens !== tokens) throw new Error(`${nTokens} tokens instead of ${tokens}`);
      return values;
    },
    bytes: () => memory.buffer.byteLength,
  };
});
