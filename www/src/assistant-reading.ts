/**
 * Tools by which assistants read a site through its endpoint: passages for a question within a
 * number of tokens, and whole pages in parts. The command line's server has the same tools
 * (`build/src/commands/mcp`). A page in a browser does not offer them, because its assistant sees
 * the page.
 */

import { takePassages } from "./assistant-passages";
import {
  BUDGET,
  FILTER,
  type Input,
  type Json,
  list,
  MODE,
  number,
  READ_ONLY,
  refuse,
  SAID,
  type Site,
  type Tool,
  text,
  tokensOf,
  UNTRUSTED,
} from "./assistant-tool";
import { safeAttributes } from "./assistant-tools";
import type { Document, DocumentSection, PageHit } from "./engine-types";
import { FindlingError } from "./errors";
import { line, lines } from "./safe-text";
import { endOf, estimate } from "./token-estimate";

/** Anchors that an error names. */
const MAX_ANCHORS = 30;
/** The largest offset in a page, in characters. */
const MAX_OFFSET = 100_000_000;

/**
 * Pages from which passages are taken (as many as in the command line), and sections of each. Here
 * the text of each further section may cost a request; the command line has the files.
 */
const MAX_CONTEXT_PAGES = 20;
const MAX_CONTEXT_SECTIONS = 3;

async function context(input: Input, site: Site): Promise<Json> {
  const query = input.text("query");
  if (query === undefined) throw refuse("query", "a question", undefined);
  const filter = input.text("filter");
  const { results } = await site.ask({
    query,
    mode: input.mode(),
    limit: MAX_CONTEXT_PAGES,
    sectionsPerPage: MAX_CONTEXT_SECTIONS,
    ...(filter ? { filter } : {}),
  });
  const reader = { read: (page: PageHit) => document(page.id, site) };
  const { passages, tokens, leftOut } = await takePassages(results, reader, tokensOf(input));
  return {
    untrusted: UNTRUSTED,
    passages: passages.map(({ title, headingPath, url, text, whole }) => ({
      title: line(title),
      headingPath: headingPath.map(line),
      url: site.resolve(url) ?? line(url),
      text: lines(text),
      whole,
    })),
    tokens,
    leftOut,
  };
}

async function document(address: string, site: Site): Promise<Document> {
  const { document } = await site.ask({ query: "", mode: "lexical", limit: 0, read: address });
  if (!document) throw new FindlingError("internal", `The text of ${line(address)} is missing.`);
  return document;
}

async function read(input: Input, site: Site): Promise<Json> {
  const address = input.text("url");
  if (address === undefined) throw refuse("url", "the URL or id of a page", undefined);
  const offset = input.integer("offset", 0, MAX_OFFSET);
  const page = await document(address, site);
  const { url, sections } = meant(page, address);
  const whole = textOf(sections);
  const output = {
    untrusted: UNTRUSTED,
    title: line(page.title),
    url: site.resolve(url) ?? line(url),
    attributes: safeAttributes(page.attributes),
    offset,
    length: whole.length,
  };
  const left = tokensOf(input) - estimate(JSON.stringify(output));
  const end = endOf(whole, offset, Math.max(left, 1));
  return {
    ...output,
    text: whole.slice(offset, end),
    nextOffset: end < whole.length ? end : null,
  };
}

/** The address and the sections of a page, or of the section that `address` names by its anchor. */
export function meant(
  page: Document,
  address: string,
): { url: string; sections: DocumentSection[] } {
  const anchor = page.id === address ? "" : address.split("#").slice(1).join("#");
  if (anchor === "") return { url: page.url, sections: page.sections };
  const at = page.sections.findIndex((section) => section.anchor === anchor);
  const section = page.sections[at];
  if (!section) {
    const known = page.sections.flatMap(({ anchor }) => anchor ?? []).slice(0, MAX_ANCHORS);
    throw refuse("url", `an anchor of the page, one of ${known.join(", ")}`, anchor);
  }
  const headings = section.headingPath;
  const isBelow = ({ level, headingPath, anchor }: DocumentSection) =>
    headings.every((heading, at) => heading === headingPath[at]) &&
    (level > section.level || anchor === section.anchor);
  const behind = page.sections.slice(at + 1);
  const end = behind.findIndex((other) => !isBelow(other));
  const below = end < 0 ? behind : behind.slice(0, end);
  return { url: `${page.url}#${anchor}`, sections: [section, ...below] };
}

/** The text of sections, with headings as in Markdown. */
function textOf(sections: readonly DocumentSection[]): string {
  const parts: string[] = [];
  let last: DocumentSection | undefined;
  for (const section of sections) {
    const { level, anchor, headingPath } = section;
    // A later part of a long section repeats the heading of the part before it.
    const continues =
      last?.anchor === anchor && last.headingPath.join("\n") === headingPath.join("\n");
    const heading = headingPath.at(-1);
    if (!continues && heading !== undefined)
      parts.push(`${"#".repeat(Math.max(level, 1))} ${line(heading)}`);
    const own = lines(section.text).trimEnd();
    if (own.trim() !== "") parts.push(own);
    last = section;
  }
  return parts.join("\n\n");
}

/** The tools that the endpoint has in addition to `assistant-tools.ts`. */
export const READING_TOOLS: readonly Tool[] = [
  {
    name: "context",
    title: "Passages for a question",
    description:
      "Get the best passages of this site for a question within a number of tokens: whole " +
      "sections if they fit, each with the URL to cite.",
    annotations: READ_ONLY,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["query"],
      properties: { query: text("The question."), filter: FILTER, mode: MODE, tokens: BUDGET },
    },
    outputSchema: {
      type: "object",
      required: ["untrusted", "passages", "tokens", "leftOut"],
      properties: {
        untrusted: SAID,
        passages: list({
          type: "object",
          required: ["title", "headingPath", "url", "text", "whole"],
          properties: {
            title: text("The page's title."),
            headingPath: list(text("Headings from the outermost to the section's own.")),
            url: text("The address to cite, and to read on."),
            text: text("The text."),
            whole: { type: "boolean", description: "Whether it is the whole section." },
          },
        }),
        tokens: number("What the passages take, estimated."),
        leftOut: number("Sections that were found and did not fit."),
      },
    },
    call: context,
  },
  {
    name: "read",
    title: "Read a page",
    description:
      "Read a page of this site, or one of its sections by its #anchor, in full and in parts.",
    annotations: READ_ONLY,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["url"],
      properties: {
        url: text("The URL or id of a page; with #anchor a section with those below it."),
        offset: number("Characters to skip: nextOffset of the answer before."),
        tokens: BUDGET,
      },
    },
    outputSchema: {
      type: "object",
      required: ["untrusted", "title", "url", "attributes", "text", "offset", "length"],
      properties: {
        untrusted: SAID,
        title: text("The page's title."),
        url: text("The address to cite."),
        attributes: { type: "object", description: "The page's attributes." },
        text: text("The text, with headings as in Markdown."),
        offset: number("Where the text begins, in characters."),
        length: number("Characters of the whole text."),
        nextOffset: {
          type: ["integer", "null"],
          description: "The offset to read on; null at the end.",
        },
      },
    },
    call: read,
  },
];
