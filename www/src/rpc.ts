/**
 * Calls across a message port, cancellable, with events on the way. A port is a worker, or one end
 * of a `MessageChannel` where there are no workers: the other side cannot tell.
 */

import { type ErrorMessage, FindlingError, fromMessage, toMessage } from "./errors";

/** What workers, message ports and a worker's own global scope have in common. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

type Inbound = { id: number; method: string; argument: unknown } | { cancel: number };
type Outbound =
  | { id: number; value: unknown }
  | { id: number; error: ErrorMessage }
  | { id: number; progress: unknown };

/** Answers one call. `progress` may be called any number of times before the promise settles. */
export type Handler = (
  argument: never,
  signal: AbortSignal,
  progress: (value: unknown) => void,
) => Promise<unknown>;

/**
 * Answers the calls that come through `port`; `hello` always, so that the caller can tell a worker
 * that started.
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
      if (!handler)
        throw new FindlingError(
          "internal",
          `The worker knows no ${method}: its version is another than the page's.`,
        );
      reply({
        id,
        value: await handler(argument as never, controller.signal, (progress) =>
          reply({ id, progress }),
        ),
      });
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
      if ("progress" in data) return call.progress?.(data.progress as never);
      this.#calls.delete(data.id);
      if ("error" in data) call.reject(fromMessage(data.error));
      else call.resolve(data.value as never);
    };
  }

  /**
   * Calls `method` on the other side. An aborted call rejects at once and is cancelled over there.
   */
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

  /** Rejects everything under way and everything to come. */
  break(error: FindlingError): void {
    this.#broken = error;
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}
