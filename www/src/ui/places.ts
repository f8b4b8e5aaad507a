/** The places of pages on their site, for pages that share their title with another. */

import type { PageResult } from "../types";

/** Endings of addresses that say nothing about a page. */
const ENDING = /(^|\/)index\.\w+$|\.(html?|php|aspx?|md)$/i;

/** The titles that several of these pages have. */
export function repeatedTitles(pages: Iterable<PageResult>): Set<string> {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  for (const page of pages) {
    const title = titleOf(page);
    if (seen.has(title)) repeated.add(title);
    seen.add(title);
  }
  return repeated;
}

/** The place of a page whose title is among these; `undefined` for another. */
export function placeOf(page: PageResult, repeated: ReadonlySet<string>): string[] | undefined {
  return repeated.has(titleOf(page)) ? segments(page) : undefined;
}

const titleOf = ({ title, url }: PageResult) => (title || url).trim().toLowerCase();

/** The parts of a page's address. */
function segments({ href, url }: PageResult): string[] {
  let address: URL;
  try {
    address = new URL(href ?? url, location.href);
  } catch {
    return [url];
  }
  const host = address.host === location.host ? [] : [address.host];
  const path = `${address.pathname.replace(ENDING, "$1")}${address.search}`;
  const parts = path.split("/").filter((part) => part !== "");
  return [...host, ...(parts.length > 0 ? parts.map(decoded) : ["/"])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
