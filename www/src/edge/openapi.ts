/** The description of the endpoint for programs: OpenAPI 3.1, from the table of parameters. */

import {
  type JsonSchema,
  PAGE_PARAMETERS,
  type Parameters,
  SEARCH_PARAMETERS,
  SIMILAR_PARAMETERS,
  SUGGEST_PARAMETERS,
} from "./request";

/** The paths of the routes. */
export interface RoutePaths {
  search: string;
  similar: string;
  suggest: string;
  page: string;
  health: string;
  openapi: string;
  mcp: string | false;
}

const string = { type: "string" } as const;
const integer = { type: "integer", minimum: 0 } as const;
const number = { type: "number" } as const;
const boolean = { type: "boolean" } as const;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (items: JsonSchema) => ({ type: "array", items });
const nullable = (type: string) => ({ type: [type, "null"] });
const range = { type: "array", items: integer, minItems: 2, maxItems: 2 };

/** An object with these properties, all present except `optional`. Later versions may have more. */
const object = (properties: Readonly<Record<string, JsonSchema>>, ...optional: string[]) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const ATTRIBUTES = {
  type: "object",
  description: "Names and values.",
  additionalProperties: { anyOf: [string, number, boolean, list(string)] },
};

const SCHEMAS = {
  Response: object(
    {
      query: string,
      mode: { type: "string", enum: ["hybrid", "lexical", "semantic"] },
      encoder: nullable("string"),
      notices: list(ref("Notice")),
      corrections: list(object({ word: string, replacement: string })),
      suggestions: list({ type: "object" }),
      answerable: nullable("number"),
      total: object({ pages: integer, sections: integer, atLeast: boolean }, "atLeast"),
      results: list(ref("Page")),
      facets: list(ref("Facet")),
      plan: nullable("object"),
      why: { type: "object" },
      failures: list(ref("Failure")),
    },
    "why",
    "failures",
  ),
  Notice: object({ code: string, message: string }),
  Failure: object({ bundle: string, code: string, message: string, remedy: string }, "remedy"),
  Page: object(
    {
      id: string,
      url: string,
      title: string,
      language: string,
      score: number,
      attributes: ATTRIBUTES,
      meta: list(list(string)),
      sections: list(ref("Section")),
      nSections: integer,
      copies: integer,
      pinned: boolean,
      bundle: string,
    },
    "copies",
    "pinned",
    "bundle",
  ),
  Section: object({
    url: string,
    anchor: nullable("string"),
    headingPath: list(string),
    attributes: ATTRIBUTES,
    score: number,
    snippet: object({
      text: string,
      ranges: list(range),
      code: list(range),
      sentence: range,
      cutStart: boolean,
      cutEnd: boolean,
    }),
    legs: { type: "object" },
    explain: nullable("object"),
  }),
  Facet: object({
    name: string,
    values: list({ type: "array", prefixItems: [string, integer], minItems: 2, maxItems: 2 }),
  }),
  Suggestions: object({
    query: string,
    suggestions: list(object({ text: string, detail: string, url: string })),
  }),
  Document: object({
    id: string,
    url: string,
    title: string,
    language: string,
    attributes: ATTRIBUTES,
    sections: list(
      object({
        level: integer,
        headingPath: list(string),
        anchor: nullable("string"),
        text: string,
        passages: list(range),
      }),
    ),
  }),
  Health: object({
    status: string,
    revision: string,
    pages: integer,
    sections: integer,
    generator: string,
  }),
  Problem: object(
    {
      type: string,
      title: string,
      status: integer,
      detail: string,
      instance: string,
      code: string,
      remedy: string,
      error: { type: "object", description: "The form of earlier versions.", deprecated: true },
    },
    "remedy",
    "error",
  ),
};

const PROBLEMS: Readonly<Record<string, string>> = {
  "400": "The request is not valid.",
  "404": "No such page.",
  "429": "Too many requests: ask again after Retry-After.",
  "503": "The search cannot answer now: ask again after Retry-After.",
};

function get(
  operationId: string,
  summary: string,
  parameters: Parameters,
  schema: string | readonly string[],
) {
  const [first, ...others] = [schema].flat();
  const answer =
    others.length > 0 ? { oneOf: [first, ...others].map((s) => ref(s!)) } : ref(first!);
  const problems = Object.entries(PROBLEMS).map(([status, description]) => [
    status,
    { description, content: { "application/problem+json": { schema: ref("Problem") } } },
  ]);
  return {
    get: {
      operationId,
      summary,
      parameters: Object.entries(parameters).map(([name, { json, description, required }]) => ({
        name,
        in: "query",
        description,
        required: required ?? false,
        schema: json,
      })),
      responses: {
        "200": {
          description: "The answer.",
          headers: {
            etag: { description: "Changes with the answer.", schema: string },
            "x-request-id": { description: "Names the request in the log.", schema: string },
          },
          content: { "application/json": { schema: answer } },
        },
        "304": { description: "The client has the answer." },
        ...Object.fromEntries(problems),
      },
    },
  };
}

/** The document. `server` is the address in front of the paths. */
export function openApi(paths: RoutePaths, server: string): JsonSchema {
  const mcp =
    paths.mcp === false
      ? {}
      : {
          [paths.mcp]: {
            post: {
              operationId: "mcp",
              summary: "Answers assistants by the Model Context Protocol.",
              requestBody: { content: { "application/json": { schema: { type: "object" } } } },
              responses: {
                "200": {
                  description: "A message of JSON-RPC.",
                  content: { "application/json": { schema: { type: "object" } } },
                },
                "202": { description: "The message needs no answer." },
              },
            },
          },
        };
  return {
    openapi: "3.1.0",
    info: {
      title: "Findling",
      version: "1",
      summary: "Search of a site by words and by meaning.",
      license: { name: "MIT OR Apache-2.0", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: server }],
    paths: {
      [paths.search]: get("search", "Searches the site.", SEARCH_PARAMETERS, "Response"),
      [paths.similar]: get("similar", "Finds pages like one.", SIMILAR_PARAMETERS, "Response"),
      [paths.suggest]: get(
        "suggest",
        "Suggests pages while somebody types.",
        SUGGEST_PARAMETERS,
        "Suggestions",
      ),
      [paths.page]: get("page", "Reads a page in full.", PAGE_PARAMETERS, "Document"),
      [paths.health]: get("health", "Tells which build answers.", {}, "Health"),
      [paths.openapi]: {
        get: {
          operationId: "openapi",
          summary: "This description.",
          responses: {
            "200": {
              description: "OpenAPI 3.1.",
              content: { "application/json": { schema: { type: "object" } } },
            },
          },
        },
      },
      ...mcp,
    },
    components: { schemas: SCHEMAS },
  };
}
