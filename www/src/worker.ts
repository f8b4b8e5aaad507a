/**
 * The search worker: opens the bundle and searches it. On a page without workers, the same module
 * runs on the page's own thread and answers over a message port.
 */

import * as wasm from "../wasm/engine/findling_engine";
import type { EarlyFile } from "./begin-opening";
import { type AheadRequest, Bundle } from "./bundle";
import { parseBundleAddress } from "./bundle-address";
import { DirectorySource, SingleFileSource } from "./bundle-layout";
import { compileModule } from "./compile-module";
import { deferredEngine } from "./deferred-engine";
import { FindlingError } from "./errors";
import { type Fetch, HttpStore, noTraffic } from "./http-store";
import { type Port, serve } from "./rpc";
import { type FirstModule, languageModules, linkModule } from "./wasm-linking";

/** The page's message to open a bundle. */
interface OpenCall {
  url: string;
  wasmUrl: string;
  /** The deferred part of the engine. */
  deferredUrl: string;
  memory: number | undefined;
  streamed: boolean;
  /** The engine's first part, if the page has it. */
  module: WebAssembly.Module | undefined;
  /** Files that the page has. */
  files: EarlyFile[];
}

/** Functions that read files and modules. */
export interface Reading {
  get: Fetch;
  compile: (url: string) => Promise<WebAssembly.Module>;
}

const OVER_HTTP: Reading = { get: (url, init) => fetch(url, init), compile: compileModule };

/** Answers the page's calls at `port`. */
export function start(port: Port, { get, compile } = OVER_HTTP): void {
  let bundle: Bundle | undefined;
  serve(port, {
    async open({ url, wasmUrl, deferredUrl, memory, streamed, module, files }: OpenCall) {
      const start = performance.now();
      const traffic = noTraffic();
      const { base, file } = parseBundleAddress(new URL(url));
      const ready = initialise(wasmUrl, module, compile);
      // Data that the page passed instead of fetching it stays in memory.
      const isGiven = file !== undefined && files.some(([address]) => address === url);
      const cache = isGiven ? undefined : `findling ${base.href}`;
      const store = new HttpStore(base, withEarly(files, get), cache);
      bundle = await Bundle.open(
        wasm,
        file === undefined
          ? new DirectorySource(store)
          : new SingleFileSource(store, file, wasm, ready),
        { memory, streamed },
        traffic,
        ready,
        deferredEngine(deferredUrl, ready, compile),
      );
      const { revision } = bundle;
      const ms = performance.now() - start;
      return { description: bundle.describe(), revision, traffic, ms };
    },
    /** Reports the answer by the query's own words as progress. */
    async search(request: AheadRequest, signal, progress) {
      if (!bundle) throw new FindlingError("closed", "The bundle is not open.");
      const answer = await bundle.search(request, signal, progress);
      return { ...answer, revision: bundle.revision };
    },
  });
}

/** A `fetch` that answers from the files of the page, each once. */
function withEarly(files: EarlyFile[], get: Fetch): Fetch {
  const early = new Map(files);
  return async (url, init) => {
    const bytes = init?.cache === "reload" ? undefined : early.get(url);
    early.delete(url);
    return bytes ? new Response(bytes) : get(url, init);
  };
}

let initialised: Promise<object> | undefined;

function initialise(
  url: string,
  module: WebAssembly.Module | undefined,
  compile: Reading["compile"],
): Promise<object> {
  initialised ??= loadEngine(module ?? compile(url)).catch((thrown: unknown) => {
    initialised = undefined;
    if (thrown instanceof FindlingError) throw thrown;
    throw new FindlingError("wasm", `${url} could not be loaded: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  });
  return initialised;
}

/** The engine's first part, linked with the languages inside it. */
async function loadEngine(
  compiled: WebAssembly.Module | Promise<WebAssembly.Module>,
): Promise<object> {
  const module = await compiled;
  const first = await wasm.default({ module_or_path: module });
  for (const language of languageModules(module))
    await linkModule(language, first as unknown as FirstModule);
  return first;
}

declare const WorkerGlobalScope: { new (): object } | undefined;
if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  start(globalThis as unknown as Port);
}
