/** Starts a module in a worker, or on the page's own thread where workers are not available. */

import { FindlingError } from "./errors";
import { type Port, Remote } from "./rpc";

/** A started module. */
export interface Spawned {
  remote: Remote;
  /** Ends the module and rejects the calls under way. */
  stop(): void;
}

/** Starts the module at `url`, which must export `start(port)`. */
export async function spawn(url: string, inWorker: boolean): Promise<Spawned> {
  if (inWorker && typeof Worker !== "undefined") {
    const spawned = await spawnWorker(url);
    if (spawned) return spawned;
  }
  const { port1, port2 } = new MessageChannel();
  try {
    ((await import(/* @vite-ignore */ url)) as { start(port: Port): void }).start(port2);
  } catch (thrown) {
    throw new FindlingError("network", `${url} could not be loaded: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  }
  return stoppable(new Remote(port1), () => port1.close());
}

/** `undefined` if the worker does not start: blocked by policy, or no module workers. */
async function spawnWorker(url: string): Promise<Spawned | undefined> {
  let address = url;
  // A worker's script must have the page's own origin. A one-line script may import another.
  if (new URL(url).origin !== location.origin) {
    const script = new Blob([`import ${JSON.stringify(url)}`], { type: "text/javascript" });
    address = URL.createObjectURL(script);
  }
  try {
    const worker = new Worker(address, { type: "module" });
    const remote = new Remote(worker);
    const failed = new Promise<boolean>((resolve) => {
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(false);
        const reason = event.message || "the browser gives no reason";
        remote.break(new FindlingError("internal", `The search worker failed: ${reason}`));
      };
    });
    if (await Promise.race([failed, remote.call<boolean>("hello", null).catch(() => false)])) {
      return stoppable(remote, () => worker.terminate());
    }
    worker.terminate();
  } catch {
    // A SecurityError under a policy without worker-src.
  } finally {
    if (address !== url) URL.revokeObjectURL(address);
  }
  return undefined;
}

function stoppable(remote: Remote, end: () => void): Spawned {
  const stop = () => {
    remote.break(new FindlingError("closed", "The index was closed."));
    end();
  };
  return { remote, stop };
}
