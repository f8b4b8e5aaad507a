/**
 * The endpoint as a Cloudflare Worker. `wrangler.toml` and the options configure it; `docs/edge.md`
 * describes both.
 */

import engineModule from "../wasm/engine/findling_engine_bg.wasm";
import { handlerWith } from "./edge-handler";
import type { EdgeOptions, Handler } from "./edge-options";

export type { BudgetOptions } from "./edge-budget";
export type { LogEntry } from "./edge-log";
export type { Mounts } from "./edge-mounts";
export type { Context, EdgeEncoder, EdgeOptions, Env, Handler } from "./edge-options";
export { assetsStore, type FileStore, kvStore, r2Store, webStore } from "./edge-store";

/** Makes a request handler. An isolate keeps bundles open in it. */
export function createHandler(options: EdgeOptions = {}): Handler {
  return handlerWith(engineModule, options);
}

export default createHandler();
