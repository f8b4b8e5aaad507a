/** Fetches and compiles WebAssembly modules. */

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
  // Browsers compile a response while it arrives only if the host names its type.
  const streams = response.headers.get("content-type")?.split(";")[0] === "application/wasm";
  const compiled = streams
    ? WebAssembly.compileStreaming(response)
    : response.arrayBuffer().then((bytes) => WebAssembly.compile(bytes));
  return compiled.catch((thrown: unknown) => {
    throw fail(`could not be compiled: ${(thrown as Error).message}`, thrown);
  });
}
