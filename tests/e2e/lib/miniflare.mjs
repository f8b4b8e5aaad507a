// The real Workers runtime with Miniflare's bindings: real R2 buckets, KV namespaces and rate
// limits, and a service in place of static assets, so that a test can make it slow or wrong.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { dist } from "./bundle.mjs";

/** The date of the runtime that `wrangler.toml` names. */
const COMPATIBILITY_DATE = "2026-10-01";

/** All files below a directory, by their path in it. */
export function filesIn(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(directory, path), path]);
}

/** The scripts of a Worker whose main module has this source, from a build of the package. */
function modules(source, edge, build) {
  return [
    { type: "ESModule", path: "main.mjs", contents: source },
    { type: "ESModule", path: "findling-edge.js", contents: readFileSync(join(build, edge)) },
    {
      type: "CompiledWasm",
      path: "findling-edge_engine_bg.wasm",
      contents: readFileSync(join(build, "findling-edge_engine_bg.wasm")),
    },
  ];
}

/** A Worker with these options of `createHandler`, written as JavaScript. */
export const workerOf = (options) =>
  `import { createHandler } from "./findling-edge.js";\n` +
  `export default createHandler(${options});\n`;

/** Answers requests for files from a directory, ranges included, as a service of Miniflare. */
export function serveFiles(directory, ResponseOf = Response) {
  return (request) => {
    const path = join(directory, decodeURIComponent(new URL(request.url).pathname));
    if (!path.startsWith(directory) || !statSync(path, { throwIfNoEntry: false })?.isFile())
      return new ResponseOf("nothing is here", { status: 404 });
    const bytes = readFileSync(path);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
    if (last === undefined) return new ResponseOf(bytes);
    const part = bytes.subarray(Number(first), Number(last) + 1);
    const range = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
    return new ResponseOf(part, { status: 206, headers: { "content-range": range } });
  };
}

/**
 * Starts a Worker. `source` is its main module, `options` are Miniflare's. Returns its address,
 * its log, and Miniflare itself for its bindings.
 */
export async function start({
  source = workerOf("{}"),
  edge = "findling-edge.js",
  build = dist,
  ...options
}) {
  const lines = [];
  const described = {
    modules: modules(source, edge, build),
    compatibilityDate: COMPATIBILITY_DATE,
    handleStructuredLogs: ({ message }) => lines.push(message),
    ...options,
  };
  const miniflare = new Miniflare(convertV4MiniflareOptions(described));
  const url = (await miniflare.ready).href.replace(/\/$/, "");
  return { url, miniflare, log: () => lines.join("\n"), stop: () => miniflare.dispose() };
}
