/**
 * In a Worker, a WebAssembly file is imported as a compiled module: compiling from bytes is not
 * allowed there.
 */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
