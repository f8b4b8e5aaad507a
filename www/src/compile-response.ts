/**
 * Compiles the WebAssembly module of a response, while it arrives if the host sends the right type.
 */
export async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  return response.headers.get("content-type")?.split(";")[0] === "application/wasm"
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
