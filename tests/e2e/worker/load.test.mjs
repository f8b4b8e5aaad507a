// The endpoint under load, and over a store that is slow, fails or sends wrong bytes, in the real
// Workers runtime. FINDLING_LOAD_SECONDS is the number of seconds, 5 by default.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Response as ServiceResponse } from "miniflare";
import { build, findling, run, scratch } from "../lib/bundle.mjs";
import { questions, writeCorpus } from "../lib/corpus.mjs";
import { eventually } from "../lib/eventually.mjs";
import { load } from "../lib/load.mjs";
import { serveFiles, start, workerOf } from "../lib/miniflare.mjs";
import { freePort } from "../lib/server.mjs";

const seconds = Number(process.env.FINDLING_LOAD_SECONDS ?? 5);
const CONNECTIONS = 200;
/** Megabytes by which memory may grow from the first half of the time to the second. */
const MAX_GROWTH = 64;
/** A Worker that does nothing. The memory of workerd grows with each of its requests, too. */
const IDLE = 'export default { fetch: () => Response.json({ text: "a".repeat(4000) }) };';
/** Number of attempts of a client for one answer. */
const MAX_ASKED = 25;

const workerd = () =>
  execFileSync("pgrep", ["-n", "-P", String(process.pid), "workerd"], { encoding: "utf8" }).trim();

/** The endpoint with these options over a store. A request may make many subrequests. */
const endpoint = (options, store) =>
  start({
    source: workerOf(options),
    serviceBindings: { ASSETS: store },
    bindings: { FINDLING_SUBREQUESTS: "1000" },
  });

const parameters = (q) => new URLSearchParams({ q, k: "5" });
/** The expected answers. The engine is the same in all hosts. */
const key = (body) => {
  const { results } = JSON.parse(body);
  return JSON.stringify(results.map(({ url, score }) => [url, score]));
};

/** Checks an answer, or that the client is told to try again. */
function checkOrRefused({ status, body, headers }, expected) {
  if (status === 503) {
    assert.equal(JSON.parse(body).code, "overloaded");
    assert.match(headers["retry-after"], /^\d+$/);
    return;
  }
  assert.equal(status, 200, body);
  assert.equal(key(body), expected);
}

function report(t, name, result) {
  const { requests, perSecond, p50, p99, memory, statuses } = result;
  t.diagnostic(
    `${name}: ${requests} requests, ${perSecond.toFixed(0)} a second, p50 ${p50.toFixed(0)} ms, ` +
      `p99 ${p99.toFixed(0)} ms, ${memory.map((mb) => mb.toFixed(0)).join(" then ")} MB, ` +
      `statuses ${JSON.stringify(statuses)}`,
  );
}

/** Asks each question once. Every later answer is compared with these answers. */
async function answersOf(url, asked) {
  const answers = new Map();
  for (const q of asked)
    answers.set(q, key(await (await fetch(`${url}/search?${parameters(q)}`)).text()));
  return answers;
}

