// A Worker that embeds with this project's module: `/?tokens=9&times=20` embeds 20 times. The model
// is its asset. Clocks in an isolate stand still while code runs, so the client has to measure.

import { initSync, ModelPieces } from "./findling_encoder.js";
import module from "./findling_encoder_bg.wasm";

let loading;

async function load({ ASSETS }, origin) {
  const { memory } = initSync({ module });
  const pieces = new ModelPieces();
  const { body } = await ASSETS.fetch(new Request(new URL("/model.bin", origin)));
  const inflated = body.pipeThrough(new DecompressionStream("deflate")).getReader();
  for (let piece = await inflated.read(); !piece.done; piece = await inflated.read())
    pieces.push(piece.value);
  return { encoder: pieces.finish(), memory };
}

export default {
  async fetch(request, env) {
    const { pathname, origin, searchParams } = new URL(request.url);
    if (pathname === "/health") return new Response("ok");
    loading ??= load(env, origin);
    const { encoder, memory } = await loading;
    const text = "water ".repeat(Number(searchParams.get("tokens")) - 2);
    for (let i = Number(searchParams.get("times")); i > 0; i--) encoder.encode(text);
    return Response.json({ bytes: memory.buffer.byteLength });
  },
};
