/** Links to the other pages of results. */

import { fill, h } from "../common";
import type { Locale } from "../locale";

/** Numbers that are shown on either side of the current one. */
const AROUND = 2;

/** The numbers to show; `0` stands for omitted ones. */
function numbers(page: number, last: number): number[] {
  const shown: number[] = [];
  for (let n = 1; n <= last; n++) {
    if (n === 1 || n === last || Math.abs(n - page) <= AROUND) shown.push(n);
    else if (shown.at(-1) !== 0) shown.push(0);
  }
  return shown;
}

/** The links. `addressOf` gives the address of a page of results, `go` shows it. */
export function pagination(
  page: number,
  last: number,
  labels: Locale,
  addressOf: (page: number) => string,
  go: (page: number, event: MouseEvent) => void,
): HTMLElement[] {
  if (last < 2) return [];
  const link = (to: number, text: string, name: string) => {
    const element = h("a", { href: addressOf(to), "aria-label": name }, text);
    if (to === page) element.ariaCurrent = "page";
    element.addEventListener("click", (event) => go(to, event));
    return h("li", {}, element);
  };
  const items = numbers(page, last).map((n) => {
    if (n === 0) return h("li", { "aria-hidden": "true" }, "\u2026");
    const text = n.toLocaleString(labels.language);
    return link(n, text, fill(labels.pageNumber, { n: text }));
  });
  if (page > 1) items.unshift(link(page - 1, "\u2039", labels.previous));
  if (page < last) items.push(link(page + 1, "\u203A", labels.next));
  return [h("ul", {}, ...items)];
}
