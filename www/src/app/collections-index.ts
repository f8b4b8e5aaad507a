/** All collections as one index, which the search box and the page of results search. */

import type { FindlingIndex } from "../client";
import { EMPTY_SNIPPET } from "../empty-snippet";
import type { Description, PageResult, SearchOptions, SearchResponse } from "../types";
import type { Cards, Found } from "./answers";
import { ask } from "./api";

/** The attribute that is a page's collection. */
export const COLLECTION = "collection";

/** Dispatched on the window with the names of collections that could not be searched. */
export const FAILED = "findling-failed";

/** The part of an index that the elements use. */
type Used = Pick<
  FindlingIndex,
  "info" | "semantic" | "encoderBytes" | "search" | "ready" | "resolve" | "close" | "on"
>;

/** Opens the collections. The elements use only these parts of an index. */
export async function openCollections(): Promise<FindlingIndex> {
  const { collections } = await ask<Cards>("collections", {});
  return new CollectionsIndex(description(collections)) as Used as FindlingIndex;
}

class CollectionsIndex implements Used {
  readonly info: Description;
  /** The server has loaded what it needs. */
  readonly semantic = "ready";
  readonly encoderBytes = 0;

  constructor(info: Description) {
    this.info = info;
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchResponse> {
    const start = performance.now();
    // The server does not use the others.
    const {
      signal,
      onWords: _,
      onUpgrade: __,
      ahead: ___,
      fusion: ____,
      vector: _____,
      postFilter,
      ...request
    } = options;
    // Each collection filters before it counts.
    const filtered = postFilter && { filter: postFilter, facetsInstead: true };
    const asked = { ...request, ...filtered, query };
    const { failed, ...found } = await ask<Found>("search", asked, signal);
    dispatchEvent(new CustomEvent(FAILED, { detail: failed }));
    return {
      ...found,
      results: found.results.map(withAddresses),
      stats: {
        bytesFetched: 0,
        requests: 1,
        cacheHits: 0,
        residentBytes: 0,
        recoveries: 0,
        encoder: found.encoder,
        ms: { total: performance.now() - start, encode: 0, fetch: 0, engine: 0 },
      },
    };
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  resolve(url: string): string | null {
    if (!URL.canParse(url, location.href)) return null;
    const address = new URL(url, location.href);
    return /^https?:$/.test(address.protocol) ? address.href : null;
  }

  close(): void {}

  on(): () => void {
    return () => {};
  }
}

/** A page with absolute addresses, like the pages of a bundle. */
function withAddresses(page: PageResult): PageResult {
  const absolute = (href: string | null) => href && new URL(href, location.href).href;
  return {
    ...page,
    href: absolute(page.href),
    snippet: page.sections[0]?.snippet ?? EMPTY_SNIPPET,
    sections: page.sections.map((section) => ({ ...section, href: absolute(section.href) })),
  };
}

/**
 * The collections as one bundle: all their attributes, with the attribute for the collection first.
 */
function description(cards: Cards["collections"]): Description {
  const attributes = new Map<string, Description["attributes"][number]>();
  attributes.set(COLLECTION, { name: COLLECTION, kind: "string", facet: true, of: "pages" });
  for (const attribute of cards.flatMap((card) => card.attributes)) {
    const known = attributes.get(attribute.name);
    if (!known) attributes.set(attribute.name, attribute);
    else if (attribute.facet) attributes.set(attribute.name, { ...known, facet: true });
  }
  const sum = (count: (card: Cards["collections"][number]) => number | undefined) =>
    cards.reduce((all, card) => all + (count(card) ?? 0), 0);
  return {
    generator: "findling",
    languages: [...new Set(cards.flatMap((card) => card.languages))],
    pages: sum((card) => card.pages),
    sections: sum((card) => card.sections),
    attributes: [...attributes.values()],
    dense: null,
  };
}
