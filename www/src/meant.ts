import type { Correction } from "./engine-types";

/**
 * A query as the engine took it to be meant: with its corrections, each in place of the whole word.
 */
export function meant(query: string, corrections: readonly Correction[]): string {
  return corrections.reduce((text, { word, replacement }) => {
    const literal = word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    return text.replace(
      new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "gu"),
      () => replacement,
    );
  }, query);
}
