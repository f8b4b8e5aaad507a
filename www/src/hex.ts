/** A byte as two hex digits. */
export const hexOfByte = (byte: number) => byte.toString(16).padStart(2, "0");
