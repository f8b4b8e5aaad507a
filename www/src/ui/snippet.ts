/** Snippets as DOM nodes: text, with what matched marked and what is code set as code. */

import type { Snippet } from "../engine-types";
import { h } from "./dom";

/** The stretches between all borders of both kinds of range, each with what it is. */
export function stretches({
  text,
  ranges,
  code,
}: Snippet): { text: string; mark: boolean; code: boolean }[] {
  const borders = new Set([0, text.length]);
  for (const [start, end] of [...ranges, ...code]) borders.add(clamp(start)).add(clamp(end));
  function clamp(at: number): number {
    return Math.max(0, Math.min(text.length, at));
  }
  const sorted = [...borders].sort((a, b) => a - b);
  const within = (spans: [number, number][], at: number) =>
    spans.some(([start, end]) => start <= at && at < end);
  return sorted.slice(0, -1).map((start, i) => ({
    text: text.slice(start, sorted[i + 1]),
    mark: within(ranges, start),
    code: within(code, start),
  }));
}

/** A snippet's nodes. */
export function snippetNodes(snippet: Snippet): (Node | string)[] {
  const nodes = stretches(snippet).map(({ text, mark, code }) => {
    const inner = code ? h("code", {}, text) : text;
    return mark ? h("mark", {}, inner) : inner;
  });
  return [snippet.cutStart ? "\u2026 " : "", ...nodes, snippet.cutEnd ? " \u2026" : ""].filter(
    (node) => node !== "",
  );
}
