/** How a bundle's address is read. */

const SINGLE_FILE = /\.findling$/;

/** Splits an address into the directory and, for a bundle in one file, the file's name. */
export function locate(url: URL): { base: URL; file: string | undefined } {
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
