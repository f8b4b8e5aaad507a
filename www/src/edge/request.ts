/**
 * The parameters of the endpoint: one table defines the accepted values, the expected values in
 * errors, and the descriptions in `/openapi.json`. A parameter that is not understood is refused.
 */

import * as v from "valibot";
import type { Prefer, Request as SearchRequest, Sort } from "../engine-types";
import { FindlingError } from "../errors";

/** Maximum characters of a query or of a page's address. */
const MAX_CHARACTERS = 1000;
/** Maximum number of alternative phrasings. */
const MAX_PHRASINGS = 4;

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A parameter. */
export interface Parameter<T = unknown> {
  /** Reads the value, or the values of a parameter that may be given several times. */
  schema: v.GenericSchema<unknown, T>;
  /** The value, as a client sends it. */
  json: JsonSchema;
  description: string;
  required?: true;
  /** Whether it may be given several times. */
  repeated?: true;
}

/** The parameters of a route, by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

const longest = v.maxLength<string, number, string>(
  MAX_CHARACTERS,
  `at most ${MAX_CHARACTERS} characters`,
);

const required = (expected: string, description: string) =>
  ({
    schema: v.pipe(v.string(expected), longest),
    json: { type: "string", maxLength: MAX_CHARACTERS },
    description,
    required: true,
  }) satisfies Parameter<string>;

const text = (description: string) =>
  ({
    schema: v.optional(v.string()),
    json: { type: "string" },
    description,
  }) satisfies Parameter<string | undefined>;

const choice = <const T extends string[]>(values: T, description: string, otherwise?: T[number]) =>
  ({
    schema: v.optional(v.picklist(values, values.join(" or "))),
    json: {
      type: "string",
      enum: values,
      ...(otherwise === undefined ? {} : { default: otherwise }),
    },
    description,
  }) satisfies Parameter<T[number] | undefined>;

function integer(min: number, max: number, otherwise: number, description: string) {
  const expected = `a whole number from ${min} to ${max}`;
  return {
    schema: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\d{1,9}$/, expected),
        v.transform(Number),
        v.minValue(min, expected),
        v.maxValue(max, expected),
      ),
    ),
    json: { type: "integer", minimum: min, maximum: max, default: otherwise },
    description,
  } satisfies Parameter<number | undefined>;
}

const TRUE = ["", "1", "true"];
const FALSE = ["0", "false"];

const flag = (description: string, otherwise = false) =>
  ({
    schema: v.optional(
      v.pipe(
        v.picklist([...TRUE, ...FALSE], "1 or 0"),
        v.transform((value) => TRUE.includes(value)),
      ),
    ),
    json: { type: "string", enum: ["0", "1"], default: otherwise ? "1" : "0" },
    description,
  }) satisfies Parameter<boolean | undefined>;

const phrasings = {
  schema: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(), longest)),
      v.transform((values) => values.filter((query) => query.trim() !== "")),
      v.maxLength(MAX_PHRASINGS, `at most ${MAX_PHRASINGS} phrasings`),
    ),
    [],
  ),
  json: {
    type: "array",
    items: { type: "string", maxLength: MAX_CHARACTERS },
    maxItems: MAX_PHRASINGS,
  },
  description: "Another phrasing of the query; may be given four times.",
  repeated: true,
} satisfies Parameter<string[]>;

/** The parameters that `/search` and `/similar` share. */
const COMMON = {
  k: integer(0, 100, 10, "Most pages; 0 for counts only."),
  offset: integer(0, 10_000, 0, "Pages to skip."),
  mode: choice(
    ["hybrid", "lexical", "semantic"],
    "By words and meaning, by words, or by meaning.",
    "hybrid",
  ),
  filter: text("A condition on attributes: `book=reference`, `year:gte:2020`, or JSON."),
  facets: text("Attributes whose values are counted, separated by commas; `*` for all facets."),
  facetsOf: choice(["pages", "sections"], "What facets count.", "pages"),
  sort: text("An attribute to order by; with `-` in front, the largest first."),
  prefer: text("A number or date that ranks higher: `date`, `date:0.9`; with `-`, the smallest."),
  order: choice(["relevance", "recent", "balanced", "match"], "A named order.", "relevance"),
  spread: text("An attribute whose values should vary in the list."),
  copies: flag("Shows every copy of a page."),
  sections: integer(1, 20, 3, "Most sections of a page."),
  explain: flag("Explains every score."),
};

/** The parameters of `/search`. */
export const SEARCH_PARAMETERS = {
  q: required("the query: q=words", "The query."),
  encoder: choice(["static", "none"], "Which encoder embeds the query."),
  fusion: choice(["convex", "rrf"], "How words and meaning are fused.", "convex"),
  prefix: flag("Treats the last word as the beginning of a word."),
  "every-word": flag("Finds only pages that have every word."),
  verbatim: flag("Searches for every word as it is written."),
  suggest: flag("Makes suggestions if nothing is found.", true),
  why: text("A page, by URL, path or id: explains its rank."),
  also: phrasings,
  instead: flag("Counts values as if the filter had no condition on the counted attribute."),
  ...COMMON,
} satisfies Parameters;

const PAGE = required(
  "a page's URL, path or id: url=guide/glaze.html",
  "A page's URL, path or id.",
);

/** The parameters of `/similar`. */
export const SIMILAR_PARAMETERS = { url: PAGE, ...COMMON } satisfies Parameters;

/** The parameters of `/page`. */
export const PAGE_PARAMETERS = {
  url: { ...PAGE, description: "A page's URL, path or id; with `#anchor` a section of it." },
} satisfies Parameters;

