// A worker that embeds with onnxruntime-web in one thread. run.mjs has its messages.

import { serve } from "./run.mjs";

// The module imports its memory, so that its size can be read.
let memory;
const { Memory } = WebAssembly;
WebAssembly.Memory = (...limits) => (memory = new Memory(...limits));
WebAssembly.Memory.prototype = Memory.prototype;

const CLS = 101,
  WATER = 2300,
  SEP = 102;

serve(async ({ model }) => {
  const ort = await import("/ort.wasm.min.mjs");
  ort.env.wasm.wasmPaths = "/";
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ["wasm"],
    graphOptimizationLevel: "all",
  });
  return {
    encode: async (tokens) => {
      const ids = BigInt64Array.from([CLS, ...Array(tokens - 2).fill(WATER), SEP], BigInt);
      const { embedding } = await session.run({
        input_ids: new ort.Tensor("int64", ids, [1, tokens]),
      });
      return embedding.data;
    },
    bytes: () => memory?.buffer.byteLength ?? 0,
  };
});
