/** The encoder's worker: from a query to its vector. A module of its own, fetched only when meaning is wanted. */
import * as wasm from "../wasm/encoder/findling_encoder";
import { type Port } from "./rpc";
import { Files } from "./shards";
import type { EncoderProgress } from "./types";
/** What the page sends to load the encoder. */
export interface LoadCall {
    /** Directory of the bundle. */
    base: string;
    wasmUrl: string;
    files: {
        path: string;
        length: number;
        hash: string;
    }[];
    /** Identity of the documents' encoder. */
    fingerprint: string;
}
/** A query's vector. */
export interface Encoded {
    values: Float32Array;
    truncated: boolean;
}
/** Answers the page's calls through `port`. */
export declare function start(port: Port): void;
/** Opens an artefact, and makes sure that its vectors are of the documents' space. */
export declare function openEncoder(module: typeof wasm, artefact: Uint8Array, fingerprint: string): wasm.TransformerEncoder;
/** Embeds one query. */
export declare function encodeWith(encoder: wasm.TransformerEncoder, text: string): Encoded;
/** Fetches the parts of a file that hosts' limits may have split, and joins them. */
export declare function fetchParts(files: Pick<Files, "immutable">, parts: LoadCall["files"], signal: AbortSignal, progress: (value: EncoderProgress) => void): Promise<Uint8Array>;
