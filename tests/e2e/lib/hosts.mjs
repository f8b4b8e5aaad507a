// Servers that behave like hosts of static files, in ranges, compression, media types and headers
// for caches. docs/hosting.md has the sources.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import { listening, TYPES } from "./server.mjs";

const TEXT = /^(text\/|application\/json|image\/svg)/;

export const HOSTS = {
  "GitHub Pages": {
    ranges: true,
    compressed: (type) => TEXT.test(type) || type === "application/wasm",
    cache: () => "max-age=600",
  },
  "Cloudflare Pages": {
    ranges: false,
    compressed: (type) => TEXT.test(type) || type === "application/wasm",
    cache: () => "public, max-age=0, must-revalidate",
  },
  Netlify: {
    ranges: true,
    compressed: (type) => TEXT.test(type) || type === "application/wasm",
    cache: () => "public,max-age=0,must-revalidate",
  },
  "Amazon S3": {
    ranges: true,
    compressed: () => false,
    // The command line of AWS knows fewer types than browsers.
    types: { ".wasm": "binary/octet-stream", ".bin": "binary/octet-stream", ".idx": "" },
    cache: () => undefined,
  },
  nginx: {
    ranges: true,
    compressed: (type) => type.startsWith("text/html"),
    types: { ".idx": "application/octet-stream" },
    cache: () => undefined,
  },
  "a server that compresses all": {
    ranges: false,
    compressed: () => true,
    cache: () => undefined,
  },
};

/** Serves a directory as a host does, with `page` at its root. */
export async function serveAs(host, directory, page) {
  const state = { log: [], sent: 0, reset: () => Object.assign(state, { log: [], sent: 0 }) };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = join(directory, normalize(path));
    const isPage = path === "/";
    if (!isPage && !(existsSync(file) && statSync(file).isFile())) {
      response.writeHead(404, { "content-type": "text/html" });
      return response.end("<!doctype html><title>Not found</title>");
    }
    const contents = isPage ? Buffer.from(page) : readFileSync(file);
    const extension = isPage ? ".html" : extname(path);
    const type = host.types?.[extension] ?? TYPES[extension] ?? "application/octet-stream";
    const etag = `"${createHash("md5").update(contents).digest("hex")}"`;
    const cache = host.cache(path);
    const headers = { etag, ...(type && { "content-type": type }) };
    if (cache) headers["cache-control"] = cache;
    if (host.ranges) headers["accept-ranges"] = "bytes";
    state.log.push(path);
    if (request.headers["if-none-match"] === etag) {
      response.writeHead(304, headers);
      return response.end();
    }
    const range = host.ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    let body = contents;
    if (range) {
      const end = Math.min(Number(range[2]) + 1, contents.length);
      body = contents.subarray(Number(range[1]), end);
      headers["content-range"] = `bytes ${range[1]}-${end - 1}/${contents.length}`;
    } else if (host.compressed(type) && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) {
      body = gzipSync(contents);
      headers["content-encoding"] = "gzip";
    }
    state.sent += body.length;
    response.writeHead(range ? 206 : 200, headers);
    response.end(body);
  });
  return listening(server, state);
}