describe(`${CONNECTIONS} connections for ${seconds} seconds`, { timeout: 300_000 }, () => {
  const asked = questions().slice(0, 40);
  let site;
  before(() => {
    site = build();
  });

  /** Megabytes by which a request to a Worker that does nothing grows workerd. */
  async function growthOfNothing(t) {
    const worker = await start({ source: IDLE });
    try {
      const result = await load({
        connections: CONNECTIONS,
        seconds: Math.min(seconds, 20),
        pid: workerd(),
        address: () => worker.url,
        check() {},
      });
      report(t, "a Worker that does nothing", result);
      const [first, second] = result.memory;
      return Math.max(0, second - first) / (result.requests / 2);
    } finally {
      await worker.stop();
    }
  }

  test("workerd answers all of them, with memory as flat as without a search", async (t) => {
    const nothing = await growthOfNothing(t);
    const worker = await endpoint(
      '{ cache: false, log: "none" }',
      serveFiles(site, ServiceResponse),
    );
    try {
      const answers = await answersOf(worker.url, asked);
      const result = await load({
        connections: CONNECTIONS,
        seconds,
        pid: workerd(),
        address: (n) => `${worker.url}/search?${parameters(asked[n % asked.length])}`,
        check({ status, body }, n) {
          assert.equal(status, 200, body);
          assert.equal(key(body), answers.get(asked[n % asked.length]));
        },
      });
      report(t, "workerd", result);
      assert.deepEqual(result.wrong, []);
      const most = MAX_GROWTH + 1.5 * nothing * (result.requests / 2);
      assert.ok(result.memory[1] - result.memory[0] < most, `${result.memory.join()}, ${most}`);
    } finally {
      await worker.stop();
    }
  });

  test("workerd refuses what is beyond its limit, and says when to ask again", async (t) => {
    const worker = await endpoint(
      '{ cache: false, log: "none", maxRequests: 20 }',
      serveFiles(site, ServiceResponse),
    );
    try {
      const answers = await answersOf(worker.url, asked);
      const result = await load({
        connections: CONNECTIONS,
        seconds: Math.min(seconds, 5),
        pid: workerd(),
        address: (n) => `${worker.url}/search?${parameters(asked[n % asked.length])}`,
        check: (answer, n) => checkOrRefused(answer, answers.get(asked[n % asked.length])),
      });
      report(t, "workerd with a limit of 20", result);
      assert.deepEqual(result.wrong, []);
      assert.ok(result.statuses[200] > 0);
    } finally {
      await worker.stop();
    }
  });

  test("workerd answers while other builds are deployed", async (t) => {
    const directory = scratch();
    const corpus = join(directory, "corpus");
    writeCorpus(corpus, 120);
    const output = join(directory, "site/findling");
    // The store answers in this process, also during a build.
    const deploy = () =>
      promisify(execFile)(findling, [
        ...["--quiet", "build", corpus, "--output", output, "--no-client", "--encoder", "hash"],
      ]);
    await deploy();
    const worker = await endpoint(
      '{ cache: false, log: "none", revisionCheck: 100 }',
      serveFiles(join(directory, "site"), ServiceResponse),
    );
    const found = async (word) =>
      JSON.parse(await (await fetch(`${worker.url}/search?${parameters(word)}`)).text()).results;
    try {
      const result = load({
        connections: 20,
        seconds,
        pid: workerd(),
        pause: 50,
        address: (n) => `${worker.url}/search?${parameters(asked[n % asked.length])}`,
        check({ status, body }) {
          assert.equal(status, 200, body);
          assert.ok(JSON.parse(body).results.length > 0, body);
        },
      });
      for (const word of ["quillwort", "sphagnum", "liverwort"]) {
        writeFileSync(join(corpus, `${word}.md`), `# ${word}\n\nThe ${word} grows.\n`);
        await deploy();
        await eventually(async () => assert.equal((await found(word))[0].title, word));
      }
      report(t, "workerd during deployments", await result);
      assert.deepEqual((await result).wrong, []);
    } finally {
      await worker.stop();
    }
  });

  /** `findling serve` over the site, with options, while `work` sends requests. */
  async function served(options, work) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const args = ["serve", join(site, "findling"), "--port", String(port), ...options];
    const child = spawn(findling, args, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.resume();
    try {
      await eventually(() => fetch(url));
      await work(url, child.pid);
    } finally {
      child.kill();
    }
  }

  test("findling serve answers all of them, with flat memory", async (t) => {
    await served([], async (url, pid) => {
      const answers = await answersOf(url, asked);
      const result = await load({
        connections: CONNECTIONS,
        seconds,
        pid,
        address: (n) => `${url}/search?${parameters(asked[n % asked.length])}`,
        check({ status, body }, n) {
          assert.equal(status, 200, body);
          assert.equal(key(body), answers.get(asked[n % asked.length]));
        },
      });
      report(t, "findling serve", result);
      assert.deepEqual(result.wrong, []);
      assert.ok(result.memory[1] - result.memory[0] < MAX_GROWTH, result.memory.join());
    });
  });

  test("findling serve refuses what is beyond its limit, and says when to ask again", async (t) => {
    await served(["--max-requests", "20", "--log", "none"], async (url, pid) => {
      const answers = await answersOf(url, asked);
      const result = await load({
        connections: CONNECTIONS,
        seconds: Math.min(seconds, 5),
        pid,
        address: (n) => `${url}/search?${parameters(asked[n % asked.length])}`,
        check: (answer, n) => checkOrRefused(answer, answers.get(asked[n % asked.length])),
      });
      report(t, "findling serve with a limit of 20", result);
      assert.deepEqual(result.wrong, []);
      assert.ok(result.statuses[200] > 0 && result.statuses[503] > 0);
    });
  });

  test("findling serve sends files to all of them, with flat memory", async (t) => {
    await served([], async (url, pid) => {
      const files = ["findling.idx", "findling.js", "findling_engine.wasm"];
      const result = await load({
        connections: CONNECTIONS,
        seconds: Math.min(seconds, 5),
        pid,
        address: (n) => `${url}/${files[n % files.length]}`,
        check: ({ status, body }) => assert.equal(status, 200, body.slice(0, 200)),
      });
      report(t, "findling serve, files", result);
      assert.deepEqual(result.wrong, []);
      assert.ok(result.memory[1] - result.memory[0] < MAX_GROWTH, result.memory.join());
    });
  });
});

