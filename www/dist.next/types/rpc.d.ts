/**
 * Calls across a message port, cancellable, with events on the way. A port is a worker, or one end of a
 * `MessageChannel` where there are no workers: the other side cannot tell.
 */
import { FindlingError } from "./errors";
/** What workers, message ports and a worker's own global scope have in common. */
export interface Port {
    postMessage(message: unknown): void;
    onmessage: ((event: MessageEvent) => void) | null;
}
/** Answers one call. `progress` may be called any number of times before the promise settles. */
export type Handler = (argument: never, signal: AbortSignal, progress: (value: unknown) => void) => Promise<unknown>;
/** Answers the calls that come through `port`; `hello` always, so that the caller can tell a worker that started. */
export declare function serve(port: Port, handlers: Record<string, Handler>): void;
/** The calling side. */
export declare class Remote {
    #private;
    constructor(port: Port);
    /** Calls `method` on the other side. An aborted call rejects at once and is cancelled over there. */
    call<T>(method: string, argument: unknown, signal?: AbortSignal, progress?: (value: never) => void): Promise<T>;
    /** Rejects everything under way and everything to come. */
    break(error: FindlingError): void;
}
