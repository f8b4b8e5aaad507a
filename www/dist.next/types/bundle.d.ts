/**
 * One opened bundle: the engine, fed with the files it asks for. The same in a browser's worker, on a page without
 * workers and in a Cloudflare Worker; what differs is where files come from.
 */
import type { Request } from "./engine-types";
import { type Traffic } from "./shards";
import type { Source } from "./sources";
/** The WebAssembly module's face, initialised. */
export type Wasm = typeof import("../wasm/engine/findling_engine");
/** What a bundle says of itself. */
export interface Description {
    /** Tool and version that built it. */
    generator: string;
    /** BCP 47, most frequent first. */
    languages: string[];
    /** Number of pages. */
    pages: number;
    /** Number of sections. */
    sections: number;
    /** What pages can be filtered, faceted and sorted by. */
    attributes: {
        name: string;
        kind: "string" | "strings" | "number" | "date" | "bool";
        facet: boolean;
    }[];
    /** The vectors' space; `null` in a bundle without vectors. */
    dense: {
        /** The documents' encoder. */
        name: string;
        /** Length of a vector. */
        dim: number;
        /** Identity of the encoder's weights. */
        fingerprint: string;
        /** Whether vectors carry meaning. */
        semantic: boolean;
        /** How the engine embeds queries itself, without any encoder to load; `null` where it cannot. */
        builtIn: "hash" | "static" | null;
        /** Encoders deployed beside the bundle, preferred first. */
        queryEncoders: {
            kind: string;
            files: {
                path: string;
                length: number;
                hash: string;
            }[];
        }[];
    } | null;
    /** Bytes of all shards. */
    storedBytes: number;
}
/** What a search cost. */
export interface Cost extends Traffic {
    /** Milliseconds from the request's arrival at the engine to its answer. */
    total: number;
    /** Of which the engine worked. */
    engine: number;
    /** Of which it waited for files. */
    fetch: number;
    /** Bytes the bundle takes in memory now. */
    residentBytes: number;
}
/** A bundle, open. */
export declare class Bundle {
    #private;
    private constructor();
    /**
     * Opens the bundle behind `source`. Beyond `memory` bytes, shards at rest are let go of. `ready` is the module's
     * initialisation, awaited beside the first file.
     */
    static open(wasm: Wasm, source: Source, memory: number, traffic: Traffic, ready?: Promise<unknown>): Promise<Bundle>;
    /** The manifest's hash: changes whenever anything in the bundle does. */
    get revision(): string;
    /** What the bundle says of itself. */
    describe(): Description;
    /** Looks whether another build has been deployed, and moves to it if so. */
    refresh(traffic: Traffic): Promise<boolean>;
    /** Answers a request with the engine's own JSON. */
    search(request: Request, signal: AbortSignal): Promise<{
        json: string;
        cost: Cost;
    }>;
}
