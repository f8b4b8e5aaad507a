import type { Correction } from "./engine-types";

/** A query as the engine took it to be meant: with its corrections. */
export function meant(query: string, corrections: readonly Correction[]): string {
  return corrections.reduce((text, { word, replacement }) => text.replaceAll(word, replacement), query);
}
