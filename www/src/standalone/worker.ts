/** The search worker of a standalone file: it gets the engine's modules with its first call. */

import type { EarlyFile } from "../begin-opening";
import type { Port } from "../rpc";
import { start as startWorker } from "../worker";
import { carried } from "./compile-module";

/** Answers the page's calls at `port`. */
export function start(port: Port): void {
  startWorker(port);
  listen(port);
}

/** Keeps the modules of the page's messages. */
function listen(port: Port): void {
  const serve = port.onmessage;
  port.onmessage = (event: MessageEvent<{ argument?: { files?: EarlyFile[] } }>) => {
    for (const [url, bytes] of event.data.argument?.files ?? [])
      if (url.endsWith(".wasm")) carried.set(url, bytes);
    serve?.(event);
  };
}

declare const WorkerGlobalScope: { new (): object } | undefined;
// The other module has begun to serve.
if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope)
  listen(globalThis as unknown as Port);
