/**
 * The directory of packs: where each shard is in the files that hold many (`docs/format.md`). It
 * comes with the manifest.
 */

import { shardPath } from "./entry-file";
import { FindlingError } from "./errors";

/** Bytes of a unit, in which places are counted. */
export const UNIT = 64;
/** Maximum number of bytes of a directory, inflated. */
const MAX_LEN = 32 << 20;
/** The first id of the shards of positions. */
export const POSITIONS = 2 ** 31;

const VERSION = 1;
const NAME_LEN = 12;
const LANES = 32;

/** The place of a shard: a pack by its number, the first unit and the number of units. */
export interface Slot {
  pack: number;
  start: number;
  units: number;
}

/** Places by id. */
export type Slots = (Slot | undefined)[];

/** A file that holds many shards. */
export interface Pack {
  path: string;
  units: number;
}

export interface PackDirectory {
  packs: Pack[];
  /** The places of the manifest's shards and of cells. */
  slots: Slots;
  /** The location of the places of positions, and the shard that is fetched with them. */
  positions: { with: number; slot: Slot } | undefined;
}

const malformed = (why: string) =>
  new FindlingError(
    "bundle",
    `The directory of packs is damaged: ${why}; deploy all files of the bundle again.`,
  );

/** Reads the bytes of a directory, as they follow the manifest. */
export async function readDirectory(bytes: Uint8Array): Promise<PackDirectory> {
  const reader = new Varints(await inflate(bytes));
  if (reader.next() !== VERSION) throw malformed("expected version 1, found another");
  const names = Array.from({ length: reader.count() }, () => reader.take(NAME_LEN));
  const packs = names.map((name) => ({ path: shardPath(name), units: reader.next() }));
  const slots = readSlots(reader, packs);
  const directory: PackDirectory = { packs, slots, positions: undefined };
  if (reader.next() === 1) {
    const [id, pack, start, units] = [reader.next(), reader.next(), reader.next(), reader.next()];
    directory.positions = { with: id!, slot: inside(packs, pack!, start!, units!) };
  }
  reader.end();
  return directory;
}

/** Reads the places of positions. */
export async function readPositions(bytes: Uint8Array, packs: readonly Pack[]): Promise<Slots> {
  const reader = new Varints(await inflate(bytes));
  const slots = readSlots(reader, packs);
  reader.end();
  return slots;
}

function readSlots(reader: Varints, packs: readonly Pack[]): Slots {
  const n = reader.count();
  const runs = reader.count();
  const column = (length: number) => Array.from({ length }, () => reader.next());
  const [steps, lanes, ids] = [column(runs), column(runs), column(runs)];
  const [counts, gaps, units] = [column(runs), column(runs), column(n)];
  const slots: Slots = new Array(n).fill(undefined);
  const next = new Array<number>(LANES).fill(0);
  let [pack, at] = [0, 0];
  for (let run = 0; run < runs; run++) {
    if (steps![run]! > 0) {
      pack += steps![run]!;
      at = 0;
    }
    const lane = lanes![run]!;
    let id = next[lane]! + unzigzag(ids![run]!);
    at += unzigzag(gaps![run]!);
    for (let left = counts![run]!; left >= 0; left--, id++) {
      if (!(id >= 0 && id < n) || slots[id]) throw malformed("a run has the wrong shards");
      slots[id] = inside(packs, pack, at, units![id]!);
      at += units![id]!;
    }
    next[lane] = id;
  }
  if (slots.some((slot, id) => !slot && units![id]! > 0)) throw malformed("a shard is in no run");
  return slots;
}

function inside(packs: readonly Pack[], pack: number, start: number, units: number): Slot {
  if (!(units > 0 && start >= 0 && start + units <= (packs[pack]?.units ?? 0)))
    throw malformed("a shard is outside of its pack");
  return { pack, start, units };
}

const unzigzag = (value: number) => (value % 2 ? -(value + 1) / 2 : value / 2);

/** The stored shard in the bytes of a slot. */
export function takeSlot(bytes: Uint8Array): Uint8Array {
  const padding = bytes.at(-1) ?? 0;
  if (bytes.length % UNIT !== 0 || padding < 1 || padding > UNIT)
    throw new FindlingError("bundle", "A pack is damaged: a shard does not end as it must.");
  return bytes.subarray(0, bytes.length - padding);
}

class Varints {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      const byte = this.#bytes[this.#at++] ?? Number.NaN;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
    }
    throw malformed("it ends early, or a number is too long");
  }

  /** A number of items, each of at least one byte. */
  count(): number {
    const count = this.next();
    if (count > this.#bytes.length - this.#at) throw malformed("it ends early");
    return count;
  }

  take(length: number): Uint8Array {
    this.#at += length;
    if (this.#at > this.#bytes.length) throw malformed("it ends early");
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw malformed("bytes follow its end");
  }
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const reader = stream.pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > MAX_LEN) throw new RangeError("it is too long");
      chunks.push(read.value);
    }
  } catch (thrown) {
    throw malformed(`it does not inflate: ${(thrown as Error).message}`);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
