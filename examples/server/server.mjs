// Searches over HTTP, and the site's files, in Node, Deno and Bun:
//
//   node server.mjs public      deno run -R -N -E server.mjs public      bun server.mjs public
import { createHandler, directory } from "findling/server";
import { Hono } from "hono";

const ASSETS = directory(process.argv[2] ?? "public");
const port = Number(process.env.PORT ?? 8787);
const search = createHandler({ prefix: "/api" });

const app = new Hono();
app.all("/api/*", (context) => search.fetch(context.req.raw, { ASSETS }));
app.get("*", (context) => ASSETS.fetch(context.req.raw));

if (globalThis.Deno) {
  Deno.serve({ hostname: "127.0.0.1", port }, app.fetch);
} else if (globalThis.Bun) {
  Bun.serve({ hostname: "127.0.0.1", port, fetch: app.fetch });
} else {
  const { serve } = await import("@hono/node-server");
  serve({ hostname: "127.0.0.1", port, fetch: app.fetch });
}
