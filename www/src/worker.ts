/**
 * The search worker: everything heavy happens here. Imported on a page without workers, it serves a
 * message port instead, through the same calls.
 */

import * as wasm from "../wasm/engine/findling_engine";
import { Bundle } from "./bundle";
import type { Request } from "./engine-types";
import { FindlingError } from "./errors";
import { locate } from "./locate";
import { compiled } from "./packed";
import { type First, languages, link } from "./parts";
import { restAt } from "./rest";
import { type Port, serve } from "./rpc";
import { Files, noTraffic } from "./shards";
import { Directory, OneFile } from "./sources";

/** What the page sends to open a bundle. */
export interface OpenCall {
  url: string;
  wasmUrl: string;
  /** The rest of the engine. */
  restUrl: string;
  memory: number | undefined;
  streamed: boolean;
}

/** Answers the page's calls through `port`. */
export function start(port: Port): void {
  let bundle: Bundle | undefined;
  serve(port, {
    async open({ url, wasmUrl, restUrl, memory, streamed }: OpenCall) {
      const start = performance.now();
      const traffic = noTraffic();
      const { base, file } = locate(new URL(url));
      const ready = initialise(wasmUrl);
      const files = new Files(base, (url, init) => fetch(url, init), `findling ${base.href}`);
      const source =
        file === undefined ? new Directory(files) : new OneFile(files, file, wasm, ready);
      bundle = await Bundle.open(
        wasm,
        source,
        { memory, streamed },
        traffic,
        ready,
        restAt(restUrl, ready),
      );
      return {
        description: bundle.describe(),
        revision: bundle.revision,
        traffic,
        ms: performance.now() - start,
      };
    },
    async search(request: Request, signal) {
      if (!bundle) throw new FindlingError("closed", "The bundle is not open.");
      return { ...(await bundle.search(request, signal)), revision: bundle.revision };
    },
  });
}

let initialised: Promise<object> | undefined;

function initialise(url: string): Promise<object> {
  initialised ??= linked(url).catch((thrown: unknown) => {
    initialised = undefined;
    if (thrown instanceof FindlingError) throw thrown;
    throw new FindlingError("wasm", `${url} could not be loaded: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  });
  return initialised;
}

/** The engine at `url` with the languages that it carries. */
async function linked(url: string): Promise<object> {
  const module = await compiled(url);
  const first = await wasm.default({ module_or_path: module });
  for (const part of languages(module)) await link(part, first as unknown as First);
  return first;
}

declare const WorkerGlobalScope: { new (): object } | undefined;
if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  start(globalThis as unknown as Port);
}
