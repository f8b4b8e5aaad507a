/**
 * A bundle's files over HTTP: `fetch`, behind the Cache API where there is one. Files other than the entry are named by
 * their content, so that a cached one is never stale; the engine verifies each, so that a wrong one is never used.
 */
/** A file of the bundle, as the engine asks for it. */
export interface Wanted {
    /** Number in the shard directory. */
    id: number;
    /** Relative to the bundle; names the content. */
    path: string;
    /** Bytes. */
    length: number;
    /** Where it begins in a single-file bundle. */
    offset: number;
}
/** What was moved over the network for one search, or since opening. */
export interface Traffic {
    /** Bytes of bodies received, as the engine takes them. */
    bytesFetched: number;
    /** Requests that reached the network. */
    requests: number;
    /** Files that the cache had. */
    cacheHits: number;
}
export declare const noTraffic: () => Traffic;
/** The part of `fetch` that is needed; a Worker passes its assets binding's. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
/** How to get a file. */
export interface Getting {
    signal?: AbortSignal | undefined;
    /** Passes over every cache on the way. */
    fresh?: boolean | undefined;
    /** Told of every piece of a large file. */
    arrived?: (bytes: number) => void;
}
/** A part of a file, `end` excluded. */
export interface Span {
    file: string;
    start: number;
    end: number;
}
/** A directory on a web server. */
export declare class Files {
    #private;
    /** `base` ends with a slash. Without a `cacheName` there is no cache but the browser's own. */
    constructor(base: URL, fetch: Fetch, cacheName?: string);
    /** Bytes that never change under the name `path`, from the cache if it has them; else the file, or a span of another. */
    immutable(path: string, traffic: Traffic, how?: Getting, span?: Span): Promise<Uint8Array>;
    /** A file that changes: the network's if it answers, else the last one seen. */
    mutable(path: string, traffic: Traffic, how?: Getting, span?: Span): Promise<{
        bytes: Uint8Array;
        whole?: Uint8Array;
    }>;
    /** Part of a file. A server that knows no ranges answers with the whole of it, which is given too. */
    range({ file, start, end }: Span, traffic: Traffic, how: Getting): Promise<{
        bytes: Uint8Array;
        whole?: Uint8Array;
    }>;
    /** Forgets cached files that `keep` does not want: those of earlier builds. */
    prune(keep: (path: string) => boolean): Promise<void>;
}
