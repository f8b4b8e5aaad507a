/**
 * The search worker: everything heavy happens here. Imported on a page without workers, it serves a message port
 * instead, through the same calls.
 */
import { type Port } from "./rpc";
/** What the page sends to open a bundle. */
export interface OpenCall {
    url: string;
    wasmUrl: string;
    memory: number;
}
/** Answers the page's calls through `port`. */
export declare function start(port: Port): void;
