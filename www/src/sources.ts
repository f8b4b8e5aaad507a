/** From a bundle's address to its files: a directory on a web server, or everything in one file. */

import { singleFile } from "../wasm/engine/findling_engine";
import { FindlingError } from "./errors";
import { Files, type Traffic } from "./shards";

/** What [`Bundle`] needs of the place where a bundle lies. */
export type Source = Pick<Files, "immutable" | "mutable" | "prune">;

/** The files behind `url`. The WebAssembly module must be initialised for a single file to be taken apart. */
export async function openFiles(files: Files, file: string | undefined, ready: Promise<unknown>, traffic: Traffic): Promise<Source> {
  if (file === undefined) return files;
  const [bytes] = await Promise.all([files.mutable(file, traffic), ready]);
  return new SingleFile(bytes);
}

/** A bundle in one file, held in memory. */
class SingleFile implements Source {
  readonly #bytes: Uint8Array;
  readonly #parts: Record<string, [offset: number, length: number]>;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#parts = JSON.parse(singleFile(bytes)) as typeof this.#parts;
  }

  async immutable(path: string): Promise<Uint8Array> {
    const part = this.#parts[path];
    if (!part) throw new FindlingError("not-found", `${path} is not in the single file.`);
    return this.#bytes.subarray(part[0], part[0] + part[1]);
  }

  mutable(path: string): Promise<Uint8Array> {
    return this.immutable(path);
  }

  async prune(): Promise<void> {}
}
