/** The encoder's worker: from a query to its vector. A module of its own, fetched only when meaning is wanted. */

import * as wasm from "../wasm/encoder/findling_encoder";
import { FindlingError } from "./errors";
import { serve, type Port } from "./rpc";
import { Files, noTraffic } from "./shards";
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
      const [artefact] = await Promise.all([
        fetchParts(place, files, signal, progress),
        wasm.default({ module_or_path: wasmUrl }).catch((thrown: unknown) => {
          throw new FindlingError("wasm", `${wasmUrl} could not be loaded: ${(thrown as Error).message}`, { cause: thrown });
        }),
      ]);
      try {
        encoder = openEncoder(wasm, artefact, fingerprint);
      } catch (thrown) {
        if (FindlingError.from(thrown).code !== "encoder-artefact") throw thrown;
        // A cache on the way may have spoilt it. Once more, past all of them.
        encoder = openEncoder(wasm, await fetchParts(place, files, signal, progress, true), fingerprint);
      }
      return performance.now() - start;
    },
    async encode(text: string): Promise<Encoded> {
      if (!encoder) throw new FindlingError("encoder-unavailable", "The encoder is not loaded.");
      return encodeWith(encoder, text);
    },
  });
}

/** Opens an artefact, and makes sure that its vectors are of the documents' space. */
export function openEncoder(module: typeof wasm, artefact: Uint8Array, fingerprint: string): wasm.TransformerEncoder {
  const encoder = new module.TransformerEncoder(artefact);
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

/** Embeds one query. */
export function encodeWith(encoder: wasm.TransformerEncoder, text: string): Encoded {
  const { values, truncated } = encoder.encode(text);
  return { values, truncated };
}

/** Fetches the parts of a file that hosts' limits may have split, and joins them. */
export async function fetchParts(
  files: Pick<Files, "immutable">,
  parts: LoadCall["files"],
  signal: AbortSignal,
  progress: (value: EncoderProgress) => void,
  fresh = false,
): Promise<Uint8Array> {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = new Uint8Array(total);
  let loaded = 0;
  const arrived = (bytes: number) => progress({ loaded: Math.min(total, (loaded += bytes)), total });
  arrived(0);
  let end = 0;
  await Promise.all(
    parts.map(async ({ path, length }) => {
      const at = end;
      end += length;
      let bytes = await files.immutable(path, noTraffic(), { signal, arrived, fresh });
      if (bytes.length !== length) bytes = await files.immutable(path, noTraffic(), { signal, fresh: true });
      if (bytes.length !== length) {
        throw new FindlingError("encoder-failed", `${path} is ${bytes.length} bytes long, but should be ${length}.`, {
          remedy: "Deploy the bundle again, as a whole.",
        });
      }
      whole.set(bytes, at);
    }),
  );
  progress({ loaded: total, total });
  return whole;
}

declare const WorkerGlobalScope: { new (): object } | undefined;
if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  start(globalThis as unknown as Port);
}
