/**
 * The deferred part of the engine. A browser first loads the part that is needed for a first search
 * by words and meaning. The first search that needs more loads the deferred part, which later
 * searches share. The engine's source declares what is deferred
 * (`crates/xtask/src/deferred/mod.rs`).
 */

import { compileModule } from "./compile-module";
import { DEFERRED_SYNTAX, FIRST_PART_FIELDS } from "./deferred-requests";
import type { Request } from "./engine-types";
import { FindlingError } from "./errors";
import { buildId, type FirstModule, linkModule } from "./wasm-linking";

/** The deferred part of an engine. */
export interface DeferredEngine {
  readonly loaded: boolean;
  /** Loads and links it once for all callers. Rejects with `wasm`; the next call then retries. */
  load(): Promise<void>;
}

/**
 * Whether a search needs the deferred part before it begins. A search that needs no deferred part
 * to begin may still need it later, for a misspelt word.
 */
export function needsDeferred(request: Request): boolean {
  const { query } = request;
  if (typeof query !== "string") return false;
  return (
    DEFERRED_SYNTAX.test(query) ||
    Object.entries(request).some(([field, value]) => !isEmpty(value) && !isHandled(field, value))
  );
}

/** Whether a field with this value has the same effect as no field. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** Whether the first part handles a field with this value. */
function isHandled(field: string, value: unknown): boolean {
  const values = FIRST_PART_FIELDS.get(field);
  return values?.includes(value as string) ?? FIRST_PART_FIELDS.has(field);
}

/**
 * The deferred part of the engine. `compile` reads it from `url`, and it is linked to `first`, the
 * exports of the first part.
 */
export function deferredEngine(
  url: string,
  first: Promise<object>,
  compile: (url: string) => Promise<WebAssembly.Module> = compileModule,
): DeferredEngine {
  let loaded = false;
  let loading: Promise<void> | undefined;
  return {
    get loaded() {
      return loaded;
    },
    load() {
      loading ??= loadAndLink(url, first, compile).then(
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

async function loadAndLink(
  url: string,
  first: Promise<object>,
  compile: (url: string) => Promise<WebAssembly.Module>,
): Promise<void> {
  const exports = (await first) as FirstModule;
  // The build id in the address keeps caches from serving the deferred part of another build.
  const build = buildId(exports);
  const module = await compile(`${url}?${build}`);
  // If it were linked to the memory of another build, the module could do anything.
  if (WebAssembly.Module.imports(module).some((wanted) => wanted.module !== build)) {
    throw new FindlingError("wasm", `${url} belongs to another build than the engine.`, {
      remedy: "Reload the page. If that does not help, deploy all files of the client together.",
    });
  }
  await linkModule(module, exports);
}
