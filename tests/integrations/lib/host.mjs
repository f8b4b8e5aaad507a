// A typical host of static files: it serves `index.html` of a directory, and `page.html` for
// `page`.

import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { TYPES } from "../../e2e/lib/server.mjs";

/** Serves a directory below a path that begins and ends with `/`. By default at any free port. */
export async function host(directory, base = "/", port = 0) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = path.startsWith(base) && find(directory, path.slice(base.length));
    if (file) {
      response.writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        "cache-control": "no-cache",
      });
      response.end(readFileSync(file));
    } else {
      // No icon is part of any fixture.
      response.writeHead(path === "/favicon.ico" ? 204 : 404);
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

function find(directory, path) {
  const file = join(directory, normalize(`/${path}`));
  return [file, join(file, "index.html"), `${file.replace(/\/$/, "")}.html`].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  );
}
