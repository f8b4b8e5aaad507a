// Many connections on this machine that each send one request after another, for a given time.

import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

/** Milliseconds without a byte after which a request has no answer. */
const MAX_SILENCE = 30_000;

const percentile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

/** Megabytes of memory of a process; 0 if it is gone. */
export function megabytes(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  } catch {
    return 0;
  }
}

function get(asks, agent) {
  const { url, body: sent, ...options } = typeof asks === "string" ? { url: asks } : asks;
  return new Promise((resolve) => {
    const begun = performance.now();
    const end = (status, body, headers = {}) =>
      resolve({ status, body, headers, ms: performance.now() - begun });
    const asked = request(url, { agent, ...options }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        end(response.statusCode, Buffer.concat(chunks).toString(), response.headers),
      );
      response.on("error", ({ message }) => end(0, message));
    });
    asked.on("error", ({ message }) => end(0, message));
    asked.setTimeout(MAX_SILENCE, () => asked.destroy(new Error("no answer within 30 seconds")));
    asked.end(sent);
  });
}

/**
 * Sends requests over `connections` connections for `seconds`. `address` gives the address of the
 * nth request, or an object with `url`, `method`, `headers` and `body`; `check` throws if an answer
 * is wrong. `pid` is the process whose memory is watched. A connection waits `pause` milliseconds
 * between an answer and its next request. A request without an answer after 30 seconds is wrong.
 */
export async function load({ connections, seconds, address, check, pid, pause = 0 }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  const times = [];
  const statuses = {};
  const wrong = [];
  let nWrong = 0;
  const memory = [];
  let n = 0;
  const watch = setInterval(() => memory.push(megabytes(pid)), 250);
  const connection = async () => {
    while (performance.now() < until) {
      const at = n++;
      const answer = await get(address(at), agent);
      times.push(answer.ms);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      try {
        check(answer, at);
      } catch (error) {
        nWrong++;
        if (wrong.length < 10) wrong.push(error.message);
      }
      // A client that was refused tries again later.
      const wait = answer.status === 503 ? Math.max(pause, 50) : pause;
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  clearInterval(watch);
  agent.destroy();
  times.sort((a, b) => a - b);
  const half = memory.length >> 1;
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    statuses,
    wrong,
    /** The number of errors; `wrong` has the first of them. */
    nWrong,
    /** Most megabytes in the first half of the time, and in the second. */
    memory: [Math.max(0, ...memory.slice(0, half)), Math.max(0, ...memory.slice(half))],
  };
}
