/** Fetches and compiles WebAssembly modules. */

import { compileResponse } from "./compile-response";
import { FindlingError } from "./errors";

/** Fetches and compiles the module at `url`, while it arrives. Rejects with `wasm`. */
export async function compileModule(url: string): Promise<WebAssembly.Module> {
  const fail = (what: string, cause?: unknown) =>
    new FindlingError("wasm", `${url} ${what}`, { cause });
  const response = await fetch(url).catch((thrown: unknown) => {
    throw fail(`could not be fetched: ${(thrown as Error).message}`, thrown);
  });
  if (!response.ok)
    throw fail(`could not be fetched: the server answered with status ${response.status}.`);
  return compileResponse(response).catch((thrown: unknown) => {
    throw fail(`could not be compiled: ${(thrown as Error).message}`, thrown);
  });
}
