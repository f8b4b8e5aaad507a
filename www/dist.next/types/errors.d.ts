/**
 * The one error of the client. `code` is stable and for programs, `message` says what happened, `remedy` what to do
 * about it.
 */
/** What can go wrong. */
export type ErrorCode = "request" | "query" | "filter" | "unknown-attribute" | "vector" | "aborted" | "closed" | "bundle" | "analysis" | "inconsistent" | "no-such-shard" | "manifest-changed" | "shard-corrupt" | "shard-missing" | "not-found" | "network" | "wasm" | "encoder-unavailable" | "encoder-failed" | "internal";
/** What every promise of the client rejects with. */
export declare class FindlingError extends Error {
    /** Stable, for programs. */
    readonly code: ErrorCode;
    /** What to do about it, for people; empty where there is nothing to do. */
    readonly remedy: string;
    constructor(code: ErrorCode, message: string, options?: {
        remedy?: string;
        cause?: unknown;
    });
    /** Any thrown value as a `FindlingError`; those of the WebAssembly module carry a `code` already. */
    static from(thrown: unknown, otherwise?: ErrorCode): FindlingError;
    static aborted(): FindlingError;
}
/** How an error crosses from a worker. */
export interface ErrorMessage {
    code: ErrorCode;
    message: string;
    remedy: string;
}
export declare const toMessage: ({ code, message, remedy }: FindlingError) => ErrorMessage;
export declare const fromMessage: ({ code, message, remedy }: ErrorMessage) => FindlingError;
/** `promise`, or a rejection as soon as `signal` is aborted; what the promise stands for goes on either way. */
export declare function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T>;
