/** `pagefind-entry.json`: the build's description of the bundle for this module. */

/** The version of Pagefind whose API this is; a build's entry file names the same one. */
const VERSION = "1.6.0";

/** The entry file. */
export interface Entry {
  version: string;
  /**
   * The languages of the pages, with the number of pages of each and the name of its engine.
   * Without a name it is the engine for all other languages.
   */
  languages: Record<string, { page_count: number; wasm?: string | null }>;
  /** The mean number of words of a page. */
  mean_words?: number;
}

/** Loads the entry file, past caches unless the site names its build with `metaCacheTag`. */
export async function loadEntry(bundle: string, cacheTag: string | undefined): Promise<Entry> {
  const url = `${bundle}pagefind-entry.json?ts=${encodeURIComponent(cacheTag ?? Date.now())}`;
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(`Expected a bundle built with --pagefind at ${bundle}: ${response.status}`);
  const entry = (await response.json()) as Entry;
  if (entry.version !== VERSION) {
    const both = `pagefind_version=${VERSION} in pagefind.js, ${entry.version} in its bundle`;
    console.warn(`${both}: deploy all files of a build together.`);
  }
  return entry;
}

/** The language to search: the requested one, its base language, or the language of most pages. */
export function chosenLanguage({ languages }: Entry, wanted: string): string | undefined {
  const base = wanted.split("-")[0]!;
  if (wanted in languages) return wanted;
  if (base in languages) return base;
  const [most] = Object.entries(languages).sort((a, b) => b[1].page_count - a[1].page_count);
  return most?.[0];
}
