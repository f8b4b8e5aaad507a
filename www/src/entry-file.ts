/** The entry file of a bundle in a directory (`docs/format.md`). */

import { hex, uint32 } from "./bytes";

export const ENTRY_FILE = "findling.idx";

/** Bytes of an entry file. */
export const ENTRY_LEN = 48;

/** The length of the manifest that an entry file names. */
export const manifestLength = (entry: Uint8Array) => uint32(entry, 12);

/** The path of the file with the manifest that an entry file names. */
export const manifestPath = (entry: Uint8Array) => shardPath(entry.subarray(16, 32));

/** The path of a shard, which its hash names. */
export const shardPath = (hash: Uint8Array) => `shards/${hex(hash)}.bin`;
