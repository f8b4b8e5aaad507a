/**
 * Starts all requests for opening a bundle at once. The search box calls this before the client has
 * arrived, so that no request waits for a script that would only send it.
 */

import { parseBundleAddress } from "./bundle-address";
import { compileResponse } from "./compile-response";
import { ENTRY_FILE, isEntryFile, openingPath } from "./entry-file";
import { scriptDirectory } from "./script-address";
import type { Spawned } from "./spawn";
import { type StartedWorker, startWorker } from "./start-worker";
import type { OpenOptions } from "./types";

/** A file that the page has: its address and its contents. */
export type EarlyFile = [url: string, bytes: ArrayBuffer];

/**
 * A bundle that is being opened. If something fails here, the worker fetches it again and reports
 * the error.
 */
export interface Opening {
  /** Address of the client's files. */
  assets: URL;
  /** `undefined` if the page's own thread is to search. */
  worker: StartedWorker | undefined;
  /** The running engine, of a host that does not load it from `assets`. */
  engine?: Spawned;
  /** The engine's first part, compiled while it arrives. */
  module: Promise<WebAssembly.Module | undefined>;
  /** The entry file and the file of the manifest, or a single-file bundle that was given. */
  files: Promise<EarlyFile[]>;
}

/**
 * Begins to open the bundle at `address`. The client's files are beside this script, or beside the
 * bundle if the script is a part of an application.
 */
export function beginOpening(address: URL, options: OpenOptions): Opening {
  const { assets: given, bytes, worker, module } = options;
  const { base, file } = parseBundleAddress(address);
  const assets =
    given === undefined ? (scriptDirectory() ?? base) : new URL(given, document.baseURI);
  const asset = (name: string) => new URL(name, assets).href;
  return {
    assets,
    // Small files first: over one connection they would otherwise arrive after the engine.
    files:
      file === undefined ? firstFiles(base) : Promise.resolve(bytes ? [[address.href, bytes]] : []),
    worker: worker === false ? undefined : startWorker(asset("findling-worker.js")),
    module: module ?? compile(asset("findling_engine.wasm")).catch(() => undefined),
  };
}

async function compile(url: string): Promise<WebAssembly.Module | undefined> {
  const response = await fetch(url);
  return response.ok ? compileResponse(response) : undefined;
}

/** The entry file, and the file that it names, unless an earlier visit has cached that one. */
async function firstFiles(base: URL): Promise<EarlyFile[]> {
  const files: EarlyFile[] = [];
  const get = async (url: string, cache: RequestCache) => {
    const response = await fetch(url, { cache });
    if (!response.ok) throw response.status;
    const bytes = await response.arrayBuffer();
    files.push([url, bytes]);
    return new Uint8Array(bytes);
  };
  try {
    const entry = await get(new URL(ENTRY_FILE, base).href, "no-cache");
    // An error page instead of a missing entry file does not name a manifest.
    if (!isEntryFile(entry)) return files;
    const manifest = new URL(openingPath(entry), base).href;
    if (!(await isCached(manifest))) await get(manifest, "default");
  } catch {
    // The worker tries again and reports the error.
  }
  return files;
}

async function isCached(url: string): Promise<boolean> {
  try {
    return (await caches.match(url)) !== undefined;
  } catch {
    // If storage is blocked, there is no `caches`, or reading it throws.
    return false;
  }
}
