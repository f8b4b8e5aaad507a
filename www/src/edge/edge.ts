/**
 * The endpoint as a Cloudflare Worker. `wrangler.toml` and the options configure it; `docs/edge.md`
 * describes both.
 */

import engineModule from "../../wasm/edge/findling_engine_bg.wasm";
import { handlerWith } from "./handler";
import type { EdgeOptions, Handler } from "./options";

export type { BudgetOptions } from "./budget";
export type { LogEntry } from "./log";
export type { Mounts } from "./mounts";
export type { Context, EdgeEncoder, EdgeOptions, Env, Handler } from "./options";
export { assetsStore, type FileStore, kvStore, r2Store, webStore } from "./store";

/** Makes a request handler. An isolate keeps bundles open in it. */
export function createHandler(options: EdgeOptions = {}): Handler {
  return handlerWith(engineModule, options);
}

export default createHandler();
