/** Pages as the build wrote them, and the results that a search makes from them. */

import { anchorUrl, resultUrl } from "./address";
import { escaped, excerptOf } from "./excerpt";
import type {
  Anchor,
  PagefindFragment,
  StoredFragment,
  SubResult,
  WeightedLocation,
} from "./types";
import type { Terms } from "./words";

/** Options for showing results. */
export interface Presentation {
  baseUrl: string;
  highlightParam: string | undefined;
  excerptLength: number;
  ellipsis: string;
}

/** The directory of fragments, below the bundle's. */
const DIRECTORY = "pagefind-fragment";

/** Loads fragments, each once. */
export class FragmentStore {
  readonly #bundle: string;
  readonly #loaded = new Map<string, Promise<StoredFragment>>();

  constructor(bundle: string) {
    this.#bundle = bundle;
  }

  load(id: string): Promise<StoredFragment> {
    let loading = this.#loaded.get(id);
    if (!loading) {
      loading = this.#fetch(id);
      this.#loaded.set(id, loading);
      // A fragment that could not be loaded is fetched again the next time.
      loading.catch(() => this.#loaded.delete(id));
    }
    return loading;
  }

  async #fetch(id: string): Promise<StoredFragment> {
    const url = `${this.#bundle}${DIRECTORY}/${encodeURIComponent(id)}.json`;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`Expected a page's content at ${url}: ${response.status}`);
    return (await response.json()) as StoredFragment;
  }
}

/** A page as a search shows it: `terms` are the looked-up words, `words` the typed words. */
export function present(
  stored: StoredFragment,
  terms: Terms,
  words: readonly string[],
  shown: Presentation,
): PagefindFragment {
  const { weights: _, ...rest } = structuredClone(stored);
  const found = terms.locate(stored);
  const rawContent = escaped(stored.content);
  const url = resultUrl(stored.url, shown.baseUrl, shown.highlightParam, words);
  return {
    ...rest,
    raw_url: stored.url,
    url,
    raw_content: rawContent,
    content: stored.content.replaceAll("\u200B", ""),
    weighted_locations: found,
    locations: found.map(({ location }) => location),
    ...excerptOf(rawContent, found, shown.excerptLength, shown.ellipsis),
    sub_results: subResults(stored, rawContent, url, found, shown),
  };
}

/** The parts of a page that have words of the query, in the order of the page. */
function subResults(
  { anchors, meta }: StoredFragment,
  content: string,
  pageUrl: string,
  found: readonly WeightedLocation[],
  shown: Presentation,
): SubResult[] {
  const url = meta["url"] ?? pageUrl;
  const parts = anchors.filter(beginsPart).sort((a, b) => a.location - b.location);
  const results: SubResult[] = [];
  for (let at = -1; at < parts.length; at += 1) {
    const anchor = parts[at];
    const range = {
      from: anchor?.location ?? 0,
      to: parts[at + 1]?.location ?? Number.POSITIVE_INFINITY,
    };
    const inside = found.filter(({ location }) => range.from <= location && location < range.to);
    if (inside.length === 0) continue;
    results.push({
      title: anchor ? anchor.title || anchor.text : (meta["title"] ?? ""),
      url: anchor ? anchorUrl(url, anchor.id) : url,
      ...(anchor && { anchor }),
      weighted_locations: inside,
      locations: inside.map(({ location }) => location),
      ...excerptOf(content, inside, shown.excerptLength, shown.ellipsis, range),
    });
  }
  return results;
}

/** Headings, and elements with a title of their own, begin a part of a page. */
function beginsPart({ element, text, title }: Anchor): boolean {
  return /\S/.test(title ?? "") || (/^h\d$/i.test(element) && /\S/.test(text));
}
