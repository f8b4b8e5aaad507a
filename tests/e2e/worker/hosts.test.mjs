// One handler for every host: examples/server in Node, Deno and Bun, inside an application with
// Hono, gives the answers of the command line.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build, findling, root, scratch } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { installPackage } from "../lib/package.mjs";
import { freePort } from "../lib/server.mjs";
import { node } from "../lib/worker.mjs";

const modules = join(root, "tests/e2e/node_modules");
const installed = (...paths) =>
  paths.map((path) => join(modules, path)).find((path) => existsSync(path));
const HOSTS = [
  { name: "Node", program: node, args: [] },
  {
    name: "Deno",
    program: installed("@deno/linux-x64-glibc/deno"),
    args: ["run", "--no-prompt", "-R", "-N", "-E"],
  },
  { name: "Bun", program: installed("@oven/bun-linux-x64/bin/bun", "bun/bin/bun.exe"), args: [] },
];

const QUERIES = ["thermocouple", "kiln temperature", "crawling", "pots break"];

describe("the example of a server", () => {
  const example = scratch();
  let site;
  before(() => {
    site = build();
    cpSync(join(root, "examples/server"), example, { recursive: true });
    installPackage(example);
    for (const name of ["hono", "@hono"])
      symlinkSync(join(modules, name), join(example, "node_modules", name));
  });

  for (const { name, program, args } of HOSTS) {
    describe(`in ${name}`, {
      skip: program ? false : `${name} is not installed in tests/e2e`,
    }, () => {
      let child;
      let url;
      let log = "";
      before(async () => {
        const port = await freePort();
        url = `http://127.0.0.1:${port}`;
        child = spawn(program, [...args, join(example, "server.mjs"), site], {
          cwd: example,
          env: { ...process.env, PORT: String(port), NO_COLOR: "1" },
          stdio: ["ignore", "pipe", "pipe"],
        });
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (chunk) => {
            log += chunk;
          });
        const isUp = () =>
          fetch(`${url}/api/health`).then(
            ({ ok }) => ok,
            () => false,
          );
        await eventually(async () =>
          assert.ok(child.exitCode !== null || (await isUp()), `${name} does not answer\n${log}`),
        );
        assert.equal(child.exitCode, null, log);
      });
      after(() => child?.kill());

      test("answers as the command line does", async () => {
        for (const q of QUERIES) {
          const asked = new URLSearchParams({ q, k: "3" });
          const response = await fetch(`${url}/api/search?${asked}`);
          assert.equal(response.status, 200, log);
          const args = ["search", "--streamed", join(site, "findling"), q, "-k", "3", "--json"];
          const { _meta, ...expected } = JSON.parse(
            execFileSync(findling, args, { stdio: ["ignore", "pipe", "ignore"] }),
          );
          assert.deepEqual(await response.json(), expected, q);
        }
      });

      test("has the other routes, refuses what is not valid, and serves the site", async () => {
        const status = async (path) => (await fetch(url + path)).status;
        assert.equal(await status("/api/suggest?q=ki"), 200);
        assert.equal(await status("/api/page?url=guide/glaze.html"), 200);
        assert.equal(await status("/api/openapi.json"), 200);
        assert.equal(await status("/api/search"), 400);
        assert.equal(await status("/api/nothing"), 404);
        assert.equal(await status("/guide/glaze.html"), 200);
        assert.equal(await status("/guide/..%2f..%2frecords.jsonl"), 404);
      });

      test("answers many at once", async () => {
        const asked = Array.from({ length: 64 }, (_, i) =>
          fetch(`${url}/api/search?q=${QUERIES[i % 4].replaceAll(" ", "+")}`),
        );
        for (const response of await Promise.all(asked)) assert.equal(response.status, 200, log);
      });
    });
  }
});
