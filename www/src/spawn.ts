/** Starting a module in a worker, or beside the page's own code where there are no workers. */

import { FindlingError } from "./errors";
import { type Port, Remote } from "./rpc";

/** The other side of a started module. */
export interface Spawned {
  remote: Remote;
  /** Ends it; calls under way are rejected. */
  stop(): void;
}

/** Starts the module at `url`, which must answer to `start(port)` when imported. */
export async function spawn(url: string, inWorker: boolean): Promise<Spawned> {
  if (inWorker && typeof Worker !== "undefined") {
    const spawned = await worker(url);
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
  const remote = new Remote(port1);
  return stoppable(remote, () => port1.close());
}

/** `undefined` where the worker does not start: forbidden by policy, or no module workers. */
async function worker(url: string): Promise<Spawned | undefined> {
  let address = url;
  // A worker must come from the page's own origin; a script of one line that imports the other may.
  if (new URL(url).origin !== location.origin) {
    address = URL.createObjectURL(
      new Blob([`import ${JSON.stringify(url)}`], { type: "text/javascript" }),
    );
  }
  try {
    const worker = new Worker(address, { type: "module" });
    const remote = new Remote(worker);
    const failed = new Promise<boolean>((resolve) => {
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(false);
        remote.break(
          new FindlingError(
            "internal",
            `The search worker failed: ${event.message || "no reason given"}`,
          ),
        );
      };
    });
    if (await Promise.race([failed, remote.call<boolean>("hello", null).catch(() => false)])) {
      return stoppable(remote, () => worker.terminate());
    }
    worker.terminate();
  } catch {
    // SecurityError under a policy without worker-src.
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
