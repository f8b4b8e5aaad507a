// A web server that can be made to misbehave.

import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

/** Media types by the ending of a file. */
export const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".bin": "application/octet-stream",
  ".idx": "application/octet-stream",
  ".findling": "application/octet-stream",
};

/** Lets a server listen on a free port. Adds its `url` to `state`, and `close`, which ends it. */
export async function listening(server, state) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${server.address().port}/`;
  state.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  return state;
}

/**
 * Serves directories; the first directory with a file serves it. `pages` has HTML by path, which is
 * sent with `headers`.
 */
export async function serve(directories, pages = {}, headers = {}) {
  const initial = {
    directories,
    /** Flips a byte in the middle of files whose path matches. */
    corrupt: undefined,
    /** Answers with status 404 to paths that match. */
    missing: undefined,
    /** Called with a path before its answer, which waits for the promise that it returns. */
    hold: () => undefined,
    /** Headers of pages. */
    headers,
    /** Media types by file extension. */
    types: TYPES,
    /** Whether pages of other origins may read files. */
    isShared: false,
    /** Whether ranges are sent; otherwise the whole file is sent. */
    ranges: true,
    /** Changes the answer to a request for a range: its first byte, its body, its encoding. */
    alterRange: (start, body) => ({ start, body }),
    /** Changes the body of another answer. */
    alterWhole: (_path, body) => body,
  };
  const state = {
    ...initial,
    /** Requested paths, in order. */
    log: [],
    /** Requests for ranges. */
    nRanges: 0,
    /** Bytes of the bodies sent. */
    sent: 0,
    pages,
    /** Ends every misbehaviour, and clears the log of requests. */
    reset() {
      Object.assign(state, initial);
      state.log.length = 0;
      state.nRanges = 0;
    },
  };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    state.log.push(path);
    await state.hold(path);
    if (state.pages[path] !== undefined) {
      response.writeHead(200, { "content-type": TYPES[".html"], ...state.headers });
      return response.end(state.pages[path]);
    }
    const file = state.directories
      .map((directory) => join(directory, normalize(path)))
      .find((file) => existsSync(file) && statSync(file).isFile());
    if (!file || state.missing?.test(path)) {
      response.writeHead(404, { "content-type": "text/plain" });
      return response.end("not found");
    }
    let bytes = readFileSync(file);
    if (state.corrupt?.test(path)) bytes[bytes.length >> 1] ^= 0xff;
    const headers = {
      "content-type": state.types[extname(file)] ?? "application/octet-stream",
      "cache-control": /\/[0-9a-f]{8,32}\.bin$/.test(path)
        ? "public, max-age=31536000, immutable"
        : "no-cache",
      ...(state.isShared ? { "access-control-allow-origin": "*" } : {}),
      ...(extname(file) === ".html" ? state.headers : {}),
    };
    const range = state.ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    let status = 200;
    if (range) {
      state.nRanges++;
      const [start, end] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
      const sent = state.alterRange(start, bytes.subarray(start, end + 1));
      headers["content-range"] = `bytes ${sent.start}-${end}/${bytes.length}`;
      if (sent.encoding) headers["content-encoding"] = sent.encoding;
      bytes = sent.body;
      status = 206;
    } else {
      bytes = state.alterWhole(path, bytes);
    }
    state.sent += bytes.length;
    response.writeHead(status, headers);
    response.end(bytes);
  });
  return listening(server, state);
}

/** A gate for `hold`: paths that match wait until the gate is opened. */
export function gate(matches) {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { hold: (path) => (matches(path) ? opened : undefined), open };
}

/** Ports that systems do not give to outgoing connections: the first one, and their number. */
const [FIRST_PORT, PORTS] = [20_000, 12_000];
/** The ports that `freePort` has returned. */
const given = new Set();

/**
 * Returns a port that no server listens on. Each call returns a different one. The system's own
 * choice would be unsafe: another program's connection could take that port before the server
 * starts.
 */
export async function freePort() {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
