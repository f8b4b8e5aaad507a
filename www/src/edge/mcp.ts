/**
 * The bundle as tools of the Model Context Protocol, over its streamable HTTP transport: an
 * assistant queries a deployed site, without a server other than the endpoint. The transport is
 * used without sessions and without streams. A request is a POST with one message. It gets one
 * message as JSON, or no message if the request expects none, so any isolate can answer any
 * request.
 *
 * Specification: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */

import { READING_TOOLS } from "../assistant-reading";
import { isObject, type Json, type Site, UNTRUSTED } from "../assistant-tool";
import { callTool, TOOLS } from "../assistant-tools";
import { line } from "../safe-text";

/** Versions of the protocol, newest first. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Largest message, in bytes. */
const MAX_MESSAGE = 65_536;
const INSTRUCTIONS =
  "Searches the pages of this site. Use `search` for pages with the section that answers, " +
  "`context` for passages within a number of tokens, `read` for a page or a section in full, " +
  "`similar` for pages like one, `facets` for what filters there are. Cite the URLs. " +
  UNTRUSTED;

/** The tools, in the order in which clients list them. */
const ALL_TOOLS = [...TOOLS, ...READING_TOOLS];

/** Codes of JSON-RPC. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** The site of an endpoint. */
export interface EdgeSite extends Site {
  /** Version of the tool that built the bundle. */
  generator: string;
}

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Answers a POST. `site` is called for the greeting and for tools. */
export async function answerMessage(
  request: Request,
  site: () => Promise<EdgeSite>,
): Promise<{ status: number; body?: Json }> {
  let id: unknown = null;
  try {
    const message = await read(request);
    if (message["id"] === undefined) return { status: 202 };
    id = message["id"];
    return { status: 200, body: { jsonrpc: "2.0", id, result: await handle(message, site) } };
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown;
    const { code, message } = thrown;
    const status = code === PARSE_ERROR || code === INVALID_REQUEST ? 400 : 200;
    return { status, body: { jsonrpc: "2.0", id, error: { code, message } } };
  }
}

async function read(request: Request): Promise<Json> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  const bytes = declared > MAX_MESSAGE ? undefined : await request.arrayBuffer();
  if (!bytes || bytes.byteLength > MAX_MESSAGE)
    throw new RpcError(INVALID_REQUEST, `expected at most ${MAX_MESSAGE} bytes`);
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new RpcError(PARSE_ERROR, "expected a message as JSON");
  }
  if (!isObject(message) || message["jsonrpc"] !== "2.0")
    throw new RpcError(INVALID_REQUEST, "expected one JSON-RPC 2.0 message");
  const { id, method } = message;
  const hasId = id === undefined || typeof id === "string" || typeof id === "number";
  // A client may also send a response; it is ignored.
  const isKnown = typeof method === "string" || "result" in message || "error" in message;
  if (!hasId || !isKnown)
    throw new RpcError(INVALID_REQUEST, "expected a method, and an id of a string or a number");
  return typeof method === "string" ? message : { ...message, id: undefined };
}

async function handle(message: Json, site: () => Promise<EdgeSite>): Promise<unknown> {
  const parameters = isObject(message["params"]) ? message["params"] : {};
  switch (message["method"]) {
    case "initialize": {
      const wanted = parameters["protocolVersion"];
      const protocolVersion = VERSIONS.find((version) => version === wanted) ?? VERSIONS[0];
      const { generator } = await site();
      const version = generator.split(" ").pop() ?? generator;
      return {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "findling", title: "Findling", version },
        instructions: INSTRUCTIONS,
      };
    }
    case "ping":
      return {};
    case "tools/list":
      return { tools: ALL_TOOLS.map(({ call, ...tool }) => tool) };
    case "tools/call": {
      const name = parameters["name"];
      const tool = ALL_TOOLS.find((known) => known.name === name);
      if (tool) return callTool(tool, parameters["arguments"], site);
      const known = ALL_TOOLS.map((tool) => tool.name).join(", ");
      throw new RpcError(INVALID_PARAMS, `expected a tool, one of ${known}`);
    }
    default:
      throw new RpcError(METHOD_NOT_FOUND, `no method \`${line(String(message["method"]))}\``);
  }
}
