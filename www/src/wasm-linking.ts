/**
 * Linking of the engine's WebAssembly modules. The engine is one program in several modules
 * (`crates/xtask/src/bin/bindgen/split.rs`), which share the memory, the table and the functions of
 * the first. The deferred module is a separate file. Each language is a module in a custom section
 * of the first; a site's copy of the first module has only the languages of the site.
 */

/** The exports of the engine's first module. */
export type FirstModule = WebAssembly.ModuleImports;

/** The build id of the first module. Modules of the same build import from this name. */
export function buildId(first: FirstModule): string {
  return Object.keys(first).find((name) => /^[0-9a-f]{16}$/.test(name)) ?? "";
}

/** Links a compiled module, or the bytes of one, to the first. */
export async function linkModule(
  module: WebAssembly.Module | ArrayBuffer,
  first: FirstModule,
): Promise<void> {
  await WebAssembly.instantiate(module as WebAssembly.Module, { [buildId(first)]: first });
}

/** The language modules inside the first module. Each section begins with a two-letter code. */
export function languageModules(first: WebAssembly.Module): ArrayBuffer[] {
  return WebAssembly.Module.customSections(first, "part").map((section) => section.slice(2));
}
