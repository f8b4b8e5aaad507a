/**
 * The endpoint for Node, Deno and Bun: the same `fetch(request, env)` as in a Worker, with a
 * directory in place of static assets.
 */

import { readFile } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import { handlerWith } from "./handler";
import type { EdgeOptions, Env, Handler } from "./options";
import type { Fetcher } from "./store";

export type { BudgetOptions } from "./budget";
export type { LogEntry } from "./log";
export type { Mounts } from "./mounts";
export type { Context, EdgeEncoder, EdgeOptions, Env, Handler } from "./options";
export { assetsStore, type FileStore, kvStore, r2Store, webStore } from "./store";

const ENGINE = new URL("./findling-edge_engine_bg.wasm", import.meta.url);

/** A server has no plan that counts subrequests. */
const BUDGET = { subrequests: 10_000, reserve: 0, atOnce: 64 };

/** Makes a request handler. It keeps bundles open. */
export function createHandler(options: EdgeOptions = {}): Handler {
  let handler: Promise<Handler> | undefined;
  const make = async () => {
    const module = await WebAssembly.compile(await readFile(ENGINE));
    return handlerWith(module, { ...options, budget: { ...BUDGET, ...options.budget } });
  };
  return {
    async fetch(request: Request, env?: Env, context?) {
      handler ??= make();
      return (await handler).fetch(request, env, context);
    },
  };
}

/** A directory as a binding `ASSETS`: `{ ASSETS: directory("public") }`. */
export function directory(path: string): Fetcher {
  const root = normalize(`${path}${sep}`);
  return {
    async fetch(request) {
      const url = new URL(typeof request === "string" ? request : request.url);
      const file = join(root, decodeURIComponent(url.pathname));
      if (!file.startsWith(root)) return new Response(null, { status: 404 });
      try {
        return new Response(await readFile(file));
      } catch (thrown) {
        const { code } = thrown as { code?: string };
        if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR")
          return new Response(null, { status: 404 });
        throw thrown;
      }
    },
  };
}
