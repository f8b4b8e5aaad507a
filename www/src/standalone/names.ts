/** Addresses under which the worker finds the carried files. They are never fetched. */

export const BUNDLE = "carried.findling";
export const ENGINE = "findling_engine.wasm";
export const DEFERRED = "findling_engine_rest.wasm";
