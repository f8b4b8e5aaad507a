/**
 * In a Worker, a WebAssembly file is imported as a compiled module: compiling from bytes is not
 * allowed there.
 */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

/** What is part of the script, deflated. */
declare module "*.bin" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
