/**
 * The rest of the engine. Browsers load first what a first search by words and meaning needs, and
 * then the rest, which is fetched by the first search that needs it and is then there for all. What
 * belongs to it: `crates/wasm/deferred.txt`.
 */

import type { Request } from "./engine-types";
import { FindlingError } from "./errors";
import { compiled } from "./packed";
import { build, type First, link } from "./parts";

/** What of the engine comes later. */
export interface Rest {
  /** Whether it has come. */
  readonly here: boolean;
  /** Fetches it, once for all who wait; rejects with `wasm`, and may then be tried again. */
  load(): Promise<void>;
}

/** What a request may say without needing the rest. */
const FIRST: ReadonlySet<string> = new Set<keyof Request>([
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
 * Quoted phrases, `-words`, and conditions on attributes: `kind:guide`, but not `std::mem`,
 * `https://` or `error: 12`.
 */
const MORE =
  /"[^"]+"|[\u201c\u201d\u201e][^\u201c\u201d"]+[\u201c\u201d"]|\u00ab[^\u00bb]+\u00bb|\u300c[^\u300d]+\u300d|(^|\s)(-[^\s-]\S|[^\s:]+:(?![\s:]|\/\/|$))/;

/**
 * Whether a search needs the rest before it begins. It may turn out later that it does: for words
 * that the site does not have.
 */
export function needsRest(request: Request): boolean {
  const { query } = request;
  if (typeof query !== "string") return false;
  return (
    query.trim() === "" ||
    MORE.test(query) ||
    Object.entries(request).some(([key, value]) => !FIRST.has(key) && says(key, value))
  );
}

/** Whether a field is more than its default. */
function says(key: string, value: unknown): boolean {
  const nothing =
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0);
  return !nothing && !(key === "order" && value === "relevance");
}

/** The rest, at `url`, to what `first` exports once it is there. */
export function restAt(url: string, first: Promise<object>): Rest {
  let here = false;
  let loading: Promise<void> | undefined;
  return {
    get here() {
      return here;
    },
    load() {
      loading ??= join(url, first).then(
        () => {
          here = true;
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

async function join(url: string, first: Promise<object>): Promise<void> {
  const exports = (await first) as First;
  // What the rest imports is named by the build that it belongs to, and so is it, so that no cache
  // has another build's for it.
  const name = build(exports);
  const module = await compiled(`${url}?${name}`);
  // With another build's memory it would do anything.
  if (WebAssembly.Module.imports(module).some((wanted) => wanted.module !== name)) {
    const remedy = "Reload the page; if that does not help, deploy the client as a whole.";
    throw new FindlingError(
      "wasm",
      `${url} belongs to another build than the engine on this page.`,
      { remedy },
    );
  }
  await link(module, exports);
}
