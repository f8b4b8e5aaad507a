/**
 * Remote calls over a message port, with cancellation and progress. The port is a worker, or one
 * end of a `MessageChannel` on a page without workers.
 */

import { type ErrorMessage, FindlingError, fromMessage, toMessage } from "./errors";

/** The common part of workers, message ports and the global scope of a worker. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

type Inbound = { id: number; method: string; argument: unknown } | { cancel: number };
type Outbound =
  | { id: number; value: unknown }
  | { id: number; error: ErrorMessage }
  | { id: number; progress: unknown };

/** Answers one call. It may call `progress` any number of times before its promise settles. */
export type Handler = (
  argument: never,
  signal: AbortSignal,
  progress: (value: unknown) => void,
) => Promise<unknown>;

/**
 * Answers the calls that arrive at `port`. The method `hello` always exists: the caller uses it to
 * find out whether the worker has started.
 */
export function serve(port: Port, handlers: Record<string, Handler>): void {
  handlers = { hello: async () => true, ...handlers };
  const running = new Map<number, AbortController>();
  port.onmessage = async ({ data }: MessageEvent<Inbound>) => {
    if ("cancel" in data) {
      running.get(data.cancel)?.abort();
      return;
    }
    const { id, method, argument } = data;
    const reply = (message: Outbound) => port.postMessage(message);
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const handler = handlers[method];
      if (!handler) {
        throw new FindlingError(
          "internal",
          `The worker does not support \`${method}\`: it is from another version than the page.`,
          { remedy: "Reload the page. If that does not help, deploy the client's files together." },
        );
      }
      const progress = (value: unknown) => reply({ id, progress: value });
      reply({ id, value: await handler(argument as never, controller.signal, progress) });
    } catch (thrown) {
      reply({ id, error: toMessage(FindlingError.from(thrown)) });
    } finally {
      running.delete(id);
    }
  };
}

interface Call {
  resolve: (value: never) => void;
  reject: (error: FindlingError) => void;
  progress: ((value: never) => void) | undefined;
}

/** The calling side. */
export class Remote {
  readonly #port: Port;
  readonly #calls = new Map<number, Call>();
  #nextId = 0;
  #broken: FindlingError | undefined;

  constructor(port: Port) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<Outbound>) => {
      const call = this.#calls.get(data.id);
      if (!call) return;
      if ("progress" in data) {
        call.progress?.(data.progress as never);
        return;
      }
      this.#calls.delete(data.id);
      if ("error" in data) call.reject(fromMessage(data.error));
      else call.resolve(data.value as never);
    };
  }

  /** Calls `method` on the other side. An aborted call rejects at once and is cancelled there. */
  call<T>(
    method: string,
    argument: unknown,
    signal?: AbortSignal,
    progress?: (value: never) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#broken) return reject(this.#broken);
      if (signal?.aborted) return reject(FindlingError.aborted());
      const id = this.#nextId++;
      const abort = () => {
        if (!this.#calls.delete(id)) return;
        this.#port.postMessage({ cancel: id });
        reject(FindlingError.aborted());
      };
      const settle =
        <A>(then: (value: A) => void) =>
        (value: A) => {
          signal?.removeEventListener("abort", abort);
          then(value);
        };
      signal?.addEventListener("abort", abort, { once: true });
      this.#calls.set(id, { resolve: settle(resolve), reject: settle(reject), progress });
      this.#port.postMessage({ id, method, argument });
    });
  }

  /** Rejects all calls under way and all later calls. */
  break(error: FindlingError): void {
    this.#broken = error;
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}
