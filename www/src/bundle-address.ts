/** The parts of a bundle's address. */
export interface BundleAddress {
  /** The bundle's directory, or the directory of its file. */
  base: URL;
  /** The file's name, of a bundle in a single file (`*.findling`). */
  file: string | undefined;
  /** Base of relative page addresses: the directory that the bundle is in. */
  site: URL;
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
