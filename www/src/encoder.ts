/**
 * The encoder's worker: from a query to its vector. A module of its own, fetched only when meaning
 * is wanted.
 */

import * as wasm from "../wasm/encoder/findling_encoder";
import { FindlingError } from "./errors";
import { type Port, serve } from "./rpc";
import { Files } from "./shards";
import type { EncoderProgress } from "./types";

/** What the page sends to load the encoder. */
export interface LoadCall {
  /** Directory of the bundle. */
  base: string;
  wasmUrl: string;
  files: { path: string; length: number; hash: string }[];
  /** Identity of the documents' encoder. */
  fingerprint: string;
}

/** A query's vector. */
export interface Encoded {
  values: Float32Array;
  truncated: boolean;
}

/** Answers the page's calls through `port`. */
export function start(port: Port): void {
  let encoder: wasm.TransformerEncoder | undefined;
  serve(port, {
    async load({ base, wasmUrl, files, fingerprint }: LoadCall, signal, progress) {
      const start = performance.now();
      const place = new Files(new URL(base), (url, init) => fetch(url, init), `findling ${base}`);
      // Not awaited: while the module is fetched and compiled, the model is on its way already.
      const ready = wasm.default({ module_or_path: wasmUrl }).catch((thrown: unknown) => {
        throw new FindlingError(
          "wasm",
          `${wasmUrl} could not be loaded: ${(thrown as Error).message}`,
          { cause: thrown },
        );
      });
      try {
        encoder = await loadEncoder(wasm, place, files, fingerprint, { signal, progress, ready });
      } catch (thrown) {
        if (FindlingError.from(thrown).code !== "encoder-artefact") throw thrown;
        // A cache on the way may have spoilt it. Once more, past all of them.
        encoder = await loadEncoder(wasm, place, files, fingerprint, {
          signal,
          progress,
          fresh: true,
        });
      }
      return performance.now() - start;
    },
    async encode(texts: string[]): Promise<Encoded[]> {
      const loaded = encoder;
      if (!loaded) throw new FindlingError("encoder-unavailable", "The encoder is not loaded.");
      return texts.map((text) => encodeWith(loaded, text));
    },
  });
}

/** How to load a model. */
export interface Loading {
  signal?: AbortSignal;
  progress?: (value: EncoderProgress) => void;
  /** Passes over every cache on the way. */
  fresh?: boolean;
  /**
   * When the module can be used; it can already unless told. Until then the model is fetched, but
   * not taken in.
   */
  ready?: Promise<unknown>;
}

/**
 * Loads the model in `parts`, which hosts' limits may have made several, and makes sure that its
 * vectors are of the documents' space. It goes from the network through the browser's own inflating
 * straight into the module's memory.
 */
export async function loadEncoder(
  module: Pick<typeof wasm, "ModelPieces">,
  files: Pick<Files, "stream">,
  parts: LoadCall["files"],
  fingerprint: string,
  loading: Loading = {},
): Promise<wasm.TransformerEncoder> {
  if (typeof DecompressionStream === "undefined") {
    throw new FindlingError(
      "encoder-unavailable",
      "This browser cannot inflate streams, which loading the encoder needs.",
      { remedy: "Search by words goes on working." },
    );
  }
  const inflating = new DecompressionStream("deflate");
  const fed = feed(inflating.writable.getWriter(), files, parts, loading);
  // Why it failed is what the feeding says, not that the other end broke off.
  fed.catch(() => {});
  const inflated = inflating.readable.getReader();
  try {
    await loading.ready;
  } catch (thrown) {
    inflated.cancel().catch(() => {});
    throw thrown;
  }
  const pieces = new module.ModelPieces();
  try {
    try {
      for (let piece = await inflated.read(); !piece.done; piece = await inflated.read())
        pieces.push(piece.value);
    } catch (thrown) {
      inflated.cancel().catch(() => {});
      await fed;
      throw thrown;
    }
    await fed;
  } catch (thrown) {
    pieces.free();
    if (thrown instanceof FindlingError || (thrown as { code?: unknown }).code) throw thrown;
    throw new FindlingError(
      "encoder-artefact",
      `The encoder cannot be inflated: ${(thrown as Error).message}`,
      { cause: thrown },
    );
  }
  const encoder = pieces.finish();
  const { fingerprint: found } = JSON.parse(encoder.card()) as { fingerprint: string };
  if (found !== fingerprint) {
    encoder.free();
    throw new FindlingError(
      "encoder-failed",
      `The encoder beside the bundle (${found}) is not the one its documents were embedded with (${fingerprint}).`,
      { remedy: "Build the bundle again and deploy it as a whole." },
    );
  }
  return encoder;
}

/** Writes the parts, one after the other, to what inflates them. */
async function feed(
  writer: WritableStreamDefaultWriter<BufferSource>,
  files: Pick<Files, "stream">,
  parts: LoadCall["files"],
  { signal, progress, fresh }: Loading,
): Promise<void> {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  let loaded = 0;
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  progress?.({ loaded, total });
  try {
    for (const { path, length } of parts) {
      body = (await files.stream(path, { signal, fresh })).getReader();
      let found = 0;
      for (let piece = await body.read(); !piece.done; piece = await body.read()) {
        found += piece.value.length;
        if (found > length) break;
        progress?.({ loaded: loaded + found, total });
        await writer.write(piece.value as BufferSource);
      }
      if (found !== length) {
        throw new FindlingError(
          "encoder-artefact",
          `${path} has ${found > length ? "more than" : `${found} of`} its ${length} bytes.`,
        );
      }
      loaded += length;
    }
    await writer.close();
  } catch (thrown) {
    body?.cancel().catch(() => {});
    writer.abort(thrown).catch(() => {});
    if (signal?.aborted) throw FindlingError.aborted();
    throw thrown;
  }
}

/** Embeds one query. */
export function encodeWith(encoder: wasm.TransformerEncoder, text: string): Encoded {
  const { values, truncated } = encoder.encode(text);
  return { values, truncated };
}

declare const WorkerGlobalScope: { new (): object } | undefined;
if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  start(globalThis as unknown as Port);
}