/** The parameters of `/suggest`. */
export const SUGGEST_PARAMETERS = {
  q: required("what was typed: q=word", "What was typed so far."),
  k: integer(1, 20, 8, "Most suggestions."),
  filter: COMMON.filter,
  format: choice(
    ["json", "opensearch"],
    "`opensearch`: the list that browsers' address bars read.",
    "json",
  ),
} satisfies Parameters;

/** The values of a route's parameters. */
type Values<P extends Parameters> = { [name in keyof P]: v.InferOutput<P[name]["schema"]> };

/** The values, or an error that names the first parameter that is not valid. */
function readAll<P extends Parameters>(given: URLSearchParams, parameters: P): Values<P> {
  const values: Record<string, string | string[]> = {};
  for (const name of new Set(given.keys())) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!parameter) {
      const known = Object.keys(parameters).join(", ");
      const message = `Unknown parameter \`${name}\`. Known parameters: ${known}.`;
      throw new FindlingError("request", message);
    }
    const all = given.getAll(name);
    if (all.length > 1 && !parameter.repeated)
      throw refuse(name, "the parameter once", `it ${all.length} times`);
    values[name] = parameter.repeated ? all : all[0]!;
  }
  const entries = Object.entries(parameters).map(([name, { schema }]) => [name, schema]);
  const schema = v.object(Object.fromEntries(entries) as v.ObjectEntries);
  const result = v.safeParse(schema, values, { abortEarly: true });
  if (result.success) return result.output as Values<P>;
  const [issue] = result.issues;
  const name = String(issue.path?.[0]?.key);
  if (values[name] === undefined)
    throw refuse(name, expectedOf(parameters[name]), "no such parameter");
  const found = issue.type === "max_length" ? String(issue.received) : `\`${issue.input}\``;
  throw refuse(name, issue.message, found);
}

/** Returns the expected value of a missing parameter. */
function expectedOf(parameter: Parameter | undefined): string {
  const result = parameter && v.safeParse(parameter.schema, undefined);
  return result?.issues?.[0].message ?? "a value";
}

function refuse(name: string, expected: string, found: string): FindlingError {
  return new FindlingError(
    "request",
    `The parameter \`${name}\` is not valid: expected ${expected}; found ${found}.`,
  );
}

/** The engine's request for `/similar?url=...`. */
export function readSimilar(parameters: URLSearchParams): SearchRequest {
  const values = readAll(parameters, SIMILAR_PARAMETERS);
  return { ...common(values), similarTo: values.url };
}

/** The engine's request for `/search?q=...`. */
export function readSearch(parameters: URLSearchParams): SearchRequest {
  const values = readAll(parameters, SEARCH_PARAMETERS);
  const { q: query, encoder, fusion, prefix, verbatim, suggest, instead, why, also } = values;
  return {
    ...common(values),
    query,
    ...(encoder ? { encoder } : {}),
    ...(fusion ? { fusion: { method: fusion } } : {}),
    ...(prefix ? { prefix } : {}),
    ...(values["every-word"] ? { everyWord: true } : {}),
    ...(verbatim ? { verbatim } : {}),
    ...(suggest === false ? { suggest } : {}),
    ...(instead ? { facetsInstead: true } : {}),
    ...(why ? { why } : {}),
    ...(also.length > 0 ? { also } : {}),
  };
}

/** Reads the parameters of `/suggest?q=...`. */
export function readSuggest(parameters: URLSearchParams) {
  const { q, k = 8, filter, format = "json" } = readAll(parameters, SUGGEST_PARAMETERS);
  const request: SearchRequest = {
    query: q,
    mode: "lexical",
    prefix: true,
    singleLetter: true,
    limit: k,
    sectionsPerPage: 1,
    ...(filter ? { filter } : {}),
  };
  return { request, format };
}

/** The engine's request for `/page?url=...`, and the given address. */
export function readPage(parameters: URLSearchParams) {
  const { url } = readAll(parameters, PAGE_PARAMETERS);
  const request: SearchRequest = { query: "", mode: "lexical", limit: 0, read: url };
  return { request, url };
}

function common(values: Values<typeof COMMON>): SearchRequest {
  const { k = 10, offset, sections, mode, filter, facets, facetsOf } = values;
  const { sort, prefer, order, spread, copies, explain } = values;
  return {
    query: "",
    limit: k,
    ...(offset ? { offset } : {}),
    ...(sections ? { sectionsPerPage: sections } : {}),
    ...(mode ? { mode } : {}),
    ...(filter ? { filter } : {}),
    ...(facets ? { facets: facets.split(",") } : {}),
    ...(facetsOf ? { facetsOf } : {}),
    ...(sort ? { sort: readSort(sort) } : {}),
    ...(prefer ? { prefer: readPrefer(prefer) } : {}),
    ...(order ? { order } : {}),
    ...(spread ? { spread } : {}),
    ...(copies ? { copies } : {}),
    ...(explain ? { explain } : {}),
  };
}

/** `attribute`, or `-attribute` for the largest first. */
function readSort(text: string): Sort {
  return text.startsWith("-") ? { by: text.slice(1), descending: true } : { by: text };
}

/** `attribute` or `attribute:share`, with `-` in front to prefer the smallest. */
function readPrefer(text: string): Prefer {
  const [, minus, by, share] = /^(-?)(.*?)(?::([\d.]+))?$/s.exec(text)!;
  return {
    by: by!,
    ...(minus ? { ascending: true } : {}),
    ...(share ? { share: Number(share) } : {}),
  };
}
