// Serves bundles in a generator's development server.

import { createReadStream, statSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { client } from "./build.mjs";

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };

/**
 * A handler of requests below `prefix`. Files come from the directory that `locate` names for a
 * language, once `ready` is settled. Without a bundle the client is still served, and tells the
 * reader that there is none.
 *
 * @param {string} prefix path that ends with `/`
 * @param {(language: string) => string | undefined} locate the directory of the bundle of a
 *   language, which is the part of the path between the prefix and `findling/`
 * @param {() => Promise<unknown>} ready
 */
export function handler(prefix, locate, ready = async () => {}) {
  return (request, response, next) => {
    // Some servers have already removed the base path.
    const path = pathOf(request.originalUrl ?? request.url ?? "");
    if (!path?.startsWith(prefix)) return next();
    const below = path.slice(prefix.length);
    const found = /^(?:(.*)\/)?findling\/(.*)$/.exec(below);
    if (!found) return next();
    const [, language = "", file] = found;
    ready().finally(() => {
      const directory = locate(language);
      if (directory === undefined) return next();
      send(response, [directory, client], file);
    });
  };
}

/** The path of a request; `undefined` if it cannot be decoded. */
function pathOf(url) {
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0]);
  } catch {
    return undefined;
  }
}

function send(response, directories, file) {
  const path = directories
    .map((directory) => inside(directory, file))
    .find((path) => path !== undefined && statSync(path, { throwIfNoEntry: false })?.isFile());
  response.setHeader("cache-control", "no-cache");
  if (path === undefined) {
    response.statusCode = 404;
    response.end();
    return;
  }
  response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
  createReadStream(path).pipe(response);
}

/** A file in a directory; `undefined` if the path leads outside. */
function inside(directory, file) {
  const path = join(directory, file);
  return path.startsWith(directory + sep) && !file.includes("\0") ? path : undefined;
}
