/** Building DOM without ever parsing text as markup. */

type Attributes = Record<string, string | number | boolean | null | undefined>;

/** An element with attributes and children; strings become text nodes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** A line icon on a 20 by 20 grid. */
export function icon(path: string, size = 18): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of [
    ["viewBox", "0 0 20 20"],
    ["width", size],
    ["height", size],
    ["aria-hidden", "true"],
  ] as const) {
    svg.setAttribute(name, String(value));
  }
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const MAGNIFIER = "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm4.3-1.7L17 17";
export const CROSS = "M5 5l10 10M15 5 5 15";
