/** The entry file of a bundle in a directory (`docs/format.md`). */

import { hex, uint32 } from "./bytes";

export const ENTRY_FILE = "findling.idx";

/** Bytes of an entry. The file is longer if the bundle is in packs. */
export const ENTRY_LEN = 48;

/** Bytes of the entry file of a bundle in packs. */
const PACKED_LEN = 72;

/** Whether a file can be an entry file. */
export const isEntryFile = ({ length }: Uint8Array) =>
  length === ENTRY_LEN || length === PACKED_LEN;

/** The length of the manifest that an entry file names. */
export const manifestLength = (entry: Uint8Array) => uint32(entry, 12);

/** The path of the file with the manifest that an entry file names. */
export const openingPath = (entry: Uint8Array) =>
  shardPath(entry.length === PACKED_LEN ? entry.subarray(52, 68) : entry.subarray(16, 32));

/** The path of a shard, given by its hash. */
export const shardPath = (hash: Uint8Array) => `shards/${hex(hash)}.bin`;
