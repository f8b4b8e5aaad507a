/**
 * Whether a page is light or dark, by the colour behind its text. Generators mark it in many ways
 * (a class, an attribute of `<html>` or `<body>`, the reader's setting), but all of them set the
 * colour.
 */

/**
 * Calls `apply` with the page's theme, now and whenever it changes. Returns a function that ends
 * this.
 */
export function followPage(apply: (theme: "light" | "dark") => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const look = () => apply(pageTheme());
  const observer = new MutationObserver(look);
  for (const element of [document.documentElement, document.body])
    observer.observe(element, { attributes: true });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", look, { signal });
  // With a transition, the final colour is only known at the end. Style sheets may load after this
  // script.
  document.addEventListener("transitionend", look, { signal });
  window.addEventListener("load", look, { signal });
  look();
  return () => {
    observer.disconnect();
    controller.abort();
  };
}

function pageTheme(): "light" | "dark" {
  for (const element of [document.body, document.documentElement]) {
    const lightness = backgroundLightness(getComputedStyle(element).backgroundColor);
    if (lightness !== undefined) return lightness < 0.5 ? "dark" : "light";
  }
  // A page without a background has the browser's background.
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme === "dark" || (dark && /dark/.test(scheme)) ? "dark" : "light";
}

/**
 * The lightness of a computed colour, 0 to 1; `undefined` if the colour is transparent. Browsers
 * compute most colours to `rgb()`, but keep `color()` and colour spaces that have a lightness.
 */
function backgroundLightness(color: string): number | undefined {
  const [, space, body] = /^(\w+)\((.*)\)$/.exec(color) ?? [];
  if (space === undefined || body === undefined) return undefined;
  const [channels, slashed] = body.replace(/^(srgb|srgb-linear|display-p3) /, "").split("/");
  const numbers = (channels ?? "").split(/[\s,]+/).map(Number.parseFloat);
  const [first = 0, second = 0, third = 0] = numbers;
  if (Number.parseFloat(slashed ?? String(numbers[3] ?? 1)) < 0.5) return undefined;
  if (space.startsWith("ok")) return first;
  if (space.startsWith("l")) return first / 100;
  const scale = space.startsWith("rgb") ? 255 : 1;
  return (0.299 * first + 0.587 * second + 0.114 * third) / scale;
}
