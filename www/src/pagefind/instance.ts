/** One bundle: opened when it is first needed, searched by the engine. */

import type { FindlingIndex } from "../client";
import type { SearchOptions, SearchResponse } from "../types";
import { bundlePath, defaultBaseUrl } from "./address";
import { chosenLanguage, loadEntry } from "./entry";
import { both, type Condition, conditionOf, fixedValues } from "./filters";
import { FragmentStore } from "./fragment";
import { BATCH, resultList } from "./result-list";
import {
  type FilterCounts,
  type FilterNode,
  type PagefindOptions,
  type PagefindResult,
  type PagefindSearchOptions,
  type Timings,
  WITHOUT_EFFECT,
} from "./types";
import { queryWords, Terms } from "./words";

/** The attribute that holds a page's language, in bundles of several. */
const LANGUAGE = "pagefind-language";
/** The attribute that lists what a page can be sorted by. */
const SORTS = "pagefind-sorts";
/** In front of the name of an attribute to sort by: a filter may have the same name. */
const SORT_PREFIX = "sort:";

/** The answer of one bundle. */
export interface InstanceAnswer {
  results: PagefindResult[];
  unfilteredResultCount: number;
  filters: FilterCounts;
  totalFilters: FilterCounts;
  timings: Timings;
}

interface Opened {
  index: FindlingIndex;
  language: Condition;
  /** Names of the filters. */
  filters: Set<string>;
  sorts: Set<string>;
}

/** A bundle. */
export class Instance {
  readonly path: string;
  readonly #language: string;
  readonly #fragments: FragmentStore;
  #options: PagefindOptions;
  #opened: Promise<Opened> | undefined;
  #allCounts: Promise<FilterCounts> | undefined;

  /** `script` is the address of this module, `language` that of the page it is on. */
  constructor(script: string, language: string, options: PagefindOptions) {
    this.path = bundlePath(script, options.basePath);
    this.#language = options.language ?? language;
    this.#fragments = new FragmentStore(this.path);
    this.#options = {};
    this.options(options);
  }

  /** Changes options; those of opening a bundle have no effect on an open one. */
  options(options: PagefindOptions): void {
    for (const name of Object.keys(options)) {
      const reason = WITHOUT_EFFECT[name];
      if (reason !== undefined && !told.has(name)) {
        told.add(name);
        console.info(`The option ${name} has no effect: ${reason}.`);
      }
    }
    this.#options = { ...this.#options, ...options };
  }

