/** Reads bytes. */

/** Bytes as hex digits, two for each. */
export const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The little-endian number in the four bytes from `at`. */
export const uint32 = ({ buffer, byteOffset, byteLength }: Uint8Array, at: number) =>
  new DataView(buffer, byteOffset, byteLength).getUint32(at, true);
