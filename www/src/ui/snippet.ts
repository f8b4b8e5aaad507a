/** Snippets as DOM nodes: matches are marked, code is set as code. */

import type { Snippet } from "../engine-types";
import { h } from "./dom";

interface Piece {
  text: string;
  mark: boolean;
  code: boolean;
}

/** The snippet's text, cut at every border of a match or of code. */
export function pieces({ text, ranges, code }: Snippet): Piece[] {
  const clamp = (at: number) => Math.max(0, Math.min(text.length, at));
  const borders = new Set([0, text.length]);
  for (const [start, end] of [...ranges, ...code]) borders.add(clamp(start)).add(clamp(end));
  const sorted = [...borders].sort((a, b) => a - b);
  const within = (spans: [number, number][], at: number) =>
    spans.some(([start, end]) => start <= at && at < end);
  return sorted.slice(0, -1).map((start, i) => ({
    text: text.slice(start, sorted[i + 1]),
    mark: within(ranges, start),
    code: within(code, start),
  }));
}

/** The nodes of a snippet. */
export function snippetNodes(snippet: Snippet): (Node | string)[] {
  const nodes = pieces(snippet).map(({ text, mark, code }) => {
    const inner = code ? h("code", {}, text) : text;
    return mark ? h("mark", {}, inner) : inner;
  });
  // The last mark is never alone on a line.
  if (snippet.cutStart) nodes.unshift("\u2026 ");
  if (snippet.cutEnd) nodes.push("\u00A0\u2026");
  return nodes;
}
