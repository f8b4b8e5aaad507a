/** The two layouts of a bundle: a directory of files, and a single file. */

import { uint32 } from "./bytes";
import { ENTRY_FILE, ENTRY_LEN, manifestLength, openingPath, shardPath } from "./entry-file";
import { FindlingError } from "./errors";
import {
  type ByteRange,
  type FetchOptions,
  type HttpStore,
  shared,
  type Traffic,
  type WantedShard,
} from "./http-store";
import {
  type PackDirectory,
  POSITIONS,
  readDirectory,
  readPositions,
  type Slot,
  type Slots,
} from "./pack-directory";
import { PackReader } from "./pack-reader";

/** The source of a bundle's parts. */
export interface BundleSource {
  /** The entry: the only part that changes. */
  entry(traffic: Traffic): Promise<Uint8Array>;
  /** The file that the last entry file names. It differs between builds whose manifest is equal. */
  readonly opening: string;
  /** The manifest at `path`, which the last entry file names. */
  manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array>;
  shard(wanted: WantedShard, traffic: Traffic, options: FetchOptions): Promise<Uint8Array>;
  /** Fetches a shard that the next search needs, if that costs no extra request. */
  along?(wanted: WantedShard, traffic: Traffic): void;
  /** Removes all cached parts except these, once for each build. */
  prune(paths: Set<string>, build: string): Promise<void>;
}

/** A bundle in a directory of content-addressed files. */
export class DirectorySource implements BundleSource {
  readonly #store: HttpStore;
  #entry: Uint8Array = new Uint8Array();
  /** The shards and packs that came with the manifest. */
  #opened: Opened = { shards: new Map(), packs: undefined };
  /** The same, fetched again because a shard was damaged. */
  #again: Promise<Opened> | undefined;

  constructor(store: HttpStore) {
    this.#store = store;
  }

  get opening(): string {
    return this.#entry.length < ENTRY_LEN ? "" : openingPath(this.#entry);
  }

  async entry(traffic: Traffic): Promise<Uint8Array> {
    this.#entry = (await this.#store.mutable(ENTRY_FILE, traffic)).bytes;
    return this.#entry.subarray(0, ENTRY_LEN);
  }