describe("a store that is slow, fails or lies for part of the requests", {
  timeout: 300_000,
}, () => {
  const asked = questions().slice(0, 12);
  let site;
  let expected;
  before(async () => {
    const directory = scratch();
    writeCorpus(join(directory, "corpus"), 120);
    site = join(directory, "site");
    run("--quiet", "build", join(directory, "corpus"), "--output", join(site, "findling"), [
      ["--no-client", "--encoder", "hash", "--graph-from", "200"],
    ]);
    const worker = await endpoint('{ log: "none" }', serveFiles(site, ServiceResponse));
    expected = await answersOf(worker.url, asked);
    await worker.stop();
  });

  /** Damages the answer to about one request in `every`, but not always to the same request. */
  function spoilt(every, spoil) {
    const whole = serveFiles(site, ServiceResponse);
    let seed = 7;
    return (request) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed % every === 0 ? spoil(request, whole) : whole(request);
    };
  }
  const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const bytesOf = async (response) => new Uint8Array(await response.arrayBuffer());

  for (const [name, every, spoil] of [
    ["is slow", 6, (request, whole) => later(2000).then(() => whole(request))],
    ["fails with 500", 5, () => new ServiceResponse("no", { status: 500 })],
    ["breaks connections", 5, () => Promise.reject(new Error("broken"))],
    ["says that files are missing", 9, () => new ServiceResponse("no", { status: 404 })],
    [
      "sends damaged bytes",
      5,
      async (request, whole) => {
        const bytes = await bytesOf(whole(request));
        bytes[bytes.length >> 1] ^= 0xff;
        return new ServiceResponse(bytes);
      },
    ],
    ["sends a page in place of a file", 5, () => new ServiceResponse("<!doctype html><p>Hello")],
    [
      "cuts files off",
      5,
      async (request, whole) => {
        const bytes = await bytesOf(whole(request));
        return new ServiceResponse(bytes.subarray(0, bytes.length >> 1));
      },
    ],
  ]) {
    test(`one that ${name}: every answer is right, or a clear error`, async (t) => {
      const worker = await endpoint(
        '{ log: "none", timeout: 1000, memory: 2_000_000, cache: false }',
        spoilt(every, spoil),
      );
      const counts = { right: 0, words: 0, refused: 0 };
      /** Sends a request once; returns whether the answer is complete. */
      const ask = async (q) => {
        const response = await fetch(`${worker.url}/search?${parameters(q)}`);
        const body = await response.text();
        if (response.status !== 200) {
          assert.equal(response.status, 503, body);
          assert.ok(JSON.parse(body).remedy, body);
          assert.match(response.headers.get("retry-after"), /^\d+$/);
          counts.refused++;
          return false;
        }
        if (JSON.parse(body).notices.some(({ code }) => code === "meaning-missing")) {
          assert.equal(response.headers.get("cache-control"), "no-store");
          counts.words++;
          return false;
        }
        assert.equal(key(body), expected.get(q), q);
        counts.right++;
        return true;
      };
      try {
        const left = [...asked];
        const client = async () => {
          for (let q = left.pop(); q !== undefined; q = left.pop())
            for (let i = 0; i < MAX_ASKED && !(await ask(q)); i++) await later(20);
        };
        await Promise.all([client(), client(), client(), client()]);
      } finally {
        await worker.stop();
      }
      t.diagnostic(JSON.stringify(counts));
      assert.equal(counts.right, asked.length, JSON.stringify(counts));
    });
  }
});
