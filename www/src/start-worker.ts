/** Starts a worker from a module's address. */

/** A worker whose script is being loaded, or has arrived. */
export interface StartedWorker {
  worker: Worker;
  /** Resolves with the reason if the worker does not start, or stops with an error. */
  failed: Promise<string>;
}

/** A policy of the browser's Trusted Types; TypeScript has no types for them. */
interface Policy {
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy };

/** Accepts the search worker's script, and the script that imports it. */
function createScriptURL(url: string): string {
  if (/^blob:|\/findling-worker\.js$/.test(url)) return url;
  throw url;
}

/**
 * The address in the form that a page with Trusted Types accepts: from the policy `findling`. A
 * page may create each policy only once, so its scripts share it.
 */
function trusted(url: string): string {
  const page = globalThis as { findlingPolicy?: Policy };
  try {
    page.findlingPolicy ??= trustedTypes.createPolicy("findling", { createScriptURL });
    return page.findlingPolicy.createScriptURL(url);
  } catch {
    // The browser has no Trusted Types, or the page does not allow this policy.
    return url;
  }
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
    return runWorker(address, { type: "module" });
  } catch {
    // A SecurityError under a policy without worker-src.
    return undefined;
  }
}

/** Starts a worker from an address of the page's own. Throws if a policy forbids it. */
export function runWorker(address: string, options?: WorkerOptions): StartedWorker {
  const worker = new Worker(trusted(address), options);
  // The first message means that the script was read.
  worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
  const failed = new Promise<string>((resolve) => {
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(event.message || "the browser gives no reason");
    };
  });
  return { worker, failed };
}
