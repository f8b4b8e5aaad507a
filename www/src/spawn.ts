/** Starts a module in a worker, or on the page's own thread where workers are not available. */

import { FindlingError } from "./errors";
import { type Port, Remote } from "./rpc";
import type { StartedWorker } from "./start-worker";

/** A started module. */
export interface Spawned {
  remote: Remote;
  /** Ends the module and rejects pending calls. */
  stop(): void;
}

/**
 * The module at `url`, which must export `start(port)`: in its `worker`, or on the page's own
 * thread if there is none or it does not start.
 */
export async function spawn(url: string, worker: StartedWorker | undefined): Promise<Spawned> {
  const spawned = worker && (await fromWorker(worker));
  if (spawned) return spawned;
  const { port1, port2 } = new MessageChannel();
  try {
    (
      (await import(/* @vite-ignore */ /* webpackIgnore: true */ url)) as {
        start(port: Port): void;
      }
    ).start(port2);
  } catch (thrown) {
    throw new FindlingError("wasm", `${url} could not be loaded: ${(thrown as Error).message}`, {
      remedy:
        "Expected the client's files, which `findling build` writes beside a bundle, in this " +
        "directory: deploy them there, or name their directory by the option `assets`.",
      cause: thrown,
    });
  }
  return stoppable(new Remote(port1), () => port1.close());
}

/**
 * `undefined` if the worker does not start, because a policy blocks it or there are no module
 * workers.
 */
export async function fromWorker({ worker, failed }: StartedWorker): Promise<Spawned | undefined> {
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

/** Returns a worker that answers like `remote`, until `end`. */
export function stoppable(remote: Remote, end: () => void): Spawned {
  const stop = () => {
    remote.break(new FindlingError("closed", "The index was closed."));
    end();
  };
  return { remote, stop };
}
