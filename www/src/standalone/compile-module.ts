/** A replacement of `compile-module.ts` in the worker: compiles the modules that the page sent. */

import { FindlingError } from "../errors";

/** Modules by address. */
export const carried = new Map<string, ArrayBuffer>();

/** Compiles the module at `url`, whose parameters contain the expected build. */
export function compileModule(url: string): Promise<WebAssembly.Module> {
  const bytes = carried.get(url.replace(/\?.*$/, ""));
  return bytes
    ? WebAssembly.compile(bytes)
    : Promise.reject(new FindlingError("wasm", `This file does not carry ${url}.`));
}
