/**
 * The rest of the engine. Browsers load it in two parts: what a first search by words and meaning needs, and the rest, which is
 * fetched by the first search that needs it and is then there for all. What belongs to it: `crates/wasm/deferred.txt`.
 */

import type { Request } from "./engine-types";
import { FindlingError } from "./errors";

/** What of the engine comes later. */
export interface Rest {
  /** Whether it has come. */
  readonly here: boolean;
  /** Fetches it, once for all who wait; rejects with `network` or `wasm`, and may then be tried again. */
  load(): Promise<void>;
}

/** What a request may say without needing the rest. */
const FIRST: ReadonlySet<string> = new Set<keyof Request>([
  "query", "mode", "limit", "offset", "vector", "encoder", "prefix", "verbatim", "copies", "facets", "facetsInstead", "sectionsPerPage", "alsoVectors",
]);

/** Whether a search needs the rest before it begins. It may turn out later that it does: for words that the site does not have. */
export function needsRest(request: Request): boolean {
  const more = Object.entries(request).some(([key, value]) => !FIRST.has(key) && value !== undefined && !(key === "order" && value === "relevance"));
  // All pages; phrases, conditions on attributes, and words that must not be there.
  return more || request.query.trim() === "" || /["\u201c\u201d\u201e:]|(^|\s)-/.test(request.query);
}

/** The rest, at `url`, to what `first` exports once it is there. */
export function restAt(url: string, first: Promise<object>): Rest {
  let here = false;
  let loading: Promise<void> | undefined;
  return {
    get here() {
      return here;
    },
    load: () => (loading ??= join(url, first).then(() => void (here = true)).catch((thrown: unknown) => {
      loading = undefined;
      throw thrown;
    })),
  };
}

async function join(url: string, first: Promise<object>): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (thrown) {
    throw new FindlingError("network", `${url} could not be fetched: ${(thrown as Error).message}`, { cause: thrown });
  }
  if (!response.ok) throw new FindlingError("network", `${url} was answered with status ${response.status}.`);
  const module = await WebAssembly.compile(await response.arrayBuffer()).catch((thrown: unknown) => {
    throw new FindlingError("wasm", `${url} is no WebAssembly module: ${(thrown as Error).message}`, { cause: thrown });
  });
  // What it imports is named by the build that it belongs to. With another one's memory it would do anything.
  const exports = (await first) as WebAssembly.ModuleImports;
  const name = WebAssembly.Module.imports(module)[0]?.module ?? "";
  if (!(name in exports)) {
    throw new FindlingError("wasm", `${url} belongs to another build than the engine on this page.`, { remedy: "Reload the page; if that does not help, deploy the client as a whole." });
  }
  await WebAssembly.instantiate(module, { [name]: exports });
}
