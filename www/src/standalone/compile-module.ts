/** In place of `compile-module.ts`, in the worker: compiles what the page handed over. */

import { FindlingError } from "../errors";

/** Modules by address. */
export const carried = new Map<string, ArrayBuffer>();

/** Compiles the module at `url`, whose parameters say of which build it must be. */
export function compileModule(url: string): Promise<WebAssembly.Module> {
  const bytes = carried.get(url.replace(/\?.*$/, ""));
  return bytes
    ? WebAssembly.compile(bytes)
    : Promise.reject(new FindlingError("wasm", `This file does not carry ${url}.`));
}
