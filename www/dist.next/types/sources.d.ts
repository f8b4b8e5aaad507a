/** The two shapes of a bundle, as the engine's host sees them: an entry, the manifest it names, and shards. */
import type { Wasm } from "./bundle";
import type { Files, Getting, Traffic, Wanted } from "./shards";
/** Where a bundle's parts come from. */
export interface Source {
    /** The one part that changes. */
    entry(traffic: Traffic): Promise<Uint8Array>;
    /** The manifest at `path`, which the last entry names. */
    manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array>;
    shard(wanted: Wanted, traffic: Traffic, how: Getting): Promise<Uint8Array>;
    /** Forgets cached parts that are none of these. */
    prune(paths: Set<string>): Promise<void>;
}
/** A directory of content-addressed files. */
export declare class Directory implements Source {
    #private;
    constructor(files: Files);
    entry(traffic: Traffic): Promise<Uint8Array>;
    manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array>;
    shard({ path }: Wanted, traffic: Traffic, how: Getting): Promise<Uint8Array>;
    prune(paths: Set<string>): Promise<void>;
}
/** Everything in one file, asked for in ranges; whole where the server knows no ranges. */
export declare class OneFile implements Source {
    #private;
    /** `ready` is the initialisation of `wasm`, which must be done before the file's header can be read. */
    constructor(files: Files, file: string, wasm: Pick<Wasm, "singleFileHead">, ready?: Promise<unknown>);
    entry(traffic: Traffic): Promise<Uint8Array>;
    manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array>;
    shard({ path, offset, length }: Wanted, traffic: Traffic, how: Getting): Promise<Uint8Array>;
    prune(paths: Set<string>): Promise<void>;
}
