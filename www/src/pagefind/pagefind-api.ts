/** Several bundles searched as one. */

import { Instance } from "./instance";
import type { FilterCounts, PagefindAnswer, PagefindOptions, PagefindSearchOptions } from "./types";

const DEBOUNCE_MS = 300;

/** A bundle, and those merged into it. */
export class PagefindApi {
  readonly #script: string;
  readonly #language: string;
  readonly #instances: Instance[];
  readonly #noWorker: boolean;
  #lastSearch = 0;

  /** `script` is the address of this module, `language` the language of the page. */
  constructor(script: string, language: string, options: PagefindOptions) {
    this.#script = script;
    this.#language = options.language ?? language;
    this.#noWorker = options.noWorker ?? false;
    this.#instances = [new Instance(script, language, options)];
  }

  async init(): Promise<void> {
    await this.#primary.open();
  }

  async options(options: PagefindOptions): Promise<void> {
    this.#primary.options(options);
  }

  /** Adds the bundle at `path` to all later searches. */
  async mergeIndex(path: string, options: PagefindOptions = {}): Promise<void> {
    const noWorker = this.#noWorker;
    const merged = { noWorker, ...options, basePath: path };
    const instance = new Instance(this.#script, this.#language, merged);
    if (this.#instances.some((known) => known.path === instance.path)) {
      console.warn(`mergeIndex: ${instance.path} is searched already.`);
      return;
    }
    this.#instances.push(instance);
    await instance.open();
  }

  async filters(): Promise<FilterCounts> {
    return mergedCounts(await Promise.all(this.#instances.map((instance) => instance.filters())));
  }

  async preload(term: string | null): Promise<void> {
    await Promise.all(this.#instances.map((instance) => instance.preload(term)));
  }

  async search(term: string | null, options: PagefindSearchOptions = {}): Promise<PagefindAnswer> {
    const answers = await Promise.all(
      this.#instances.map((instance) => instance.search(term, options)),
    );
    const results = answers.flatMap((answer) => answer.results);
    // If results are sorted by an attribute, the results of one bundle are already in order.
    if (answers.length > 1) results.sort((a, b) => b.score - a.score);
    if (options.verbose) console.log(`Found ${results.length} results for ${term}`);
    return {
      results,
      unfilteredResultCount: answers.reduce((sum, answer) => sum + answer.unfilteredResultCount, 0),
      filters: mergedCounts(answers.map((answer) => answer.filters)),
      totalFilters: mergedCounts(answers.map((answer) => answer.totalFilters)),
      timings: answers.map((answer) => answer.timings),
      ...(options.verbose && {
        search_environment: this.#noWorker ? ("mainthread" as const) : ("webworker" as const),
      }),
    };
  }

  /** Searches unless another search follows within `ms`; then resolves to `null`. */
  async debouncedSearch(
    term: string | null,
    options?: PagefindSearchOptions,
    ms: number = DEBOUNCE_MS,
  ): Promise<PagefindAnswer | null> {
    this.#lastSearch += 1;
    const search = this.#lastSearch;
    this.preload(term).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (search !== this.#lastSearch) return null;
    const answer = await this.search(term, options);
    return search === this.#lastSearch ? answer : null;
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#instances.map((instance) => instance.destroy()));
  }

  get #primary(): Instance {
    return this.#instances[0]!;
  }
}

function mergedCounts(list: FilterCounts[]): FilterCounts {
  const merged: FilterCounts = {};
  for (const [name, values] of list.flatMap((counts) => Object.entries(counts))) {
    merged[name] ??= {};
    for (const [value, count] of Object.entries(values))
      merged[name][value] = (merged[name][value] ?? 0) + count;
  }
  return merged;
}
