/** Starts a worker from a module's address. */

/** A worker whose script is on its way, or has arrived. */
export interface StartedWorker {
  worker: Worker;
  /** Resolves with the reason if the worker does not start, or stops with an error. */
  failed: Promise<string>;
}

/** `undefined` if the browser has no workers, or a policy forbids them. */
export function startWorker(url: string): StartedWorker | undefined {
  let address = url;
  try {
    // A worker's script must have the page's own origin. A one-line script may import another.
    if (new URL(url).origin !== location.origin) {
      const script = new Blob([`import ${JSON.stringify(url)}`], { type: "text/javascript" });
      address = URL.createObjectURL(script);
    }
    const worker = new Worker(address, { type: "module" });
    // The first message tells that the script was read.
    worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
    const failed = new Promise<string>((resolve) => {
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(event.message || "the browser gives no reason");
      };
    });
    return { worker, failed };
  } catch {
    // A SecurityError under a policy without worker-src.
    return undefined;
  }
}
