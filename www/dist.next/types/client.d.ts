/**
 * The client: `open(url)`, then `search(query)`. Words answer at once; meaning joins when its encoder has loaded.
 */
import type { Description } from "./bundle";
import type { Traffic } from "./shards";
import { type Spawned } from "./spawn";
import type { EncoderProgress, OpenOptions, SearchOptions, SearchResponse, SemanticState } from "./types";
export { FindlingError, type ErrorCode } from "./errors";
export type * from "./types";
export type { Explanation, Facet, Fusion, Legs, Mode, Notice, Plan, SectionHit, Snippet, Sort, TermExplanation, Total, } from "./engine-types";
export type { Description } from "./bundle";
/** Opens the bundle in the directory at `url`, or the one in the file at `url` if that ends with `.findling`. */
export declare function open(url: string | URL, options?: OpenOptions): Promise<FindlingIndex>;
interface Opened {
    description: Description;
    revision: string;
    traffic: Traffic;
    ms: number;
}
interface EventMap {
    semantic: SemanticState;
    progress: EncoderProgress;
}
/**
 * An open bundle. Dispatches `semantic` when the state of the encoder changes and `progress` while it loads.
 */
export declare class FindlingIndex extends EventTarget {
    #private;
    /** What the bundle says of itself. */
    readonly info: Description;
    /** What opening it cost. */
    readonly opening: Traffic & {
        ms: number;
    };
    /** @internal */
    constructor(address: URL, assets: URL, engine: Spawned, opened: Opened, options: OpenOptions);
    /** How far meaning is. */
    get semantic(): SemanticState;
    /** Bytes that the encoder would fetch; 0 where there is none to fetch. */
    get encoderBytes(): number;
    /**
     * Resolves when searches by words (`lexical`) or by meaning (`semantic`) are possible, and makes the encoder load.
     * Rejects with `encoder-unavailable` where meaning never will be.
     */
    ready(what?: "lexical" | "semantic"): Promise<void>;
    /** Searches. An empty query with a filter, sort or facets lists pages. */
    search(query: string, options?: SearchOptions): Promise<SearchResponse>;
    /** A page's address as an absolute one; `null` where it is not http(s), such as a `javascript:` address. */
    resolve(url: string): string | null;
    /** Ends the workers and frees their memory. */
    close(): void;
    /** Calls `listener` on every `semantic` (a new state) and `progress` (of loading) until the function returned is called. */
    on<K extends keyof EventMap>(type: K, listener: (detail: EventMap[K]) => void): () => void;
}
