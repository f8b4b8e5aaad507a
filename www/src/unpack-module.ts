/**
 * Loads packed WebAssembly modules. `crates/pack` packs them to three quarters of their size in
 * brotli, whatever the host compresses. The unpacker, a module of 11 kB inside this script, unpacks
 * while bytes arrive. The Cache API keeps the unpacked module under its hash, so the next page does
 * not unpack it again.
 */

import unpacker from "../wasm/unpack/unpack.bin";
import { FindlingError } from "./errors";
import { openCache } from "./http-store";

/** The exports of `crates/pack/src/wasm.rs`. */
interface Unpacker {
  memory: WebAssembly.Memory;
  /** The address to write the next packed bytes to; 0 if they are too many. */
  room(bytes: number): number;
  /** The number of unpacked bytes so far; -1 if the packed bytes are damaged. */
  unpack(all: boolean): number;
  /** The address of the unpacked module. */
  module(): number;
}

/** Bytes of the header: a magic number, the module's length, the module's hash. */
const HEADER_LENGTH = 16;

/** Fetches, unpacks and compiles the module at `url`, all while it arrives. Rejects with `wasm`. */
export async function loadPackedModule(url: string): Promise<WebAssembly.Module> {
  // `compileStreaming` hides why its stream failed, so the first failure is kept here.
  let failure: FindlingError | undefined;
  const fail: Fail = (what, cause) => {
    failure = new FindlingError("wasm", `${url} ${what}`, { cause });
    return failure;
  };
  return WebAssembly.compileStreaming(unpackedResponse(url, fail)).catch((thrown: unknown) => {
    throw failure ?? fail(`could not be compiled: ${(thrown as Error).message}`, thrown);
  });
}

type Fail = (what: string, cause?: unknown) => FindlingError;

/** The unpacked module as a response: from the cache, or unpacked while it arrives. */
async function unpackedResponse(url: string, fail: Fail): Promise<Response> {
  const packed = await PackedStream.open(url, fail);
  const key = new URL(url);
  const hash = packed.header.subarray(4, HEADER_LENGTH);
  key.search = Array.from(hash, (byte) => byte.toString(16)).join("-");
  const cache = await openCache("findling engine");
  const cached = await cache?.match(key).catch(() => undefined);
  if (cached) {
    packed.cancel();
    return cached;
  }
  const body = await unpack(packed);
  const response = new Response(body, { headers: { "content-type": "application/wasm" } });
  if (cache) {
    const copy = response.clone();
    // Modules of earlier builds are removed. The module is used even if it cannot be cached.
    cache
      .delete(key, { ignoreSearch: true })
      .then(() => cache.put(key, copy))
      .catch(() => {});
  }
  return response;
}

/** The packed bytes of a module, with its header read in advance. */
class PackedStream {
  /** At least the header; the bytes after it belong to the module. */
  header = new Uint8Array();
  #headerRead = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #fail: Fail;

  private constructor(reader: ReadableStreamDefaultReader<Uint8Array>, fail: Fail) {
    this.#reader = reader;
    this.#fail = fail;
  }

  static async open(url: string, fail: Fail): Promise<PackedStream> {
    const response = await fetch(url).catch((thrown: unknown) => {
      throw fail(`could not be fetched: ${(thrown as Error).message}`, thrown);
    });
    if (!response.ok || !response.body)
      throw fail(`could not be fetched: the server answered with status ${response.status}.`);
    const stream = new PackedStream(response.body.getReader(), fail);
    while (stream.header.length < HEADER_LENGTH) {
      const { value, done } = await stream.#next();
      if (done) throw fail("is not a packed module: it ends within its header.");
      const longer = new Uint8Array(stream.header.length + value.length);
      longer.set(stream.header);
      longer.set(value, stream.header.length);
      stream.header = longer;
    }
    return stream;
  }

  /** The next bytes, from the header on. */
  read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    if (this.#headerRead) return this.#next();
    this.#headerRead = true;
    return Promise.resolve({ value: this.header, done: false });
  }

  /** Stops the download. */
  cancel(): void {
    this.#reader.cancel().catch(() => {});
  }

  /** Stops the download of something that is not a packed module. */
  refuse(what: string): FindlingError {
    this.cancel();
    return this.#fail(what);
  }

  #next(): Promise<ReadableStreamReadResult<Uint8Array>> {
    return this.#reader.read().catch((thrown: unknown) => {
      throw this.#fail(`was cut off: ${(thrown as Error).message}`, thrown);
    });
  }
}

/** The unpacked bytes of a module, as far as its packed bytes have arrived. */
async function unpack(packed: PackedStream): Promise<ReadableStream<Uint8Array>> {
  const inflated = new Blob([unpacker])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  const { instance } = await WebAssembly.instantiate(await new Response(inflated).arrayBuffer());
  const { memory, room, unpack, module } = instance.exports as unknown as Unpacker;
  let unpackedLength = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const from = unpackedLength;
      while (unpackedLength === from) {
        const { value, done } = await packed.read();
        if (value) {
          const address = room(value.length);
          if (address === 0) throw packed.refuse("is too long for a packed module.");
          new Uint8Array(memory.buffer, address, value.length).set(value);
        }
        unpackedLength = unpack(done);
        if (unpackedLength < 0) throw packed.refuse("is damaged, or not a packed module.");
        if (unpackedLength > from) {
          const start = module() + from;
          controller.enqueue(new Uint8Array(memory.buffer, start, unpackedLength - from).slice());
        }
        if (done) {
          controller.close();
          return;
        }
      }
    },
    cancel: () => packed.cancel(),
  });
}
