/** The engine that the build packed for `pagefind.js`, so that the host need not compress it. */

const GZIP = [0x1f, 0x8b];

/**
 * Fetches, unpacks and compiles the module at `url`, while it arrives. `undefined` if that is not
 * possible: the client then loads its own file.
 */
export async function packedEngine(url: string): Promise<WebAssembly.Module | undefined> {
  try {
    const response = await fetch(url);
    if (!response.ok || !response.body) return undefined;
    const headers = { "content-type": "application/wasm" };
    const body = await unpacked(response.body);
    return await WebAssembly.compileStreaming(new Response(body, { headers }));
  } catch {
    return undefined;
  }
}

/** The bytes of a stream, unpacked. Some hosts tell the browser to unpack the file itself. */
async function unpacked(stream: ReadableStream<BufferSource>): Promise<ReadableStream> {
  const [peeked, body] = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).tee();
  const reader = peeked.getReader();
  const { value } = await reader.read();
  reader.cancel();
  const isPacked = GZIP.every((byte, at) => value?.[at] === byte);
  return isPacked ? body.pipeThrough(new DecompressionStream("gzip")) : body;
}
