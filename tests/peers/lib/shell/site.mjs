// A web server on this machine for the files of a directory. A client can ask it whether a file has
// changed.

import { createHash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";

/** The size of a file; `undefined` if there is none. */
function sizeOf(file) {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? stat.size : undefined;
}

const tagOf = (file) => `"${createHash("sha256").update(readFileSync(file)).digest("hex")}"`;

/** Serves a directory: the port, `requests()` so far, and `close()`. */
export async function serveFiles(directory) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(directory, path);
    const size = path.includes("..") ? undefined : sizeOf(file);
    if (size === undefined) {
      response.writeHead(404, { "content-type": "text/plain", "content-length": 9 });
      return response.end("not found");
    }
    // Other files are named by their contents and never asked for again.
    const headers = file.endsWith(".idx") ? { etag: tagOf(file) } : {};
    if (headers.etag && request.headers["if-none-match"] === headers.etag) {
      response.writeHead(304, headers);
      return response.end();
    }
    const type = "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-length": size, ...headers });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", resolve).on("error", reject);
  });
  return {
    port: server.address().port,
    requests: () => requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
