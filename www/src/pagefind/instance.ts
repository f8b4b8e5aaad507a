/** One bundle: opened when it is first needed, searched by the engine. */

import type { FindlingIndex } from "../client";
import type { SearchOptions, SearchResponse } from "../types";
import { bundlePath, defaultBaseUrl } from "./address";
import { chosenLanguage, loadEntry } from "./entry";
import { both, type Condition, conditionOf, fixedValues } from "./filters";
import { FragmentStore } from "./fragment";
import { packedEngine } from "./packed-engine";
import { refined, withSameAccents } from "./refine";
import { BATCH, resultList } from "./result-list";
import type {
  FilterCounts,
  FilterNode,
  PagefindOptions,
  PagefindResult,
  PagefindSearchOptions,
  Timings,
} from "./types";
import { queryWords, Terms } from "./words";

/** The attribute that holds a page's language, in bundles of several. */
const LANGUAGE = "pagefind-language";
/** The attribute that lists what a page can be sorted by. */
const SORTS = "pagefind-sorts";
/** Prefix of the name of an attribute to sort by, because a filter may have the same name. */
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
  /** The mean number of words of a page. */
  meanWords: number;
}

/** A request to the engine: a query, and the treatment of its words. */
interface Attempt {
  query: string;
  options: SearchOptions;
}

/**
 * A page must have every word of the query; a single letter matches words that begin with it.
 */
const STRICT: SearchOptions = { everyWord: true, singleLetter: true };
/** Shortest beginning that is searched instead of a word that no page has. */
const MIN_BEGINNING = 3;
/** Maximum number of results whose accents are compared if `exactDiacritics` is set. */
const MAX_COMPARED = 3 * BATCH;

/** A bundle. */
export class Instance {
  readonly path: string;
  readonly #language: string;
  readonly #fragments: FragmentStore;
  #options: PagefindOptions;
  #opened: Promise<Opened> | undefined;
  #allCounts: Promise<FilterCounts> | undefined;

  /** `script` is the address of this module, `language` the language of the page. */
  constructor(script: string, language: string, options: PagefindOptions) {
    this.path = bundlePath(script, options.basePath);
    this.#language = options.language ?? language;
    this.#fragments = new FragmentStore(this.path);
    this.#options = {};
    this.options(options);
  }

  /** Changes options. Options for opening a bundle have no effect on an open bundle. */
  options(options: PagefindOptions): void {
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
    const [entry, { open }] = await Promise.all([
      loadEntry(this.path, this.#options.metaCacheTag),
      import("../client"),
    ]);
    const language = chosenLanguage(entry, this.#language);
    const engine =
      (language === undefined ? undefined : entry.languages[language]?.wasm) ?? "unknown";
    const index = await open(this.path, {
      // The engine beside a bundle has the languages of that bundle.
      assets: new URL(this.path, location.href),
      module: packedEngine(`${this.path}wasm.${engine}.pagefind`),
      worker: !this.#options.noWorker,
    });
    const names = index.info.attributes.map(({ name }) => name);
    return {
      index,
      language:
        names.includes(LANGUAGE) && language !== undefined
          ? { key: LANGUAGE, match: language }
          : true,
      filters: new Set(index.info.attributes.filter(({ facet }) => facet).map(({ name }) => name)),
      sorts: new Set(names.filter((name) => name.startsWith(SORT_PREFIX))),
      meanWords: entry.mean_words ?? 1,
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
      await ask(index, term, language, { ...STRICT, limit: 0 });
  }

  async search(
    term: string | null,
    { filters: wanted, sort }: PagefindSearchOptions,
  ): Promise<InstanceAnswer> {
    const start = performance.now();
    const { index, language, filters, sorts, meanWords } = await this.open();
    const opened = performance.now();
    const words = term === null ? [] : queryWords(term);
    const [by, direction] = Object.entries(sort ?? {})[0] ?? [];
    const sortable = by === undefined || sorts.has(SORT_PREFIX + by);
    // A query of only punctuation finds nothing; without a query, every page is found.
    const all = term === null || words.length > 0 ? language : false;
    const sorted = by === undefined ? true : sortable && { key: SORTS, match: by };
    const every = both([all, sorted]);
    const condition = both([every, this.#condition(wanted, filters)]);
    const options: SearchOptions = {
      explain: true,
      ...(by !== undefined &&
        sortable && { sort: { by: SORT_PREFIX + by, descending: direction === "desc" } }),
    };
    const { query, options: taken } = await attempt(index, term ?? "", words, every);
    const run = (offset: number) =>
      ask(index, query, condition, { ...options, ...taken, limit: BATCH, offset });
    const [answer, unfiltered, base] = await Promise.all([
      run(0),
      // Without filters of the reader's own, both counts are the same.
      condition === every ? undefined : ask(index, query, every, { ...taken, limit: 0 }),
      filters.size > 0 ? this.filters() : {},
    ]);
    const terms = new Terms(answer.plan?.terms ?? [], words);
    const asked = { terms, words, fragments: this.#fragments, meanWords };
    const { ranking, exactDiacritics } = this.#options;
    let found = { hits: answer.results, total: answer.total.pages };
    if (exactDiacritics && words.length > 0) {
      const further: number[] = [];
      const last = Math.min(found.total, MAX_COMPARED);
      for (let offset = BATCH; offset < last; offset += BATCH) further.push(offset);
      const batches = await Promise.all(further.map(run));
      const all = [found.hits, ...batches.map(({ results }) => results)].flat();
      const hits = await withSameAccents(all, asked);
      found = { hits, total: hits.length };
    }
    const first = options.sort
      ? found.hits.map((hit) => ({ hit, score: hit.score }))
      : await refined(found.hits, asked, ranking);
    const total = performance.now();
    const counts = this.#counts(answer, base);
    return {
      results: resultList({
        first,
        total: found.total,
        more: async (offset) => (await run(offset)).results,
        terms,
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

  /** The counts of an answer. Values in `base` that no result has are counted as 0. */
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

/** The fields of the engine's answer that are read. */
type Answer = Pick<SearchResponse, "results" | "total" | "facets" | "plan">;

const NOTHING: Answer = { results: [], total: { pages: 0, sections: 0 }, facets: [], plan: null };

/**
 * The query for the engine: each page must have every word; if this finds nothing, some of them. A
 * single word that no page has is replaced by its longest beginning that a page has.
 */
async function attempt(
  index: FindlingIndex,
  query: string,
  words: readonly string[],
  condition: Condition,
): Promise<Attempt> {
  const strict = { query, options: STRICT };
  const finds = async ({ query, options }: Attempt) =>
    (await ask(index, query, condition, { ...options, facets: [], limit: 0 })).total.pages > 0;
  if (words.length === 0 || condition === false || (await finds(strict))) return strict;
  if (words.length > 1) return { query, options: {} };
  const letters = [...words[0]!];
  for (let length = letters.length - 1; length >= MIN_BEGINNING; length -= 1) {
    const beginning = letters.slice(0, length).join("");
    const shorter = { query: beginning, options: { prefix: false, verbatim: true } };
    if (await finds(shorter)) return shorter;
  }
  return strict;
}

/** Queries the engine, unless the condition is known to match nothing. */
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
