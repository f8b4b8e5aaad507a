/** Text of collections as DOM nodes. It is never parsed as markup. */

import { h } from "../ui/dom";
import type { Block, Piece } from "./answers";
import { texts } from "./language";

const KINDS = ["code", "keyword", "string", "number", "comment"];

/** The nodes of pieces: marks, and spans of a kind. */
export function nodesOf(pieces: Piece[]): (Node | string)[] {
  return pieces.map(({ text, kind, marked }) => {
    const inner =
      kind === "code"
        ? h("code", { dir: "auto" }, text)
        : kind !== undefined && KINDS.includes(kind)
          ? h("span", { class: kind }, text)
          : text;
    return marked ? h("mark", {}, inner) : inner;
  });
}

/** The text of pieces. */
export const textOf = (pieces: Piece[]): string => pieces.map(({ text }) => text).join("");

/** A paragraph, or a block of code that the keyboard can scroll. */
export function blockOf({ code, pieces }: Block): HTMLElement {
  if (!code) return h("p", { dir: "auto" }, ...nodesOf(pieces));
  const inner = h("code", {}, ...nodesOf(pieces));
  return h("pre", { tabindex: 0, dir: "ltr", role: "group", "aria-label": texts().code }, inner);
}

/** A text in which code replaces a name in braces. */
export const withCode = (text: string, code: string): (Node | string)[] =>
  text
    .split(/\{\w+\}/)
    .flatMap((part, i) => (i > 0 ? [h("code", { dir: "ltr" }, code), part] : [part]));
