/**
 * Tools by which assistants search a site, with schemas, and with answers within a number of
 * tokens. The endpoint offers them by the Model Context Protocol, a page offers them to the
 * browser's own assistant.
 */

import {
  BUDGET,
  FILTER,
  Input,
  type Json,
  LIMIT,
  list,
  MAX,
  MAX_RESULTS,
  MODE,
  number,
  READ_ONLY,
  refuse,
  SAID,
  type Site,
  type Tool,
  type ToolAnswer,
  text,
  tokensOf,
  UNTRUSTED,
} from "./assistant-tool";
import type { PageHit } from "./engine-types";
import { FindlingError } from "./errors";
import { line, lines } from "./safe-text";
import { estimate } from "./token-estimate";

/** Calls a tool. An error is an answer that the assistant reads. */
export async function callTool(
  tool: Tool,
  values: unknown,
  site: () => Promise<Site>,
): Promise<Json> {
  try {
    const input = new Input(values, Object.keys(tool.inputSchema.properties));
    const output = await tool.call(input, await site());
    return {
      content: [{ type: "text", text: JSON.stringify(output) }],
      structuredContent: output,
    };
  } catch (thrown) {
    const { code, message } = FindlingError.from(thrown);
    return { content: [{ type: "text", text: `${code}: ${lines(message)}` }], isError: true };
  }
}

async function search(input: Input, site: Site): Promise<Json> {
  const filter = input.text("filter");
  const offset = input.integer("offset", 0, 10_000);
  const answer = await site.ask({
    query: input.text("query") ?? "",
    mode: input.mode(),
    limit: input.integer("limit", LIMIT, MAX_RESULTS),
    offset,
    sectionsPerPage: 1,
    ...(filter ? { filter } : {}),
  });
  return found(answer, offset, tokensOf(input), site);
}

async function similar(input: Input, site: Site): Promise<Json> {
  const url = input.text("url");
  if (url === undefined) throw refuse("url", "the URL or id of a page", undefined);
  const answer = await site.ask({
    query: "",
    similarTo: url,
    limit: input.integer("limit", LIMIT, MAX_RESULTS),
    sectionsPerPage: 1,
  });
  return found(answer, 0, tokensOf(input), site);
}

async function facets(input: Input, site: Site): Promise<Json> {
  const attributes = input.texts("attributes");
  const filter = input.text("filter");
  const answer = await site.ask({
    query: input.text("query") ?? "",
    mode: "lexical",
    limit: 0,
    facets: attributes.length > 0 ? attributes : ["*"],
    ...(filter ? { filter } : {}),
  });
  let [left, leftOut] = [tokensOf(input), 0];
  const facets: { name: string; values: Json[] }[] = [];
  for (const { name, values } of answer.facets) {
    const facet: { name: string; values: Json[] } = { name: line(name), values: [] };
    for (const [text, pages] of values) {
      const value = { value: line(text), pages };
      left -= estimate(JSON.stringify(value));
      if (left >= 0) facet.values.push(value);
      else leftOut += 1;
    }
    facets.push(facet);
  }
  return { untrusted: UNTRUSTED, facets, leftOut };
}

/** The pages of an answer, as many as fit. */
function found(answer: ToolAnswer, offset: number, tokens: number, site: Site): Json {
  const results: Json[] = [];
  let left = tokens;
  for (const page of answer.results) {
    const result = hit(page, offset + results.length + 1, site);
    left -= estimate(JSON.stringify(result));
    if (left < 0) break;
    results.push(result);
  }
  return {
    untrusted: UNTRUSTED,
    results,
    total: answer.total.pages,
    leftOut: answer.results.length - results.length,
    corrections: answer.corrections.map(
      ({ word, replacement }) => `${line(replacement)} for ${line(word)}`,
    ),
    notices: answer.notices.map(({ message }) => lines(message)),
  };
}

function hit(page: PageHit, rank: number, site: Site): Json {
  const section = page.sections[0];
  const url = section?.url ?? page.url;
  return {
    rank,
    title: line(page.title),
    headingPath: (section?.headingPath ?? []).map(line),
    // The address to cite. If it is not a web address, it is given as text.
    url: site.resolve(url) ?? line(url),
    snippet: lines(section?.snippet.text ?? ""),
    score: page.score,
    attributes: safeAttributes(page.attributes),
  };
}

/** Attributes whose texts are harmless. */
export function safeAttributes(attributes: PageHit["attributes"]): Json {
  const safe = Object.entries(attributes).map(([name, value]) => [line(name), safeValue(value)]);
  return Object.fromEntries(safe) as Json;
}

function safeValue<T>(value: T): T | string | string[] {
  if (typeof value === "string") return line(value);
  return Array.isArray(value) ? value.map((text) => line(String(text))) : value;
}

const FOUND = {
  type: "object",
  required: ["untrusted", "results", "total", "leftOut", "corrections", "notices"],
  properties: {
    untrusted: SAID,
    results: list({
      type: "object",
      required: ["rank", "title", "headingPath", "url", "snippet", "score", "attributes"],
      properties: {
        rank: number("From 1."),
        title: text("The page's title."),
        headingPath: list(text("Headings from the outermost to the section's own.")),
        url: text("The address to cite."),
        snippet: text("The stretch of the section that answers."),
        score: { type: "number", description: "Higher is better." },
        attributes: { type: "object", description: "The page's attributes." },
      },
    }),
    total: number("Pages that match, shown or not."),
    leftOut: number("Results that did not fit into the tokens. Ask again with an offset."),
    corrections: list(text("A word that was corrected, and what was searched for instead.")),
    notices: list(text("What else is to be known about the answer.")),
  },
};

export const TOOLS: readonly Tool[] = [
  {
    name: "search",
    title: "Search",
    description:
      "Search the pages of this site by words and by meaning. Returns pages with the section " +
      "that answers, a snippet and the URL to cite.",
    annotations: READ_ONLY,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      properties: {
        query: text(
          'Words, "phrases", -exclusions and attribute:value, or a question. Empty: the pages ' +
            "that meet the filter.",
        ),
        filter: FILTER,
        mode: MODE,
        limit: MAX,
        offset: number("Results to skip first."),
        tokens: BUDGET,
      },
    },
    outputSchema: FOUND,
    call: search,
  },
  {
    name: "similar",
    title: "Similar pages",
    description: "Find the pages most like one page.",
    annotations: READ_ONLY,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["url"],
      properties: { url: text("The URL or id of a page."), limit: MAX, tokens: BUDGET },
    },
    outputSchema: FOUND,
    call: similar,
  },
  {
    name: "facets",
    title: "Values for filters",
    description:
      "Count the values of attributes, over all pages or over those that a query or a filter " +
      "finds: what can be filtered by.",
    annotations: READ_ONLY,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      properties: {
        query: text("Count only pages that this query finds."),
        filter: FILTER,
        attributes: list(text("The attributes to count. Those meant for filters unless given.")),
        tokens: BUDGET,
      },
    },
    outputSchema: {
      type: "object",
      required: ["untrusted", "facets", "leftOut"],
      properties: {
        untrusted: SAID,
        facets: list({
          type: "object",
          required: ["name", "values"],
          properties: {
            name: text("The attribute."),
            values: list({
              type: "object",
              required: ["value", "pages"],
              properties: {
                value: text("As a filter spells it."),
                pages: number("Pages that have it."),
              },
            }),
          },
        }),
        leftOut: number("Values that did not fit into the tokens."),
      },
    },
    call: facets,
  },
];
