// A session with `findling mcp` over its standard input and output: JSON-RPC, a message a line
// (Model Context Protocol, "stdio").

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PROTOCOL = "2025-06-18";
/** How long the server may take to end after its input has ended. */
const MAX_END_MS = 5000;
/** The longest time to wait for an answer. */
const MAX_ANSWER_MS = 60_000;
const MAX_STDERR = 4000;

export class McpSession {
  #child;
  #waiting = new Map();
  #next = 1;
  #errors = "";
  #ended;

  /** Starts the server; `signal` kills it. */
  constructor(program, args, env, signal) {
    const stdio = ["pipe", "pipe", "pipe"];
    this.#child = spawn(program, ["mcp", ...args], { env, signal, stdio });
    this.#child.stderr.on("data", (bytes) => {
      this.#errors = (this.#errors + bytes).slice(-MAX_STDERR);
    });
    createInterface(this.#child.stdout).on("line", (line) => this.#take(line));
    // A request to a server that has ended is answered by `close`.
    this.#child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", (error) => {
        this.#fail(error);
        resolve();
      });
      this.#child.on("close", (code, killed) => {
        const how = killed ?? `status ${code}`;
        this.#fail(new Error(`findling mcp ended (${how}): ${this.#errors.trim()}`));
        resolve();
      });
    });
  }

  #take(line) {
    const message = JSON.parse(line);
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    clearTimeout(waiting.timer);
    if (message.error) waiting.reject(new Error(`findling mcp: ${message.error.message}`));
    else waiting.resolve({ result: message.result, at: performance.now() });
  }

  #fail(error) {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Sends a request, and resolves to the result and the milliseconds that it took. */
  async ask(method, params) {
    const id = this.#next++;
    const began = performance.now();
    const { result, at } = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`findling mcp: no answer to ${method} in ${MAX_ANSWER_MS} ms`));
      }, MAX_ANSWER_MS);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ id, method, params });
    });
    return { result, ms: at - began };
  }

  /** Begins the session. */
  async begin() {
    const clientInfo = { name: "bench", version: "1.0.0" };
    await this.ask("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    this.#send({ method: "notifications/initialized" });
  }

  /** Calls the tool `search`: its milliseconds and how many pages it found. */
  async search(query) {
    const params = { name: "search", arguments: { query } };
    const { result, ms } = await this.ask("tools/call", params);
    if (result.isError) throw new Error(`search ${query}: ${result.content[0].text}`);
    return { ms, found: result.structuredContent.results.length };
  }

  /** Ends the session, and the server. */
  async close() {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), MAX_END_MS);
    await this.#ended;
    clearTimeout(timer);
  }
}
