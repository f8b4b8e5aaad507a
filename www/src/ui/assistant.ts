/**
 * Offers the search of a page to the browser's own assistant, by WebMCP
 * (https://webmachinelearning.github.io/webmcp/). Loaded only in browsers that have it.
 */

import { callTool, type Site, TOOLS } from "../assistant-tools";
import type { FindlingIndex } from "../client";
import type { SearchOptions } from "../types";

/** The part of the draft that is used. Early browsers have it in `navigator`. */
interface ModelContext {
  registerTool(tool: {
    name: string;
    title: string;
    description: string;
    inputSchema: object;
    annotations: object;
    execute: (input: unknown) => Promise<unknown>;
  }): unknown;
}

interface Host {
  modelContext?: ModelContext;
}

/** What answers. */
interface Searcher {
  index: Promise<FindlingIndex>;
}

let element: Searcher | undefined;

/** Registers the tools, once for a page; they answer from the latest element. */
export function register(latest: Searcher): void {
  const isFirst = element === undefined;
  element = latest;
  const context = (document as Host).modelContext ?? (navigator as Host).modelContext;
  if (!isFirst || !context) return;
  for (const tool of TOOLS) {
    const { name, title, description, inputSchema, annotations } = tool;
    const execute = (input: unknown) => callTool(tool, input, site);
    context.registerTool({ name, title, description, inputSchema, annotations, execute });
  }
}

async function site(): Promise<Site> {
  const index = await element!.index;
  return {
    resolve: (url) => index.resolve(url),
    ask: ({ query, ...options }) => index.search(query, options as SearchOptions),
  };
}
