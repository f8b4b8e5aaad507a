/**
 * Parts of the engine (`crates/wasm/deferred.txt`): modules with the memory, the table and the functions of its first. The rest comes
 * later, from a file of its own; languages come with the first, each in a custom section, and only those that the site has.
 */

/** What the engine's first part exports. */
export type First = WebAssembly.ModuleImports;

/** What names the first part's build, and what parts of that build import from. */
export function build(first: First): string {
  return Object.keys(first).find((name) => /^[0-9a-f]{16}$/.test(name)) ?? "";
}

/** Adds a part to the first. */
export async function link(part: WebAssembly.Module, first: First): Promise<void> {
  await WebAssembly.instantiate(part, { [build(first)]: first });
}

/** The languages that the first part carries: behind the two letters of each, its module. */
export async function languages(module: WebAssembly.Module): Promise<WebAssembly.Module[]> {
  return Promise.all(WebAssembly.Module.customSections(module, "part").map((section) => WebAssembly.compile(section.slice(2))));
}
