// A web server that behaves like a CDN and counts the bytes that it sends.
//
// It speaks HTTP/2, or HTTP/1.1 on request, and lets browsers cache files without limit. It
// compresses text and code, by default with brotli at the usual quality of on-the-fly compression.
// Other files are sent as they are stored, and in ranges if a range is requested. Everything is
// compressed before the first request or, with `lazy`, each file when it is first requested.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import { extname, join, sep } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { certificate } from "./certificate.mjs";

const brotli = (quality) => ({
  name: "br",
  level: quality,
  compress: (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
});

/** How a host compresses. `no-wasm` leaves WebAssembly as it is. */
export const ENCODINGS = {
  "no-wasm": { ...brotli(5), except: ".wasm" },
  "brotli-5": brotli(5),
  "brotli-11": brotli(11),
  gzip: { name: "gzip", level: 6, compress: (bytes) => gzipSync(bytes, { level: 6 }) },
};
const COMPRESSED = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** The certificate of all servers. */
let own;

/** Compressed files by encoding and hash: several servers send the same. */
const compressed = new Map();

function compress(encoding, stored) {
  const hash = createHash("sha256").update(stored).digest("hex");
  const key = `${encoding.name} ${encoding.level} ${hash}`;
  if (!compressed.has(key)) compressed.set(key, encoding.compress(stored));
  return compressed.get(key);
}

/** Prepares an answer. With `all`, files of unknown types are compressed too. */
function prepare(name, stored, all, encoding) {
  const type = COMPRESSED[extname(name)];
  const isCompressed = (type || all) && extname(name) !== encoding.except;
  return {
    type: type ?? "application/octet-stream",
    stored,
    encoding,
    compressed: () => (isCompressed ? compress(encoding, stored) : undefined),
  };
}

/**
 * Serves directories, `{ "/prefix/": "directory" }` or `{ "/prefix/": { directory, encoding } }`
 * with a name of `ENCODINGS`, and `pages`, `{ "/": "html" }`. `http` is the version, 2 or 1. With
 * `lazy`, files are compressed when they are requested. `pin` identifies the certificate; `sent()`
 * counts the bytes written to all connections so far.
 */
export async function serve(
  directories,
  pages,
  { compressAll = false, http = 2, lazy = false } = {},
) {
  const usual = ENCODINGS["brotli-5"];
  const answers = new Map(
    Object.entries(pages).map(([path, html]) => {
      return [path, prepare("page.html", Buffer.from(html), false, usual)];
    }),
  );
  for (const [prefix, given] of Object.entries(directories)) {
    const { directory, encoding = "brotli-5" } =
      typeof given === "string" ? { directory: given } : given;
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath ?? entry.path, entry.name);
      const path = prefix + file.slice(join(directory, sep).length).split(sep).join("/");
      answers.set(path, prepare(entry.name, readFileSync(file), compressAll, ENCODINGS[encoding]));
    }
  }
  if (!lazy) for (const answer of answers.values()) answer.compressed();

  own ??= certificate();
  const { key, cert, pin } = own;
  const server = http === 2 ? createSecureServer({ key, cert }) : createServer({ key, cert });
  const sockets = [];
  const sessions = new Set();
  /** Requested paths that do not exist. */
  const missing = new Set();
  let requests = 0;
  let open = 0;
  let touched = Date.now();
  // These sockets are below TLS, so they count the bytes on the wire.
  server.on("connection", (socket) => sockets.push(socket));
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session)).on("error", () => {});
  });
  /** Status, headers and body of the answer to a request. */
  function respond(url, headers) {
    const path = decodeURIComponent(url.split("?")[0]);
    const answer = answers.get(path);
    if (!answer) {
      missing.add(path);
      return { status: 404, headers: { "content-type": "text/plain" }, body: "not found" };
    }
    const { name } = answer.encoding;
    const accepted = (headers["accept-encoding"] ?? "").split(/[,;\s]+/).includes(name);
    const compressed = accepted ? answer.compressed() : undefined;
    const asked = compressed ? null : /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "");
    const whole = compressed ?? answer.stored;
    const [start, end] = asked
      ? [Number(asked[1]), Math.min(Number(asked[2]), whole.length - 1)]
      : [0, whole.length - 1];
    const body = whole.subarray(start, end + 1);
    const sent = {
      ...(asked ? { "content-range": `bytes ${start}-${end}/${whole.length}` } : {}),
      "content-type": answer.type,
      "content-length": body.length,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(compressed ? { "content-encoding": name } : {}),
    };
    return { status: asked ? 206 : 200, headers: sent, body };
  }
  /** Counts a request until its answer, a stream, is closed. */
  function count(answer) {
    requests++;
    open++;
    touched = Date.now();
    answer.on("close", () => {
      open--;
      touched = Date.now();
    });
    answer.on("error", () => {});
  }
  server.on("stream", (stream, asked) => {
    count(stream);
    const { status, headers, body } = respond(asked[":path"], asked);
    stream.respond({ ":status": status, ...headers });
    stream.end(body);
  });
  if (http === 1) {
    server.on("request", (request, response) => {
      count(response);
      const { status, headers, body } = respond(request.url, request.headers);
      response.writeHead(status, headers).end(body);
    });
  }
  await new Promise((resolve, reject) =>
    server.listen(0, "127.0.0.1", resolve).on("error", reject),
  );
  return {
    url: `https://127.0.0.1:${server.address().port}/`,
    port: server.address().port,
    pin,
    missing,
    /** Bytes (bodies, headers, framing of HTTP/2 and TLS) and requests so far. */
    sent: () => ({
      bytes: sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0),
      requests,
    }),
    /** Resolves when there has been no request and no answer for `ms` milliseconds. */
    async quiet(ms) {
      while (open > 0 || Date.now() - touched < ms)
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    close() {
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
