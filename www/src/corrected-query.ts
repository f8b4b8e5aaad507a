/** Corrections of misspelt words, as the host handles them. */

import type { Correction, Response } from "./engine-types";

/** The corrections in an answer's JSON. Without any, the JSON is not parsed. */
export function correctionsIn(json: string): Correction[] {
  return json.includes('"corrections":[{') ? (JSON.parse(json) as Response).corrections : [];
}

/** The query with each corrected word replaced. Only whole words are replaced. */
export function applyCorrections(query: string, corrections: readonly Correction[]): string {
  return corrections.reduce((text, { word, replacement }) => {
    const literal = word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    return text.replace(
      new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "gu"),
      () => replacement,
    );
  }, query);
}
