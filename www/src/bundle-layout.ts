/** The two layouts of a bundle: a directory of files, and a single file. */

import { uint32 } from "./bytes";
import { ENTRY_FILE, ENTRY_LEN, manifestLength, shardPath } from "./entry-file";
import { FindlingError } from "./errors";
import type { ByteRange, FetchOptions, HttpStore, Traffic, WantedShard } from "./http-store";

/** Where the parts of a bundle come from. */
export interface BundleSource {
  /** The entry file: the only part that changes. */
  entry(traffic: Traffic): Promise<Uint8Array>;
  /** The manifest at `path`, which the last entry file names. */
  manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array>;
  shard(wanted: WantedShard, traffic: Traffic, options: FetchOptions): Promise<Uint8Array>;
  /** Removes all cached parts but these, once for each build. */
  prune(paths: Set<string>, build: string): Promise<void>;
}

/** A bundle in a directory of content-addressed files. */
export class DirectorySource implements BundleSource {
  readonly #store: HttpStore;
  #manifestLen = 0;
  /** Shards that came with the manifest, by path. */
  #early = new Map<string, Uint8Array>();

  constructor(store: HttpStore) {
    this.#store = store;
  }

  async entry(traffic: Traffic): Promise<Uint8Array> {
    const { bytes } = await this.#store.mutable(ENTRY_FILE, traffic);
    if (bytes.length >= ENTRY_LEN) this.#manifestLen = manifestLength(bytes);
    return bytes;
  }

  async manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array> {
    const file = await this.#store.immutable(path, traffic, { fresh });
    this.#early = shardsBehind(file, this.#manifestLen);
    return file.subarray(0, this.#manifestLen);
  }

  /** A fresh one comes from a file of its own: what came with the manifest was damaged. */
  async shard({ path }: WantedShard, traffic: Traffic, options: FetchOptions): Promise<Uint8Array> {
    const early = options.fresh ? undefined : this.#early.get(path);
    return early ?? this.#store.immutable(path, traffic, options);
  }

  prune(paths: Set<string>, build: string): Promise<void> {
    return this.#store.prune((path) => path === ENTRY_FILE || paths.has(path), build);
  }
}

/**
 * The shards behind the manifest in its file (`crates/bundle/src/opening.rs`), by path, as far as
 * the bytes are what they must be. The engine checks each.
 */
function shardsBehind(file: Uint8Array, manifestLen: number): Map<string, Uint8Array> {
  const shards = new Map<string, Uint8Array>();
  for (let at = manifestLen; at < file.length; ) {
    const start = at + 1 + file[at]! + 4;
    if (start > file.length) break;
    const path = shardPath(file.subarray(at + 1, start - 4));
    at = start + uint32(file, start - 4);
    if (at <= file.length) shards.set(path, file.subarray(start, at));
  }
  return shards;
}

/** Bytes of the first request: room for the header and the manifest of a small site. */
const FIRST_BYTES = 32 << 10;

/** The engine's reader of a single-file bundle's header. */
export interface HeadReader {
  /** The first byte of the entry, the first byte of the manifest and the manifest's end. */
  singleFileHead(head: Uint8Array): Uint32Array;
}

/** A bundle in one file, read in ranges, or as a whole where the server ignores ranges. */
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
