/** A replacement of `spawn.ts`: starts the worker in this file. */

import { type Port, Remote } from "../rpc";
import { fromWorker, type Spawned, stoppable } from "../spawn";
import { runWorker, type StartedWorker } from "../start-worker";

export type { Spawned } from "../spawn";

/** The worker's script (`scripts/build.mjs`): `toString` returns its source. */
declare const FINDLING_WORKER: () => { start(port: Port): void };

/** Starts the worker; `undefined` if the browser has none, or a policy forbids it. */
export function startEmbedded(): StartedWorker | undefined {
  try {
    const script = new Blob([`(${FINDLING_WORKER})()`], { type: "text/javascript" });
    return runWorker(URL.createObjectURL(script));
  } catch {
    // A SecurityError under a policy without worker-src.
    return undefined;
  }
}

/** The worker, or the same code on the page's own thread if there is none or it does not start. */
export async function spawn(_url: string, worker: StartedWorker | undefined): Promise<Spawned> {
  const spawned = worker && (await fromWorker(worker));
  if (spawned) return spawned;
  const { port1, port2 } = new MessageChannel();
  FINDLING_WORKER().start(port2);
  return stoppable(new Remote(port1), () => port1.close());
}
