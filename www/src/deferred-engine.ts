/**
 * The deferred part of the engine. A browser first loads the part that a first search by words and
 * meaning needs. The first search that needs more loads the deferred part, for all later searches.
 * `crates/wasm/deferred.txt` lists what is deferred.
 */

import { compileModule } from "./compile-module";
import type { Request } from "./engine-types";
import { FindlingError } from "./errors";
import { buildId, type FirstModule, linkModule } from "./wasm-linking";

/** The deferred part of an engine. */
export interface DeferredEngine {
  readonly loaded: boolean;
  /** Loads and links it once for all callers. Rejects with `wasm`; the next call then retries. */
  load(): Promise<void>;
}

/** The request fields that the first part can handle. */
const FIRST_PART_FIELDS: ReadonlySet<string> = new Set<keyof Request>([
  "query",
  "mode",
  "limit",
  "offset",
  "encoder",
  "prefix",
  "verbatim",
  "suggest",
  "copies",
  "facets",
  "facetsInstead",
  "sectionsPerPage",
]);

/**
 * Query syntax of the deferred part: quoted phrases, `-words`, and conditions such as `kind:guide`,
 * which are neither `std::mem` nor `https://` nor `error: 12`.
 */
const DEFERRED_SYNTAX = new RegExp(
  [
    /"[^"]+"/,
    /[\u201c\u201d\u201e][^\u201c\u201d"]+[\u201c\u201d"]/,
    /\u00ab[^\u00bb]+\u00bb/,
    /\u300c[^\u300d]+\u300d/,
    /(^|\s)(-[^\s-]\S|[^\s:]+:(?![\s:]|\/\/|$))/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/**
 * Whether a search needs the deferred part before it begins. A search that needs no deferred part
 * to begin may still need it later, for a misspelt word.
 */
export function needsDeferred(request: Request): boolean {
  const { query } = request;
  if (typeof query !== "string") return false;
  return (
    query.trim() === "" ||
    DEFERRED_SYNTAX.test(query) ||
    Object.entries(request).some(
      ([field, value]) => !FIRST_PART_FIELDS.has(field) && !isDefault(field, value),
    )
  );
}

/** Whether a field has its default value. */
function isDefault(field: string, value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0) ||
    (field === "order" && value === "relevance")
  );
}

/** The deferred part at `url`, to be linked to `first`, the exports of the first part. */
export function deferredEngine(url: string, first: Promise<object>): DeferredEngine {
  let loaded = false;
  let loading: Promise<void> | undefined;
  return {
    get loaded() {
      return loaded;
    },
    load() {
      loading ??= loadAndLink(url, first).then(
        () => {
          loaded = true;
        },
        (thrown: unknown) => {
          loading = undefined;
          throw thrown;
        },
      );
      return loading;
    },
  };
}

async function loadAndLink(url: string, first: Promise<object>): Promise<void> {
  const exports = (await first) as FirstModule;
  // The build id in the address keeps caches from serving the deferred part of another build.
  const build = buildId(exports);
  const module = await compileModule(`${url}?${build}`);
  // Linked to the memory of another build, the module could do anything.
  if (WebAssembly.Module.imports(module).some((wanted) => wanted.module !== build)) {
    throw new FindlingError("wasm", `${url} belongs to another build than the engine.`, {
      remedy: "Reload the page. If that does not help, deploy all files of the client together.",
    });
  }
  await linkModule(module, exports);
}
