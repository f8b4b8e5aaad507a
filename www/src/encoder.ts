/**
 * The transformer's worker: turns query texts into vectors. The page loads this module only when it
 * is needed for search by meaning.
 */

import * as wasm from "../wasm/encoder/findling_encoder";
import { FindlingError } from "./errors";
import { HttpStore } from "./http-store";
import { type Port, serve } from "./rpc";
import type { EncoderProgress } from "./types";

/** The page's message to load the transformer. */
export interface LoadCall {
  /** Directory of the bundle. */
  base: string;
  wasmUrl: string;
  /** Parts of the model, in order. */
  files: { path: string; length: number; hash: string }[];
  /** Identity of the encoder that embedded the documents. */
  fingerprint: string;
}

/** The vector of a text. */
export interface Encoded {
  values: Float32Array;
  /** Whether the encoder read only the beginning of the text. */
  truncated: boolean;
}

/** Answers the page's calls at `port`. */
export function start(port: Port): void {
  let encoder: wasm.TransformerEncoder | undefined;
  serve(port, {
    async load({ base, wasmUrl, files, fingerprint }: LoadCall, signal, progress) {
      const start = performance.now();
      const fetcher = (url: string, init?: RequestInit) => fetch(url, init);
      const store = new HttpStore(new URL(base), fetcher, `findling ${base}`);
      // Not awaited here: the model is fetched while the module is fetched and compiled.
      const ready = wasm.default({ module_or_path: wasmUrl }).catch((thrown: unknown) => {
        const message = `${wasmUrl} could not be loaded: ${(thrown as Error).message}`;
        throw new FindlingError("wasm", message, { cause: thrown });
      });
      const load = (options: LoadOptions) =>
        loadEncoder(wasm, store, files, fingerprint, { signal, progress, ...options });
      try {
        encoder = await load({ ready });
      } catch (thrown) {
        if (FindlingError.from(thrown).code !== "encoder-artefact") throw thrown;
        // A cache may have damaged the model, so the second request bypasses all caches.
        encoder = await load({ fresh: true });
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

/** Options for loading a model. */
export interface LoadOptions {
  signal?: AbortSignal;
  progress?: (value: EncoderProgress) => void;
  /** Bypasses every cache. */
  fresh?: boolean;
  /**
   * Resolves when the module is initialised; not given if it is already. The model is fetched
   * meanwhile.
   */
  ready?: Promise<unknown>;
}

/**
 * Loads a model from its `parts` (hosts limit the size of files). The stream goes from the network
 * through the browser's inflater into the module's memory. Rejects if another model embedded the
 * documents.
 */
export async function loadEncoder(
  module: Pick<typeof wasm, "ModelPieces">,
  store: Pick<HttpStore, "stream">,
  parts: LoadCall["files"],
  fingerprint: string,
  options: LoadOptions = {},
): Promise<wasm.TransformerEncoder> {
  if (typeof DecompressionStream === "undefined") {
    throw new FindlingError(
      "encoder-unavailable",
      "This browser has no DecompressionStream, which the encoder needs.",
      { remedy: "Search by words still works. Update the browser to search by meaning." },
    );
  }
  const inflater = new DecompressionStream("deflate");
  const fed = feed(inflater.writable.getWriter(), store, parts, options);
  fed.catch(() => {});
  const inflated = inflater.readable.getReader();
  try {
    await options.ready;
  } catch (thrown) {
    inflated.cancel().catch(() => {});
    throw thrown;
  }
  const encoder = await readModel(new module.ModelPieces(), inflated, fed);
  const { fingerprint: found } = JSON.parse(encoder.card()) as { fingerprint: string };
  if (found !== fingerprint) {
    encoder.free();
    throw new FindlingError(
      "encoder-failed",
      `The encoder is not the one that embedded the documents: expected ${fingerprint}, ` +
        `found ${found}.`,
      { remedy: "Build the bundle again and deploy all of its files together." },
    );
  }
  return encoder;
}

/** Reads the inflated model. `fed` settles when all parts have been fed to the inflater. */
async function readModel(
  pieces: wasm.ModelPieces,
  inflated: ReadableStreamDefaultReader<Uint8Array>,
  fed: Promise<void>,
): Promise<wasm.TransformerEncoder> {
  try {
    try {
      for (let piece = await inflated.read(); !piece.done; piece = await inflated.read())
        pieces.push(piece.value);
    } catch (thrown) {
      inflated.cancel().catch(() => {});
      // The feeding side knows why the stream ended; this side only knows that it did.
      await fed;
      throw thrown;
    }
    await fed;
  } catch (thrown) {
    pieces.free();
    if (thrown instanceof FindlingError || (thrown as { code?: unknown }).code) throw thrown;
    const message = `The encoder cannot be inflated: ${(thrown as Error).message}`;
    throw new FindlingError("encoder-artefact", message, { cause: thrown });
  }
  return pieces.finish();
}

/** Writes the parts to the inflater, one after another. */
async function feed(
  writer: WritableStreamDefaultWriter<BufferSource>,
  store: Pick<HttpStore, "stream">,
  parts: LoadCall["files"],
  { signal, progress, fresh }: LoadOptions,
): Promise<void> {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  let loaded = 0;
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  progress?.({ loaded, total });
  try {
    for (const { path, length } of parts) {
      body = (await store.stream(path, { signal, fresh })).getReader();
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
          `${path} has the wrong length: expected ${length} bytes, found ` +
            `${found > length ? "more" : found}.`,
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

/** Embeds one text. */
export function encodeWith(encoder: wasm.TransformerEncoder, text: string): Encoded {
  const { values, truncated } = encoder.encode(text);
  return { values, truncated };
}

declare const WorkerGlobalScope: { new (): object } | undefined;
if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  start(globalThis as unknown as Port);
}
