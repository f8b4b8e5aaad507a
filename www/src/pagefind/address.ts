/** Addresses of bundles and of results. */

/** The directory of the bundle by the address of `pagefind.js`, without the page's own origin. */
export function bundlePath(script: string, given?: string): string {
  const path = given ?? script.match(/^(.*\/)pagefind\.js.*$/)?.[1] ?? "/pagefind/";
  const slashed = path.endsWith("/") ? path : `${path}/`;
  const { origin } = location;
  return slashed.startsWith(`${origin}/`) ? slashed.slice(origin.length) : slashed;
}

/** Returns the beginning of results' addresses: the parent of the bundle's directory. */
export function defaultBaseUrl(bundle: string): string {
  return bundle.match(/^(.*\/)_?pagefind/)?.[1] ?? "/";
}

/** A result's address: the base followed by `raw`, with the searched words if requested. */
export function resultUrl(
  raw: string,
  base: string,
  highlightParam: string | undefined,
  words: readonly string[],
): string {
  const url = isAbsolute(raw)
    ? raw
    : `${base}/${raw}`.replace(/\/+/g, "/").replace(/^(https?:\/)/, "$1/");
  if (highlightParam === undefined) return url;
  return edited(url, (parsed) => {
    for (const word of words) parsed.searchParams.append(highlightParam, word);
  });
}

/** The address of an element of a page. */
export function anchorUrl(page: string, id: string): string {
  const url = isAbsolute(page) || page.startsWith("/") ? page : `/${page}`;
  return edited(url, (parsed) => {
    parsed.hash = id;
  });
}

function isAbsolute(url: string): boolean {
  return /^(https?:)?\/\//.test(url);
}

/** A placeholder origin for addresses that have none; it is removed again. */
const NO_ORIGIN = "https://pagefind.invalid";

function edited(url: string, edit: (parsed: URL) => void): string {
  if (!URL.canParse(url, NO_ORIGIN)) return url;
  const parsed = new URL(url, NO_ORIGIN);
  edit(parsed);
  return parsed.origin === NO_ORIGIN ? parsed.href.slice(NO_ORIGIN.length) : parsed.href;
}