  /** Opens the bundle. */
  open(): Promise<Opened> {
    this.#opened ??= this.#open().catch((thrown: unknown) => {
      this.#opened = undefined;
      throw thrown;
    });
    return this.#opened;
  }

  async #open(): Promise<Opened> {
    const { open } = await import("../client");
    // The engine beside a bundle has the languages of that bundle.
    const assets = new URL(this.path, location.href);
    const [entry, index] = await Promise.all([
      loadEntry(this.path, this.#options.metaCacheTag),
      open(this.path, { assets, worker: !this.#options.noWorker }),
    ]);
    const language = chosenLanguage(entry, this.#language);
    const names = index.info.attributes.map(({ name }) => name);
    return {
      index,
      language:
        names.includes(LANGUAGE) && language !== undefined
          ? { key: LANGUAGE, match: language }
          : true,
      filters: new Set(index.info.attributes.filter(({ facet }) => facet).map(({ name }) => name)),
      sorts: new Set(names.filter((name) => name.startsWith(SORT_PREFIX))),
    };
  }

  /** All filters with their values, counted over all pages. */
  filters(): Promise<FilterCounts> {
    this.#allCounts ??= this.#countAll().catch((thrown: unknown) => {
      this.#allCounts = undefined;
      throw thrown;
    });
    return this.#allCounts;
  }

  async #countAll(): Promise<FilterCounts> {
    const { index, language } = await this.open();
    const answer = await ask(index, "", language, { limit: 0 });
    return this.#counts(answer, {});
  }

  /** Loads what a search would need. */
  async preload(term: string | null): Promise<void> {
    const { index, language } = await this.open();
    if (term !== null && queryWords(term).length > 0)
      await ask(index, term, language, { limit: 0 });
  }

  async search(
    term: string | null,
    { filters: wanted, sort }: PagefindSearchOptions,
  ): Promise<InstanceAnswer> {
    const start = performance.now();
    const { index, language, filters, sorts } = await this.open();
    const opened = performance.now();
    const words = term === null ? [] : queryWords(term);
    const [by, direction] = Object.entries(sort ?? {})[0] ?? [];
    const sortable = by === undefined || sorts.has(SORT_PREFIX + by);
    // A query of punctuation alone finds nothing; no query at all finds every page.
    const all = term === null || words.length > 0 ? language : false;
    const sorted = by === undefined ? true : sortable && { key: SORTS, match: by };
    const every = both([all, sorted]);
    const condition = both([every, this.#condition(wanted, filters)]);
    const options: SearchOptions = {
      explain: true,
      ...(by !== undefined &&
        sortable && { sort: { by: SORT_PREFIX + by, descending: direction === "desc" } }),
    };
    const query = term ?? "";
    const run = (offset: number) =>
      ask(index, query, condition, { ...options, limit: BATCH, offset });
    const [answer, unfiltered, base] = await Promise.all([
      run(0),
      // Without filters of the reader's own, both counts are the same.
      condition === every ? undefined : ask(index, query, every, { limit: 0 }),
      filters.size > 0 ? this.filters() : {},
    ]);
    const total = performance.now();
    const counts = this.#counts(answer, base);
    return {
      results: resultList({
        first: answer.results,
        total: answer.total.pages,
        more: async (offset) => (await run(offset)).results,
        terms: new Terms(answer.plan?.terms ?? [], words),
        words,
        weight: this.#options.indexWeight ?? 1,
        shown: this.#presentation(),
        fragments: this.#fragments,
      }),
      unfilteredResultCount: (unfiltered ?? answer).total.pages,
      filters: counts,
      totalFilters: unfiltered ? this.#counts(unfiltered, base) : counts,
      timings: { preload: opened - start, search: total - opened, total: total - start },
    };
  }

  /** Ends the engine's worker. */
  async destroy(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    (await opened?.catch(() => undefined))?.index.close();
  }

  get #fixed(): Map<string, string[]> {
    return fixedValues(this.#options.mergeFilter);
  }

  #condition(wanted: FilterNode | undefined, names: Set<string>): Condition {
    const fixed = this.#fixed;
    return conditionOf(wanted, (name, value) => {
      if (fixed.get(name)?.includes(value)) return true;
      return names.has(name) && { key: name, match: value };
    });
  }

  #presentation() {
    return {
      baseUrl: this.#options.baseUrl ?? defaultBaseUrl(this.path),
      highlightParam: this.#options.highlightParam,
      excerptLength: this.#options.excerptLength ?? 30,
      ellipsis: this.#options.excerptEllipsis ?? "",
    };
  }

  /** The counts of an answer. Values of `base` that no result has are counted as 0. */
  #counts({ facets, total }: Answer, base: FilterCounts): FilterCounts {
    const counts: FilterCounts = {};
    for (const [name, values] of Object.entries(base))
      counts[name] = Object.fromEntries(Object.keys(values).map((value) => [value, 0]));
    for (const { name, values } of facets) {
      const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
      counts[name] = { ...counts[name], ...Object.fromEntries(sorted) };
    }
    for (const [name, values] of this.#fixed)
      counts[name] = {
        ...counts[name],
        ...Object.fromEntries(values.map((value) => [value, total.pages])),
      };
    return counts;
  }
}

/** Options whose lack of effect was told. */
const told = new Set<string>();

/** The fields of the engine's answer that are read. */
type Answer = Pick<SearchResponse, "results" | "total" | "facets" | "plan">;

const NOTHING: Answer = { results: [], total: { pages: 0, sections: 0 }, facets: [], plan: null };

/** Asks the engine, unless the condition is known to match nothing. */
async function ask(
  index: FindlingIndex,
  query: string,
  condition: Condition,
  options: SearchOptions,
): Promise<Answer> {
  if (condition === false) return NOTHING;
  return index.search(query, {
    prefix: true,
    copies: true,
    suggest: false,
    facets: ["*"],
    ...(condition !== true && { filter: condition }),
    ...options,
  });
}
