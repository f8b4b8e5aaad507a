/**
 * Offers the search of a page to the browser's own assistant, by WebMCP
 * (https://webmachinelearning.github.io/webmcp/). Loaded only in browsers that have it.
 */

import type { Site } from "../assistant-tool";
import { callTool, TOOLS } from "../assistant-tools";
import type { FindlingIndex } from "../client";
import { FindlingError } from "../errors";
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

/** The element that answers. */
interface Searcher {
  index: Promise<FindlingIndex>;
  isConnected: boolean;
}

/** The elements of the page, the latest last. */
let elements: Searcher[] = [];
let isRegistered = false;

/** Registers the tools, once for a page; they answer from the latest element. */
export function register(latest: Searcher): void {
  elements = [...present().filter((element) => element !== latest), latest];
  const context = (document as Host).modelContext ?? (navigator as Host).modelContext;
  if (isRegistered || !context) return;
  isRegistered = true;
  for (const tool of TOOLS) {
    const { name, title, description, inputSchema, annotations } = tool;
    const execute = (input: unknown) => callTool(tool, input, site);
    context.registerTool({ name, title, description, inputSchema, annotations, execute });
  }
}

const present = () => elements.filter(({ isConnected }) => isConnected);

async function site(): Promise<Site> {
  elements = present();
  const element = elements.at(-1);
  if (!element)
    throw new FindlingError("closed", "The page has no search any more.", {
      remedy: "Open a page that has a search.",
    });
  const index = await element.index;
  return {
    resolve: (url) => index.resolve(url),
    ask: ({ query, ...options }) => index.search(query, options as SearchOptions),
  };
}
