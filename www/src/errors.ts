/**
 * The one error class of the client. `code` is stable, for programs; `message` says what was
 * expected and found; `remedy` says what to do.
 */

export type ErrorCode =
  // The request is at fault.
  | "request"
  | "filter"
  | "unknown-attribute"
  | "no-such-page"
  | "vector"
  | "aborted"
  | "closed"
  // The bundle is at fault.
  | "bundle"
  | "analysis"
  | "inconsistent"
  | "no-such-shard"
  | "manifest-changed"
  | "shard-corrupt"
  | "shard-missing"
  | "not-found"
  // The network, the browser or the client's own files are at fault.
  | "network"
  | "wasm"
  | "encoder-unavailable"
  | "encoder-failed"
  | "encoder-artefact"
  | "encoder-run"
  | "internal";

const RELOAD_TO_RETRY = "Search by words still works. Reload the page to try again.";

const REMEDIES: Partial<Record<ErrorCode, string>> = {
  bundle: "Deploy all files of the bundle together, with the client that was built with it.",
  inconsistent: "Build the bundle again and deploy all of its files together.",
  analysis: "Deploy the client that was built with this bundle.",
  "manifest-changed":
    "Deploy all files of the bundle together. Let caches keep findling.idx for minutes at most.",
  "shard-corrupt":
    "Deploy the bundle again. Make sure that no server or proxy rewrites the .bin files.",
  "shard-missing": "Deploy all files of the bundle together, with the directory shards/.",
  "not-found":
    "Check the address given to open(): expected a bundle's directory or a .findling file.",
  network: "Check the connection and try again.",
  wasm:
    "Check that findling_engine.wasm and findling_engine_rest.wasm are next to the script and " +
    "can be fetched, and that the Content-Security-Policy allows 'wasm-unsafe-eval'.",
  "encoder-unavailable":
    "Build the bundle with a query encoder, or pass the option `encode` to open().",
  "encoder-artefact":
    "Search by words still works. Deploy all files of the bundle together to repair the encoder.",
  "encoder-run": RELOAD_TO_RETRY,
  "encoder-failed": RELOAD_TO_RETRY,
};

/** The reason with which every promise of the client rejects. */
export class FindlingError extends Error {
  /** Stable, for programs. */
  readonly code: ErrorCode;
  /** Advice for people; empty if there is nothing to do. */
  readonly remedy: string;

  constructor(code: ErrorCode, message: string, options?: { remedy?: string; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "FindlingError";
    this.code = code;
    this.remedy = options?.remedy ?? REMEDIES[code] ?? "";
  }

  /** The message and the remedy as one text. */
  get advice(): string {
    return `${this.message} ${this.remedy}`.trimEnd();
  }

  /**
   * Any thrown value as a `FindlingError`. Errors of the WebAssembly module have a `code` already;
   * other errors get the code `otherwise`.
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

/** An error as a message between a worker and its page. */
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
 * `promise`, but rejected as soon as `signal` is aborted. The work behind the promise continues in
 * both cases.
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
