/** The parts of a bundle's address. */
export interface BundleAddress {
  /** The bundle's directory, or the directory of its file. */
  base: URL;
  /** The file's name, for a bundle in a single file (`*.findling`). */
  file: string | undefined;
  /** Base of relative page addresses: the directory that the bundle is in. */
  site: URL;
}

/**
 * The root of the site that a page and the bundle in the directory `site` belong to, as far as both
 * addresses show: `/project/` for `/project/guide/` and `/project/`. A bundle on another origin
 * does not show it.
 */
export function rootOf(site: URL): URL {
  const [here, other] = [globalThis.location?.href, site.pathname];
  const page = here === undefined ? undefined : new URL(here);
  if (page?.origin !== site.origin || page.protocol !== site.protocol) return new URL("/", site);
  let end = 0;
  for (let i = 0; i < other.length && page.pathname[i] === other[i]; i++)
    if (other[i] === "/") end = i + 1;
  return new URL(other.slice(0, end), site);
}

/** Splits the address of a bundle. */
export function parseBundleAddress(url: URL): BundleAddress {
  const path = url.pathname;
  if (path.endsWith(".findling")) {
    const base = new URL(".", url);
    return { base, file: path.slice(path.lastIndexOf("/") + 1) + url.search, site: base };
  }
  const base = new URL(path.replace(/\/?$/, "/"), url);
  return { base, file: undefined, site: new URL("..", base) };
}
