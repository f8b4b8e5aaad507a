/**
 * Parts of the engine (`crates/wasm/deferred.txt`): modules with the memory, the table and the
 * functions of its first. The rest comes later, from a file of its own; languages come with the
 * first, each in a custom section, and only those that the site has.
 */

/** What the engine's first part exports. */
export type First = WebAssembly.ModuleImports;

/** What names the first part's build, and what parts of that build import from. */
export function build(first: First): string {
  return Object.keys(first).find((name) => /^[0-9a-f]{16}$/.test(name)) ?? "";
}

/** Adds a part to the first: compiled, or as its bytes. */
export async function link(part: WebAssembly.Module | ArrayBuffer, first: First): Promise<void> {
  await WebAssembly.instantiate(part as WebAssembly.Module, { [build(first)]: first });
}

/** The languages that the first part carries. Each begins with its two letters. */
export function languages(module: WebAssembly.Module): ArrayBuffer[] {
  return WebAssembly.Module.customSections(module, "part").map((section) => section.slice(2));
}
