/**
 * The two shapes of a bundle, as the engine's host sees them: an entry, the manifest it names, and
 * shards.
 */

import type { Wasm } from "./bundle";
import { FindlingError } from "./errors";
import type { Files, Getting, Span, Traffic, Wanted } from "./shards";

/** Where a bundle's parts come from. */
export interface Source {
  /** The one part that changes. */
  entry(traffic: Traffic): Promise<Uint8Array>;
  /** The manifest at `path`, which the last entry names. */
  manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array>;
  shard(wanted: Wanted, traffic: Traffic, how: Getting): Promise<Uint8Array>;
  /**
   * Forgets cached parts that are none of these, once for a build: what it fetches later is not
   * among them.
   */
  prune(paths: Set<string>, build: string): Promise<void>;
}

const ENTRY = "findling.idx";

/** A directory of content-addressed files. */
export class Directory implements Source {
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  async entry(traffic: Traffic): Promise<Uint8Array> {
    return (await this.#files.mutable(ENTRY, traffic)).bytes;
  }

  manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array> {
    return this.#files.immutable(path, traffic, { fresh });
  }

  shard({ path }: Wanted, traffic: Traffic, how: Getting): Promise<Uint8Array> {
    return this.#files.immutable(path, traffic, how);
  }

  prune(paths: Set<string>, build: string): Promise<void> {
    return this.#files.prune((path) => path === ENTRY || paths.has(path), build);
  }
}

/**
 * More than enough for the header and a small site's manifest, and little to have fetched in vain.
 */
const FIRST_BYTES = 32 << 10;

/** Everything in one file, asked for in ranges; whole where the server knows no ranges. */
export class OneFile implements Source {
  readonly #files: Files;
  readonly #file: string;
  readonly #wasm: Pick<Wasm, "singleFileHead">;
  readonly #ready: Promise<unknown> | undefined;
  #head: Uint8Array = new Uint8Array();
  #manifest: [start: number, end: number] = [0, 0];
  #whole: Uint8Array | undefined;

  /**
   * `ready` is the initialisation of `wasm`, which must be done before the file's header can be
   * read.
   */
  constructor(
    files: Files,
    file: string,
    wasm: Pick<Wasm, "singleFileHead">,
    ready?: Promise<unknown>,
  ) {
    this.#files = files;
    this.#file = file;
    this.#wasm = wasm;
    this.#ready = ready;
  }

  async entry(traffic: Traffic): Promise<Uint8Array> {
    const span = { file: this.#file, start: 0, end: FIRST_BYTES };
    const [{ bytes, whole }] = await Promise.all([
      this.#files.mutable(`${this.#file}.head`, traffic, {}, span),
      this.#ready,
    ]);
    const [entry, start, end] = this.#wasm.singleFileHead(bytes) as unknown as [
      number,
      number,
      number,
    ];
    this.#head = bytes;
    this.#whole = whole;
    this.#manifest = [start, end];
    return bytes.slice(entry, start);
  }

  async manifest(path: string, traffic: Traffic, fresh: boolean): Promise<Uint8Array> {
    const [start, end] = this.#manifest;
    return end <= this.#head.length && !fresh
      ? this.#head.slice(start, end)
      : this.#part(path, { file: this.#file, start, end }, traffic, { fresh });
  }

  shard({ path, offset, length }: Wanted, traffic: Traffic, how: Getting): Promise<Uint8Array> {
    return this.#part(
      path,
      { file: this.#file, start: offset, end: offset + length },
      traffic,
      how,
    );
  }

  prune(paths: Set<string>, build: string): Promise<void> {
    return this.#files.prune((path) => path === `${this.#file}.head` || paths.has(path), build);
  }

  async #part(path: string, span: Span, traffic: Traffic, how: Getting): Promise<Uint8Array> {
    if (how.fresh) this.#whole = undefined;
    const bytes =
      this.#whole?.subarray(span.start, span.end) ??
      (await this.#files.immutable(path, traffic, how, span));
    if (bytes.length !== span.end - span.start) {
      throw new FindlingError("bundle", `${this.#file} ends before byte ${span.end}.`);
    }
    return bytes;
  }
}
