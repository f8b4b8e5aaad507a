/**
 * Search as an endpoint, for Cloudflare Workers and whatever else speaks `fetch`: `GET /search?q=…` answers the same
 * JSON as the command line, from the same bundle, through the `ASSETS` binding.
 *
 * | parameter | |
 * |---|---|
 * | `q` | the query; required, at most 1,000 characters |
 * | `k` | pages to return, 0 to 100; 10 |
 * | `offset` | pages to pass over, 0 to 10,000 |
 * | `mode` | `hybrid`, `lexical`, `semantic` |
 * | `filter` | as on the command line: `book=reference`, `year:gte:2020`, JSON |
 * | `encoder` | who embeds the query: `static` (the bundle's own rows), `none`; the best there is unless told |
 * | `fusion` | `convex`, `rrf` |
 * | `facets` | names of attributes, separated by commas; `*` for all marked as filters |
 * | `sort` | name of an attribute; with `-` in front, largest first |
 * | `sections` | sections under a page, 1 to 20; 3 |
 * | `prefix`, `explain` | `1` or `true` |
 *
 * Variables: `FINDLING_BUNDLE`, the bundle's path among the assets (`/findling/`, or a file `/site.findling`).
 */
import { type Description } from "./bundle";
import type { Encoded } from "./encoder";
import { Files } from "./shards";
/** What the Worker is given. */
export interface Env {
    /** The static assets, the bundle among them. */
    ASSETS: {
        fetch(request: Request | string, init?: RequestInit): Promise<Response>;
    };
    /** Path of the bundle among the assets. Default: `/findling/`. */
    FINDLING_BUNDLE?: string;
}
/** How queries become vectors, where they do. */
export interface EdgeEncoder {
    /** Named in responses. */
    name: string;
    /** Loads what it needs, once for each isolate. */
    load(description: Description, files: Files): Promise<{
        encode(query: string): Encoded | Promise<Encoded>;
    }>;
}
/** How to answer. */
export interface EdgeOptions {
    encoder?: EdgeEncoder;
    /** Most bytes that shards may keep occupied between requests. An isolate has 128 MB in all. Default 32 MiB. */
    memory?: number;
    /** Seconds that an answer may be kept by caches before it is asked for again. Default 60. */
    maxAge?: number;
    /** Path of the endpoint. Default `/search`. */
    path?: string;
}
/** Makes a handler; an isolate keeps one engine behind it. */
export declare function createHandler(options?: EdgeOptions): {
    fetch(request: Request, env: Env): Promise<Response>;
};
declare const _default: {
    fetch(request: Request, env: Env): Promise<Response>;
};
export default _default;
