const SINGLE_FILE = /\.findling$/;

/**
 * Splits a bundle's address into its directory and, for a single-file bundle (`*.findling`), the
 * file's name.
 */
export function parseBundleAddress(url: URL): { base: URL; file: string | undefined } {
  if (SINGLE_FILE.test(url.pathname)) {
    return {
      base: new URL(".", url),
      file: url.pathname.slice(url.pathname.lastIndexOf("/") + 1) + url.search,
    };
  }
  return {
    base: url.pathname.endsWith("/")
      ? new URL(url.pathname, url)
      : new URL(`${url.pathname}/`, url),
    file: undefined,
  };
}
