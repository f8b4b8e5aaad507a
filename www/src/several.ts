/**
 * The client for several bundles behind one search: languages, versions or products. A page that
 * searches one bundle does not load it.
 *
 *   import { openAll } from "/findling/findling-several.js";
 *   const index = await openAll(["/docs/findling/", { url: "/api/findling/", weight: 0.8 }]);
 */

import { bothFilters } from "./both-filters";
import { type FindlingIndex, open } from "./client";
import { FindlingError } from "./errors";
import {
  type BundleFailure,
  extentOf,
  facetsOf,
  type JoinedPage,
  joinResponses,
  type Part,
} from "./join-responses";
import type { Filter, OpenOptions, PageResult, SearchOptions, SearchResponse } from "./types";

/** One of several bundles. */
export interface BundleOptions extends OpenOptions {
  /** Its address. */
  url: string | URL;
  /** Its name in results. Default: the address. */
  name?: string;
  /** A factor on the scores of its pages. Default: 1. */
  weight?: number;
  /** Only pages of it that match this filter, whatever a search asks for. */
  filter?: Filter;
}

/** The options of a search that several bundles can answer. */
export type SeveralSearchOptions = Omit<
  SearchOptions,
  "vector" | "onWords" | "onUpgrade" | "why"
> & {
  /** Names of the bundles to ask. Default: all. */
  bundles?: string[];
};

/** An answer of several bundles. */
export type SeveralResponse = Omit<SearchResponse, "results" | "why" | "stats"> & {
  /** Pages, best first, each with the name of its bundle. */
  results: JoinedPage<PageResult>[];
  /** The bundles that gave no answer, with the reasons. */
  failures: BundleFailure[];
};

interface Member {
  name: string;
  options: BundleOptions;
  index: FindlingIndex | undefined;
  failure: BundleFailure | undefined;
}

/**
 * Opens bundles. One that cannot be opened is reported with each answer; opening fails if none can
 * be opened.
 */
export async function openAll(
  bundles: readonly (string | URL | BundleOptions)[],
  options: OpenOptions = {},
): Promise<SeveralIndex> {
  const members = await Promise.all(bundles.map((bundle) => openOne(bundle, options)));
  const opened = members.some(({ index }) => index !== undefined);
  const [first] = members;
  if (!first) throw new FindlingError("request", "openAll() expects one bundle or more, got none.");
  if (!opened) {
    const { message = "" } = first.failure ?? {};
    throw new FindlingError("not-found", `None of the bundles can be opened: ${message}`);
  }
  return new SeveralIndex(members);
}

async function openOne(bundle: string | URL | BundleOptions, common: OpenOptions): Promise<Member> {
  const options: BundleOptions =
    typeof bundle === "string" || bundle instanceof URL ? { url: bundle } : bundle;
  const { url, name: given, weight: _, filter: __, ...own } = options;
  const name = given ?? String(url);
  try {
    const index = await open(url, { ...common, ...own });
    return { name, options, index, failure: undefined };
  } catch (thrown) {
    return { name, options, index: undefined, failure: failureOf(name, thrown) };
  }
}

function failureOf(bundle: string, thrown: unknown): BundleFailure {
  const { code, message, remedy } = FindlingError.from(thrown);
  return { bundle, code, message, remedy };
}

/** Several open bundles. */
export class SeveralIndex {
  readonly #members: readonly Member[];

  /** @internal */
  constructor(members: readonly Member[]) {
    this.#members = members;
  }

  /** The bundles that are open, by name. */
  get bundles(): ReadonlyMap<string, FindlingIndex> {
    return new Map(this.#members.flatMap(({ name, index }) => (index ? [[name, index]] : [])));
  }

  /**
   * Searches all bundles. One that fails is reported in `failures`, and the others are answered.
   * Rejects if all fail.
   */
  async search(query: string, options: SeveralSearchOptions = {}): Promise<SeveralResponse> {
    const { bundles, limit: _, offset: __, ...rest } = options;
    const extent = extentOf(options);
    const asked = this.#members.filter(({ name }) => bundles?.includes(name) ?? true);
    const answers = await Promise.all(
      asked.map((member) => ask(member, query, { ...rest, limit: extent.offset + extent.limit })),
    );
    const parts = answers.flatMap((answer) => ("response" in answer ? [answer] : []));
    const failures = answers.flatMap((answer) => ("response" in answer ? [] : [answer]));
    if (parts.length === 0)
      throw FindlingError.from(
        failures[0] ?? {
          code: "request",
          message: `Expected one of ${this.#members.map(({ name }) => name).join(", ")} to ask.`,
        },
      );
    return joinResponses(parts, failures, extent);
  }

  /** Ends the workers of all bundles and frees their memory. */
  close(): void {
    for (const { index } of this.#members) index?.close();
  }
}

async function ask(
  { name, index, failure, options }: Member,
  query: string,
  asked: SearchOptions,
): Promise<Part<PageResult> | BundleFailure> {
  if (!index) return failure!;
  try {
    const filter = bothFilters(options.filter, asked.filter);
    const response = await index.search(query, {
      ...asked,
      ...(filter ? { filter } : {}),
      ...(asked.facets ? { facets: facetsOf(asked.facets, index.info.attributes) } : {}),
    });
    return { bundle: name, weight: options.weight ?? 1, response };
  } catch (thrown) {
    const error = FindlingError.from(thrown);
    // The caller has cancelled the search of all.
    if (error.code === "aborted") throw error;
    return failureOf(name, error);
  }
}
