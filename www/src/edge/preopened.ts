/** The directories that a WASI host has opened for the component, as a store of bundles. */

import { getDirectories } from "wasi:filesystem/preopens@0.2.10";
import type { Descriptor } from "wasi:filesystem/types@0.2.10";
import { FindlingError } from "../errors";
import { type FileStore, missing, part, rangeOf } from "./store";

/** WASI's errors for a missing file. */
const NOT_THERE: ReadonlySet<unknown> = new Set(["no-entry", "not-directory", "is-directory"]);

/** A store that reads files from the directories that the host has opened. */
export function preopenedStore(): FileStore {
  const directories = getDirectories().map(([directory, name]) => ({
    directory,
    prefix: prefixOf(name),
  }));
  // The longest prefix is tried first.
  directories.sort((a, b) => b.prefix.length - a.prefix.length);
  return async (url, init) => {
    const path = decodeURIComponent(new URL(url).pathname);
    const found = directories.find(({ prefix }) => path.startsWith(prefix));
    if (!found) throw noDirectory(path, directories);
    const file = opened(found.directory, path.slice(found.prefix.length));
    if (!file) return missing();
    try {
      const { type, size } = file.stat();
      if (type === "directory") return missing();
      const length = Number(size);
      const range = rangeOf(init);
      if (!range) return new Response(bytesOf(file, 0, length));
      const end = Math.min(range.end, length);
      return part(bytesOf(file, range.start, end), { start: range.start, end }, length);
    } finally {
      file[Symbol.dispose]();
    }
  };
}

/** The beginning of the paths in a directory: `/` for `.` and `/`, `/public/` for `public`. */
function prefixOf(name: string): string {
  const names = name.split("/").filter((part) => part !== "" && part !== ".");
  return names.length === 0 ? "/" : `/${names.join("/")}/`;
}

function opened(directory: Descriptor, path: string): Descriptor | undefined {
  try {
    return directory.openAt({ symlinkFollow: true }, path, {}, { read: true });
  } catch (thrown) {
    if (NOT_THERE.has((thrown as { payload?: unknown }).payload)) return undefined;
    throw thrown;
  }
}

/** A part of a file. A host may read less at once than requested. */
function bytesOf(file: Descriptor, start: number, end: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(0, end - start));
  for (let at = 0; at < bytes.length; ) {
    const [read] = file.read(BigInt(bytes.length - at), BigInt(start + at));
    if (read.length === 0)
      throw new FindlingError("network", `the file has ended at byte ${start + at} of ${end}`);
    bytes.set(read, at);
    at += read.length;
  }
  return bytes;
}

function noDirectory(path: string, directories: readonly { prefix: string }[]): FindlingError {
  const known = directories.map(({ prefix }) => prefix).join(", ") || "none";
  return new FindlingError(
    "not-found",
    `${path} is in no directory of the host: expected one with the bundle in it, found ${known}. ` +
      "Start the host with the directory (wasmtime serve -S cli --dir public::/), or set " +
      "FINDLING_BUNDLE to the address of a bundle on the web",
  );
}