  async manifest(_path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array> {
    const length = manifestLength(this.#entry);
    const file = await this.#store.immutable(this.opening, traffic, { fresh });
    this.#opened = readOpening(file, length, this.#store, this.opening, traffic);
    this.#again = undefined;
    return file.subarray(0, length);
  }

  async shard(wanted: WantedShard, traffic: Traffic, options: FetchOptions): Promise<Uint8Array> {
    const { path, id } = wanted;
    let { shards, packs } = this.#opened;
    if (!options.fresh) {
      const early = shards.get(path);
      if (early) return early;
    } else if (packs) {
      // A shard, or a file that came with the manifest, is damaged.
      this.#again ??= shared(this.#openAgain(traffic), traffic);
      packs = (await this.#again).packs ?? packs;
      this.#opened = { shards, packs };
    }
    return packs
      ? packs.shard(id, path, traffic, options)
      : this.#store.immutable(path, traffic, options);
  }

  along({ path, id }: WantedShard, traffic: Traffic): void {
    const { shards, packs } = this.#opened;
    if (!shards.has(path)) void packs?.along(id, path, traffic);
  }

  prune(paths: Set<string>, build: string): Promise<void> {
    const { opening } = this;
    const own = new Set([ENTRY_FILE, opening, slotsName(opening)]);
    return this.#store.prune((path) => own.has(path) || paths.has(path), build);
  }

  async #openAgain(traffic: Traffic): Promise<Opened> {
    const { opening } = this;
    const file = await this.#store.immutable(opening, traffic, { fresh: true });
    return readOpening(file, manifestLength(this.#entry), this.#store, opening, traffic);
  }
}

/** The contents of the manifest's file after the manifest. */
interface Opened {
  /** Shards by path. */
  shards: Map<string, Uint8Array>;
  packs: Packs | undefined;
}

/** The name in the cache of the places of positions. */
const slotsName = (opening: string) => `${opening}.slots`;

/**
 * Reads the shards after the manifest in its file (`crates/bundle/src/opening.rs`), as far as the
 * bytes are valid. The engine checks each shard.
 */
function readOpening(
  file: Uint8Array,
  manifestLen: number,
  store: HttpStore,
  opening: string,
  traffic: Traffic,
): Opened {
  const shards = new Map<string, Uint8Array>();
  let packs: Packs | undefined;
  for (let at = manifestLen; at < file.length; ) {
    const start = at + 1 + file[at]! + 4;
    if (start > file.length) break;
    const name = file.subarray(at + 1, start - 4);
    at = start + uint32(file, start - 4);
    if (at > file.length) break;
    const bytes = file.subarray(start, at);
    if (name.length > 0) shards.set(shardPath(name), bytes);
    else packs = new Packs(store, shared(readDirectory(bytes), traffic), slotsName(opening));
  }
  return { shards, packs };
}

/** The packs of a bundle. Their directory is read while the engine opens the bundle. */
class Packs {
  readonly #directory: Promise<PackDirectory>;
  readonly #reader: Promise<PackReader>;
  readonly #store: HttpStore;
  readonly #slotsName: string;
  #positions: Promise<Slots> | undefined;
  /** Whether the slots of positions came past all caches. */
  #arePositionsFresh = false;

  constructor(store: HttpStore, directory: Promise<PackDirectory>, slotsName: string) {
    this.#store = store;
    this.#directory = directory;
    this.#reader = directory.then(({ packs }) => new PackReader(store, packs));
    this.#slotsName = slotsName;
    // A later request for a shard reports the error.
    this.#reader.catch(() => {});
  }

  async shard(
    id: number,
    path: string,
    traffic: Traffic,
    options: FetchOptions,
  ): Promise<Uint8Array> {
    const { slots, positions } = await this.#directory;
    const reader = await this.#reader;
    let slot: Slot | undefined;
    if (id >= POSITIONS)
      slot = (await this.#slotsOfPositions(traffic, options.fresh))[id - POSITIONS];
    else slot = slots[id];
    // A search that reads the directory of positions reads positions next.
    if (positions?.with === id) void this.#slotsOfPositions(traffic).catch(() => {});
    if (slot) return reader.read(path, slot, traffic, options);
    throw new FindlingError(
      "bundle",
      `Expected ${path} in a pack, found none; deploy all files of the bundle again.`,
    );
  }

  /**
   * Implements `BundleSource.along`. It takes as many microtasks as `shard`, so that both belong to
   * the same round.
   */
  async along(id: number, path: string, traffic: Traffic): Promise<void> {
    try {
      const slot = (await this.#directory).slots[id];
      const reader = await this.#reader;
      if (slot) reader.along(path, slot, traffic);
    } catch {
      // A later request for a shard reports the error.
    }
  }

  /**
   * The slots of positions. If they are damaged, a shard of positions is not in the given place,
   * and is requested again (`fresh`). Then the slots are also fetched again, once.
   */
  #slotsOfPositions(traffic: Traffic, fresh = false): Promise<Slots> {
    if (this.#positions && (!fresh || this.#arePositionsFresh)) return this.#positions;
    const positions = this.#readPositions(traffic, fresh).catch((thrown: unknown) => {
      if (this.#positions === positions) this.#positions = undefined;
      throw thrown;
    });
    this.#positions = shared(positions, traffic);
    this.#arePositionsFresh = fresh;
    return positions;
  }

  async #readPositions(traffic: Traffic, fresh: boolean): Promise<Slots> {
    const { positions, packs } = await this.#directory;
    if (!positions) return [];
    const reader = await this.#reader;
    const bytes = await reader.read(this.#slotsName, positions.slot, traffic, { fresh }, false);
    const slots = await readPositions(bytes, packs);
    this.#store.keep(this.#slotsName, bytes);
    return slots;
  }
}

/** Bytes of the first request: room for the header and the manifest of a small site. */
const FIRST_BYTES = 32 << 10;

/** The engine's reader of a single-file bundle's header. */
export interface HeadReader {
  /** The first byte of the entry, the first byte of the manifest and the manifest's end. */
  singleFileHead(head: Uint8Array): Uint32Array;
}

/** A bundle in one file, read in ranges, or as a whole if the server ignores ranges. */
export class SingleFileSource implements BundleSource {
  readonly #store: HttpStore;
  readonly #file: string;
  readonly #wasm: HeadReader;
  readonly #ready: Promise<unknown> | undefined;
  #head: Uint8Array = new Uint8Array();
  #manifest = { start: 0, end: 0 };
  #whole: Uint8Array | undefined;

  /** `ready` resolves when `wasm` is initialised. Only then can the header be read. */
  constructor(store: HttpStore, file: string, wasm: HeadReader, ready?: Promise<unknown>) {
    this.#store = store;
    this.#file = file;
    this.#wasm = wasm;
    this.#ready = ready;
  }

  /** The entry distinguishes the builds of a file. */
  readonly opening = "";

  get #headName(): string {
    return `${this.#file}.head`;
  }

  async entry(traffic: Traffic): Promise<Uint8Array> {
    const range = { file: this.#file, start: 0, end: FIRST_BYTES };
    const [{ bytes, whole }] = await Promise.all([
      this.#store.mutable(this.#headName, traffic, {}, range),
      this.#ready,
    ]);
    const [entry, start, end] = this.#wasm.singleFileHead(bytes);
    this.#head = bytes;
    this.#whole = whole;
    this.#manifest = { start: start!, end: end! };
    return bytes.slice(entry, start);
  }

  async manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array> {
    const { start, end } = this.#manifest;
    return end <= this.#head.length && !fresh
      ? this.#head.slice(start, end)
      : this.#part(path, start, end, traffic, { fresh });
  }

  shard(wanted: WantedShard, traffic: Traffic, options: FetchOptions): Promise<Uint8Array> {
    const { path, offset, length } = wanted;
    return this.#part(path, offset, offset + length, traffic, options);
  }

  prune(paths: Set<string>, build: string): Promise<void> {
    return this.#store.prune((path) => path === this.#headName || paths.has(path), build);
  }

  async #part(
    path: string,
    start: number,
    end: number,
    traffic: Traffic,
    options: FetchOptions,
  ): Promise<Uint8Array> {
    if (options.fresh) this.#whole = undefined;
    const range: ByteRange = { file: this.#file, start, end };
    const bytes =
      this.#whole?.subarray(start, end) ??
      (await this.#store.immutable(path, traffic, options, range));
    if (bytes.length !== end - start) {
      throw new FindlingError(
        "bundle",
        `${this.#file} is too short: expected ${end} bytes or more, found ${start + bytes.length}.`,
      );
    }
    return bytes;
  }
}
