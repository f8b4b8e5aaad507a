/**
 * `pagefind.js`: Pagefind's JavaScript API over a bundle of Findling, for sites and user interfaces
 * that were written for Pagefind. `findling build SITE --pagefind` writes it beside the bundle.
 */

import { PagefindApi } from "./pagefind-api";
import type { FilterCounts, PagefindAnswer, PagefindOptions, PagefindSearchOptions } from "./types";

export type * from "./types";

/** A separate bundle, independent of the module's functions. */
export interface PagefindInstance {
  init(): Promise<void>;
  options(options: PagefindOptions): Promise<void>;
  mergeIndex(path: string, options?: PagefindOptions): Promise<void>;
  filters(): Promise<FilterCounts>;
  preload(term: string | null, options?: PagefindSearchOptions): Promise<void>;
  search(term: string | null, options?: PagefindSearchOptions): Promise<PagefindAnswer>;
  debouncedSearch(
    term: string | null,
    options?: PagefindSearchOptions,
    debounceTimeoutMs?: number,
  ): Promise<PagefindAnswer | null>;
  destroy(): Promise<void>;
}

/** The instance of the module's functions, made by the first call that needs it. */
let instance: PagefindApi | undefined;
/** Options that were set before there is an instance. */
let initial: PagefindOptions = {};

function create(options: PagefindOptions): PagefindApi {
  const language = (document.documentElement.lang || "unknown").toLowerCase();
  // In an application's bundle the script has no address of its own.
  const script = import.meta.url as string | undefined;
  return new PagefindApi(script ?? new URL("/pagefind/", document.baseURI).href, language, options);
}

function current(): PagefindApi {
  instance ??= create(initial);
  return instance;
}

/** A separate instance, for several searches on one page. */
export function createInstance(options: PagefindOptions = {}): PagefindInstance {
  return create(options);
}

/** Opens the bundle. Searches also open it. */
export async function init(): Promise<void> {
  await current().init();
}

/** Sets options. Options for opening the bundle must be set before it is opened. */
export async function options(changed: PagefindOptions): Promise<void> {
  if (instance) await instance.options(changed);
  else initial = { ...initial, ...changed };
}

/** Adds another bundle to all later searches. */
export async function mergeIndex(path: string, mergeOptions?: PagefindOptions): Promise<void> {
  await current().mergeIndex(path, mergeOptions);
}

/** Searches. `null` as the term lists all pages that pass the filters. */
export async function search(
  term: string | null,
  searchOptions?: PagefindSearchOptions,
): Promise<PagefindAnswer> {
  return current().search(term, searchOptions);
}

/** Searches unless another debounced search follows in time; then resolves to `null`. */
export async function debouncedSearch(
  term: string | null,
  searchOptions?: PagefindSearchOptions,
  debounceTimeoutMs?: number,
): Promise<PagefindAnswer | null> {
  return current().debouncedSearch(term, searchOptions, debounceTimeoutMs);
}

/** Loads what a search for the term would need. */
export async function preload(term: string | null): Promise<void> {
  await current().preload(term);
}

/** All filters with their values and the number of pages of each. */
export async function filters(): Promise<FilterCounts> {
  return current().filters();
}

/** Ends the search worker and forgets all options. */
export async function destroy(): Promise<void> {
  await instance?.destroy();
  instance = undefined;
  initial = {};
}
