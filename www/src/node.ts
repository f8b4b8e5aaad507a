/**
 * The client for Node, Deno and Bun: the same `open`, which also takes the path of a bundle. The
 * engine runs on the caller's thread.
 */

import { open as openFile, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type FindlingIndex, openBegun } from "./client";
import { FindlingError } from "./errors";
import type { Fetch } from "./http-store";
import { type Port, Remote } from "./rpc";
import { stoppable } from "./spawn";
import type { OpenOptions } from "./types";
import { type Reading, start } from "./worker";

export * from "./client";

/** Paths of the WebAssembly modules, which are in the directory above this script. */
const ENGINE = new URL("../findling_engine.wasm", import.meta.url);
const REST = new URL("../findling_engine_rest.wasm", import.meta.url);

const PARTS: Record<string, URL> = {
  "findling_engine.wasm": ENGINE,
  "findling_engine_rest.wasm": REST,
};

/**
 * Opens a bundle: a directory or a `.findling` file by its path, or a bundle on the web by its
 * address.
 */
export function open(target: string | URL, options: OpenOptions = {}): Promise<FindlingIndex> {
  const address = addressOf(target);
  const [here, there] = ports();
  start(there, READING);
  return openBegun(
    address,
    // The transformer is deployed for browsers.
    { encoder: "static", ...options },
    {
      assets: new URL(".", ENGINE),
      worker: undefined,
      engine: stoppable(new Remote(here), () => {}),
      module: Promise.resolve(undefined),
      files: Promise.resolve(options.bytes ? [[address.href, options.bytes]] : []),
    },
  );
}

/** The address for a path; an address is returned unchanged. */
function addressOf(target: string | URL): URL {
  if (target instanceof URL) return target;
  // The letter of a drive is not a scheme.
  if (/^(https?|file):/i.test(target)) return new URL(target);
  return pathToFileURL(resolve(target.replace(/findling\.idx$/, "")));
}

/**
 * Two ends of a channel. Unlike the ports of the host's `MessageChannel`, they do not keep the
 * process alive.
 */
function ports(): [Port, Port] {
  const ends: [Port, Port] = [
    { onmessage: null, postMessage: (data) => deliver(ends[1], data) },
    { onmessage: null, postMessage: (data) => deliver(ends[0], data) },
  ];
  return ends;
}

function deliver(to: Port, data: unknown): void {
  queueMicrotask(() => to.onmessage?.({ data } as MessageEvent));
}

/** Answers requests for files like a web server that supports ranges. */
const getFile: Fetch = async (url, init) => {
  const range = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get("range") ?? "");
  try {
    if (!range) return new Response(await readFile(fileURLToPath(url)));
    const [from, to] = [Number(range[1]), Number(range[2])];
    return await part(fileURLToPath(url), from, to);
  } catch (thrown) {
    const { code } = thrown as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR")
      return new Response(null, { status: 404 });
    throw thrown;
  }
};

async function part(path: string, from: number, to: number): Promise<Response> {
  const file = await openFile(path);
  try {
    const { buffer, bytesRead } = await file.read(
      new Uint8Array(to + 1 - from),
      0,
      to + 1 - from,
      from,
    );
    const headers = { "content-range": `bytes ${from}-${from + bytesRead - 1}/*` };
    return new Response(buffer.subarray(0, bytesRead), { status: 206, headers });
  } finally {
    await file.close();
  }
}

const READING: Reading = {
  get: (url, init) => (url.startsWith("file:") ? getFile(url, init) : fetch(url, init)),
  async compile(url) {
    const file = PARTS[new URL(url).pathname.split("/").at(-1)!]!;
    try {
      return await WebAssembly.compile(await readFile(file));
    } catch (thrown) {
      throw new FindlingError("wasm", `${file} could not be loaded: ${(thrown as Error).message}`, {
        cause: thrown,
      });
    }
  },
};
