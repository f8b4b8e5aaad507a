// A worker that embeds with this project's module. run.mjs has its messages.

import init, { ModelPieces } from "/findling_encoder.js";
import { serve } from "./run.mjs";

serve(async ({ model }) => {
  const [{ memory }, { body }] = await Promise.all([
    init({ module_or_path: "/findling_encoder_bg.wasm" }),
    fetch(model),
  ]);
  const pieces = new ModelPieces();
  const inflated = body.pipeThrough(new DecompressionStream("deflate")).getReader();
  for (let piece = await inflated.read(); !piece.done; piece = await inflated.read())
    pieces.push(piece.value);
  const encoder = pieces.finish();
  return {
    // The word is one token. The encoder adds two special tokens.
    encode: async (tokens) => {
      const { values, nTokens } = encoder.encode("water ".repeat(tokens - 2));
      if (nTokens !== tokens) throw new Error(`${nTokens} tokens instead of ${tokens}`);
      return values;
    },
    bytes: () => memory.buffer.byteLength,
  };
});
