/**
 * Modules that come packed (`crates/pack`): three quarters of what brotli would leave of them,
 * whatever the host compresses. A module of 11 kB, which is part of this script, unpacks them while
 * they arrive; unpacked they are kept in the Cache API, by the hash that they come with, so that
 * the next page has nothing to unpack.
 */

import unpacker from "../wasm/unpack/unpack.bin";
import { FindlingError } from "./errors";
import { openCache } from "./shards";

/** What `crates/pack/src/wasm.rs` exports. */
interface Unpacker {
  memory: WebAssembly.Memory;
  /** Where the next bytes are to be written; 0 where they are too many. */
  room(bytes: number): number;
  /** How many bytes of the module there are, now that more has come; -1 where it is damaged. */
  unpack(all: boolean): number;
  /** Where the module begins. */
  module(): number;
}

/** What it begins with: what it is, its length, its hash. */
const HEADER = 16;

/** The packed module at `url`, compiled while it arrives. Rejects with `wasm`. */
export async function compiled(url: string): Promise<WebAssembly.Module> {
  // Of what went wrong with the stream, compiling says only that something did.
  let failure: FindlingError | undefined;
  const failed = (what: string, thrown?: unknown) =>
    (failure = new FindlingError("wasm", `${url} ${what}`, { cause: thrown }));
  return WebAssembly.compileStreaming(unpacked(url, failed)).catch((thrown: unknown) => {
    throw failure ?? failed(`could not be compiled: ${(thrown as Error).message}`, thrown);
  });
}

async function unpacked(
  url: string,
  failed: (what: string, thrown?: unknown) => FindlingError,
): Promise<Response> {
  const response = await fetch(url).catch((thrown: unknown) => {
    throw failed(`could not be fetched: ${(thrown as Error).message}`, thrown);
  });
  if (!response.ok || !response.body) throw failed(`was answered with status ${response.status}.`);
  const reader = response.body.getReader();
  const read = () =>
    reader.read().catch((thrown: unknown) => {
      throw failed(`was cut off: ${(thrown as Error).message}`, thrown);
    });
  // What is of no use is not fetched to its end.
  const stop = () => void reader.cancel().catch(() => {});
  const refused = (what: string) => {
    stop();
    return failed(what);
  };
  let head = new Uint8Array();
  while (head.length < HEADER) {
    const { value, done } = await read();
    if (done) throw failed("is no packed module.");
    const longer = new Uint8Array(head.length + value.length);
    longer.set(head);
    longer.set(value, head.length);
    head = longer;
  }
  const kept = new URL(url);
  kept.search = Array.from(head.subarray(4, HEADER), (byte) => byte.toString(16)).join("-");
  const cache = await openCache("findling engine");
  const before = await cache?.match(kept).catch(() => undefined);
  if (before) {
    stop();
    return before;
  }

  const inflated = new Blob([unpacker])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  const { instance } = await WebAssembly.instantiate(await new Response(inflated).arrayBuffer());
  const { memory, room, unpack, module } = instance.exports as unknown as Unpacker;
  let next: ReadableStreamReadResult<Uint8Array> | undefined = { value: head, done: false };
  let came = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const from = came;
      while (came === from) {
        const { value, done } = next ?? (await read());
        next = undefined;
        if (value) {
          const at = room(value.length);
          if (at === 0) throw refused("is too long for a packed module.");
          new Uint8Array(memory.buffer, at, value.length).set(value);
        }
        came = unpack(done);
        if (came < 0) throw refused("is damaged, or no packed module.");
        if (came > from)
          controller.enqueue(new Uint8Array(memory.buffer, module() + from, came - from).slice());
        if (done) return controller.close();
      }
    },
    cancel: () => reader.cancel(),
  });
  const whole = new Response(body, { headers: { "content-type": "application/wasm" } });
  if (cache) {
    const copy = whole.clone();
    // Those of earlier builds go; a full disk is nobody's concern here.
    cache
      .delete(kept, { ignoreSearch: true })
      .then(() => cache.put(kept, copy))
      .catch(() => {});
  }
  return whole;
}
