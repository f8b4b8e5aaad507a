/**
 * The client for several bundles behind one search: languages, versions or products. A page that
 * searches one bundle does not load it.
 *
 *   import { openAll } from "/findling/findling-several.js";
 *   const index = await openAll(["/docs/findling/", { url: "/api/findling/", weight: 0.8 }]);
 */

import { bothFilters } from "./both-filters";
import { type FindlingIndex, open } from "./client";
import type { Notice } from "./engine-types";
import { FindlingError } from "./errors";
import {
  type BundleFailure,
  extentOf,
  facetsOf,
  type JoinedPage,
  joinResponses,
  type Part,
} from "./join-responses";
import { fusesScores, type Shared, STRICT, shareStatistics, type Told } from "./share-statistics";
import type { Filter, OpenOptions, PageResult, SearchOptions, SearchResponse } from "./types";

/** One of several bundles. */
export interface BundleOptions extends OpenOptions {
  /** The bundle's address. */
  url: string | URL;
  /** The bundle's name in results. Default: the address. */
  name?: string;
  /** A factor on the scores of its pages. Default: 1. */
  weight?: number;
  /** A filter that applies to every search of this bundle. */
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

/** The answer of one bundle, or its reply to a request for statistics. */
type Answer = SearchResponse & { told?: Told };

/** One search of several bundles: the searched bundles, and the errors of failed bundles. */
interface Search {
  query: string;
  options: SearchOptions;
  asked: readonly Member[];
  failures: Map<Member, BundleFailure>;
}

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
   * Searches all bundles. Scores use the statistics of all bundles. A bundle that fails is reported
   * in `failures`, and the others answer. Rejects if all fail.
   */
  async search(query: string, options: SeveralSearchOptions = {}): Promise<SeveralResponse> {
    const { bundles, limit: _, offset: __, ...rest } = options;
    const extent = extentOf(options);
    const asked = this.#members.filter(({ name }) => bundles?.includes(name) ?? true);
    const search: Search = {
      query,
      options: { ...rest, limit: extent.offset + extent.limit },
      asked,
      failures: new Map(asked.flatMap((one) => (one.failure ? [[one, one.failure]] : []))),
    };
    let notice: Notice | undefined;
    let parts = await askTogether(search).catch((thrown: unknown) => {
      const error = FindlingError.from(thrown);
      // The part of the engine that shares statistics cannot be loaded.
      if (error.code !== "wasm") throw error;
      notice = {
        code: "statistics-missing",
        message: `Scores are of each bundle: ${error.advice}`,
      };
      return undefined;
    });
    const isShared = parts !== undefined && sameMode(parts);
    parts ??= await askAll(search);
    const failures = asked.flatMap((member) => search.failures.get(member) ?? []);
    if (parts.length === 0)
      throw FindlingError.from(
        failures[0] ?? {
          code: "request",
          message: `Expected one of ${this.#members.map(({ name }) => name).join(", ")} to ask.`,
        },
      );
    const joined = joinResponses(parts, failures, { ...extent, isShared });
    return notice ? { ...joined, notices: [...joined.notices, notice] } : joined;
  }

  /** Ends the workers of all bundles and frees their memory. */
  close(): void {
    for (const { index } of this.#members) index?.close();
  }
}

/** Queries the bundles with the statistics of all; `undefined` if there is nothing to share. */
async function askTogether(search: Search): Promise<Part<PageResult>[] | undefined> {
  const { query, options, asked, failures } = search;
  const able = asked.filter((member) => !failures.has(member));
  if (able.length < 2 || query.trim() === "") return undefined;
  const isFused = fusesScores(options.mode, options.fusion);
  const answer = async (relaxes: boolean) => {
    const working = able.filter((member) => !failures.has(member));
    const tell = async (member: Member, shared: Shared) =>
      (await ask(member, search, shared))?.told;
    return askAll(search, await shareStatistics(working, tell, { isFused, relaxes }));
  };
  const parts = await answer(false);
  const isNothing = parts.every(({ response }) => response.total.pages === 0);
  return isNothing && STRICT.test(query) ? answer(true) : parts;
}

/** The answers of all bundles that have not failed. */
async function askAll(search: Search, shared?: Shared): Promise<Part<PageResult>[]> {
  const answers = await Promise.all(
    search.asked.map(async (member) => {
      const response = await ask(member, search, shared);
      return response && { bundle: member.name, weight: member.options.weight ?? 1, response };
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}

/** Queries one bundle; `undefined` if it has failed. */
async function ask(
  member: Member,
  { query, options, failures }: Search,
  shared: Shared | undefined,
): Promise<Answer | undefined> {
  const { name, index, options: own } = member;
  if (!index || failures.has(member)) return undefined;
  try {
    const filter = bothFilters(own.filter, options.filter);
    return await index.search(query, {
      ...options,
      ...(filter ? { filter } : {}),
      ...(options.facets ? { facets: facetsOf(options.facets, index.info.attributes) } : {}),
      // `shared` is not a public option; only the engine reads it.
      ...((shared && { shared }) as object),
    });
  } catch (thrown) {
    const error = FindlingError.from(thrown);
    // The caller has cancelled the search of all, or there is another way to answer.
    if (error.code === "aborted" || (shared && error.code === "wasm")) throw error;
    failures.set(member, failureOf(name, error));
    return undefined;
  }
}

/** Whether all have answered with the same legs: by words, by meaning or by both. */
function sameMode(parts: readonly Part<PageResult>[]): boolean {
  return new Set(parts.map(({ response }) => response.mode)).size < 2;
}
