/** `pagefind-entry.json`: what the build says of the bundle to this module. */

/** The entry file. */
export interface Entry {
  /** The languages of the pages, with the number of pages of each. */
  languages: Record<string, { page_count: number }>;
}

/** Loads the entry file, past caches unless the site names its build with `metaCacheTag`. */
export async function loadEntry(bundle: string, cacheTag: string | undefined): Promise<Entry> {
  const url = `${bundle}pagefind-entry.json?ts=${encodeURIComponent(cacheTag ?? Date.now())}`;
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(`Expected a bundle built with --pagefind at ${bundle}: ${response.status}`);
  return (await response.json()) as Entry;
}

/** The language to search: the one asked for, its base, or the one of most pages. */
export function chosenLanguage({ languages }: Entry, wanted: string): string | undefined {
  const base = wanted.split("-")[0]!;
  if (wanted in languages) return wanted;
  if (base in languages) return base;
  const [most] = Object.entries(languages).sort((a, b) => b[1].page_count - a[1].page_count);
  return most?.[0];
}
