/** Starts a module in a worker, or on the page's own thread where workers are not available. */

import { FindlingError } from "./errors";
import { type Port, Remote } from "./rpc";
import { type StartedWorker, startWorker } from "./start-worker";

/** A started module. */
export interface Spawned {
  remote: Remote;
  /** Ends the module and rejects the calls under way. */
  stop(): void;
}

/**
 * Starts the module at `url`, which must export `start(port)`. `begun` is its worker if that is on
 * its way already.
 */
export async function spawn(
  url: string,
  inWorker: boolean,
  begun = inWorker ? startWorker(url) : undefined,
): Promise<Spawned> {
  const spawned = begun && (await fromWorker(begun));
  if (spawned) return spawned;
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
async function fromWorker({ worker, failed }: StartedWorker): Promise<Spawned | undefined> {
  const remote = new Remote(worker);
  const stopped = failed.then((reason) => {
    remote.break(new FindlingError("internal", `The search worker failed: ${reason}`));
    return false;
  });
  if (await Promise.race([stopped, remote.call<boolean>("hello", null).catch(() => false)]))
    return stoppable(remote, () => worker.terminate());
  worker.terminate();
  return undefined;
}

function stoppable(remote: Remote, end: () => void): Spawned {
  const stop = () => {
    remote.break(new FindlingError("closed", "The index was closed."));
    end();
  };
  return { remote, stop };
}
