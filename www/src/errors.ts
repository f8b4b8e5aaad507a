/**
 * The one error of the client. `code` is stable and for programs, `message` says what happened,
 * `remedy` what to do about it.
 */

/** What can go wrong. */
export type ErrorCode =
  // the asker's
  | "request"
  | "query"
  | "filter"
  | "unknown-attribute"
  | "no-such-page"
  | "vector"
  | "aborted"
  | "closed"
  // the bundle's
  | "bundle"
  | "analysis"
  | "inconsistent"
  | "no-such-shard"
  | "manifest-changed"
  | "shard-corrupt"
  | "shard-missing"
  | "not-found"
  // the surroundings'
  | "network"
  | "wasm"
  | "encoder-unavailable"
  | "encoder-failed"
  | "encoder-artefact"
  | "encoder-run"
  | "internal";

const REMEDIES: Partial<Record<ErrorCode, string>> = {
  bundle: "Deploy the whole bundle again, with the client that was built with it.",
  inconsistent: "Build the bundle again and deploy it as a whole.",
  analysis: "Deploy the client that was built with this bundle.",
  "manifest-changed":
    "Deploy the whole bundle again; make sure that findling.idx is not cached beyond a few minutes.",
  "shard-corrupt":
    "Deploy the bundle again; make sure that nothing between server and reader rewrites .bin files.",
  "shard-missing": "Deploy the bundle as a whole, its directory shards/ included.",
  "not-found":
    "Check the address given to open(): it must lead to a bundle's directory or to a .findling file.",
  network: "Check the connection and try again.",
  wasm:
    "Make sure that findling_engine.pack and findling_engine_rest.pack lie beside the script, that they can be fetched, and " +
    "that the page's Content-Security-Policy allows 'wasm-unsafe-eval'.",
  "encoder-unavailable":
    "Build the bundle with a query encoder beside it, or pass `encode` to open().",
  "encoder-artefact": "Deploy the bundle again, as a whole; search by words goes on working.",
  "encoder-run": "Search by words goes on working; reload the page to try again.",
  "encoder-failed": "Search by words goes on working; reload the page to try again.",
};

/** What every promise of the client rejects with. */
export class FindlingError extends Error {
  /** Stable, for programs. */
  readonly code: ErrorCode;
  /** What to do about it, for people; empty where there is nothing to do. */
  readonly remedy: string;

  constructor(code: ErrorCode, message: string, options?: { remedy?: string; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "FindlingError";
    this.code = code;
    this.remedy = options?.remedy ?? REMEDIES[code] ?? "";
  }

  /**
   * Any thrown value as a `FindlingError`; those of the WebAssembly module carry a `code` already.
   */
  static from(thrown: unknown, otherwise: ErrorCode = "internal"): FindlingError {
    if (thrown instanceof FindlingError) return thrown;
    if (thrown instanceof DOMException && thrown.name === "AbortError")
      return FindlingError.aborted();
    const { code, message } = thrown as { code?: unknown; message?: unknown };
    return new FindlingError(
      typeof code === "string" ? (code as ErrorCode) : otherwise,
      typeof message === "string" ? message : String(thrown),
      { cause: thrown },
    );
  }

  static aborted(): FindlingError {
    return new FindlingError("aborted", "The search was cancelled.");
  }
}

/** How an error crosses from a worker. */
export interface ErrorMessage {
  code: ErrorCode;
  message: string;
  remedy: string;
}

export const toMessage = ({ code, message, remedy }: FindlingError): ErrorMessage => ({
  code,
  message,
  remedy,
});

export const fromMessage = ({ code, message, remedy }: ErrorMessage): FindlingError =>
  new FindlingError(code, message, { remedy });

/**
 * `promise`, or a rejection as soon as `signal` is aborted; what the promise stands for goes on
 * either way.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(FindlingError.aborted());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
