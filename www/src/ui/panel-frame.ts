/** The parts of a search panel, in their places. */

import { CROSS, h, icon, MAGNIFIER } from "./dom";
import type { Labels } from "./labels";
import { clearButton } from "./search-box";

/** The elements that the panel fills. */
export interface PanelParts {
  input: HTMLInputElement;
  close: HTMLElement;
  /** The switch between parts of the site, if there is one. */
  scope: HTMLElement | undefined;
  filters: HTMLElement;
  /** The part that scrolls: results, or a message instead of them. */
  scroll: HTMLElement;
  notices: HTMLElement;
  /** The summary: the number of found pages. */
  summary: HTMLElement;
  /** The elements beside the summary. */
  foot: HTMLElement[];
  /** The text for screen readers. */
  status: HTMLElement;
}

/** The element of a panel. */
export function assemble(labels: Labels, parts: PanelParts): HTMLElement {
  const key = (keys: string[], label: string) =>
    h("span", {}, ...keys.map((name) => h("kbd", {}, name)), label);
  const keys = h(
    "span",
    { class: "keys", "aria-hidden": "true" },
    key(["\u2191", "\u2193"], labels.move),
    key(["\u21B5"], labels.select),
  );
  const bar = h("div", { class: "bar" }, icon(MAGNIFIER, 20), parts.input);
  bar.append(clearButton(parts.input, labels.clearText));
  bar.append(...(parts.scope ? [parts.scope] : []), parts.close, h("div", { class: "busy" }));
  return h(
    "div",
    { class: "panel", part: "panel", role: "search", "aria-label": labels.search },
    bar,
    parts.filters,
    parts.scroll,
    parts.notices,
    h("div", { class: "foot" }, parts.summary, ...parts.foot, keys),
    parts.status,
  );
}

/** The button that closes the search. */
export const closeButton = (labels: Labels): HTMLButtonElement =>
  h(
    "button",
    { type: "button", class: "close" },
    h("span", { class: "sr" }, `${labels.close} `),
    h("kbd", {}, "Esc"),
    icon(CROSS),
  );

/** Shows after an element how much of something has loaded; without a label, shows nothing. */
export function showMeter(behind: HTMLElement, label: string | undefined, share?: number): void {
  const old = behind.parentElement?.querySelector<HTMLElement>(".loading");
  if (label === undefined) {
    old?.remove();
    return;
  }
  const bar = old?.querySelector("i") ?? h("i");
  if (share !== undefined || !old) bar.style.transform = `scaleX(${share ?? 0})`;
  if (!old)
    behind.after(h("span", { class: "loading" }, label, h("span", { class: "meter" }, bar)));
}
