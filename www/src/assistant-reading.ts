/**
 * What assistants can read of a site by its endpoint: passages for a question within a number of
 * tokens, and pages as a whole, in parts. The command line's server has the same tools
 * (`build/src/commands/mcp`). A page in a browser does not offer them: its assistant sees the page.
 */

import {
  BUDGET,
  estimate,
  FILTER,
  IDEOGRAPH,
  type Input,
  type Json,
  list,
  MODE,
  number,
  READ_ONLY,
  refuse,
  SAID,
  type Site,
  safeAttributes,
  type Tool,
  text,
  tokensOf,
  UNTRUSTED,
} from "./assistant-tools";
import type { Document, DocumentSection, PageHit, SectionHit } from "./engine-types";
import { FindlingError } from "./errors";
import { line, lines } from "./safe-text";

/** Pages and sections that passages are taken from. */
const MAX_CONTEXT_PAGES = 20;
const MAX_CONTEXT_SECTIONS = 3;
/**
 * Pages whose texts are read to widen passages. Further ones have their snippets. A Worker on the
 * free plan has 50 requests for files and 10 ms.
 */
const MAX_PAGES_READ = 8;
/** The part of the tokens that is kept back for widening while further sections get snippets. */
const FOR_WIDENING = 0.4;
/** A text with more characters than so many times the tokens left does not fit. */
const MAX_CHARACTERS_PER_TOKEN = 8;
/** Anchors that an error names. */
const MAX_ANCHORS = 30;
/** The furthest offset in a page, in characters. */
const MAX_OFFSET = 100_000_000;

/** A range in a text: start and end. */
type Range = [number, number];

/** A stretch of a section's text that can be widened, without white space at its ends. */
class Excerpt {
  readonly #text: string;
  readonly #passages: readonly Range[];
  #range: Range = [0, 0];

  /** The snippet, or the first passage if the section does not have the snippet. */
  constructor(section: Pick<DocumentSection, "text" | "passages">, snippet: string) {
    this.#text = section.text;
    this.#passages = section.passages;
    const at = snippet === "" ? -1 : section.text.indexOf(snippet);
    this.#set(at < 0 ? (section.passages[0] ?? [0, 0]) : [at, at + snippet.length]);
  }

  get text(): string {
    return this.#text.slice(...this.#range);
  }

  get isWhole(): boolean {
    const [start, end] = this.#range;
    return `${this.#text.slice(0, start)}${this.#text.slice(end)}`.trim() === "";
  }

  /** Widens it to the passages that it touches, if that fits. Returns the tokens left. */
  toPassages(left: number): number {
    let [start, end] = this.#range;
    for (const [first, last] of this.#passages) {
      if (first >= this.#range[1] || last <= this.#range[0]) continue;
      [start, end] = [Math.min(start, first), Math.max(end, last)];
    }
    return this.#widen([start, end], left);
  }

  /** Widens it to the section, if that fits. */
  toSection(left: number): number {
    return this.#widen([0, this.#text.length], left);
  }

  /** Adds the passages behind and before it, in turns, as long as they fit. */
  toNeighbours(tokens: number): number {
    for (let left = tokens; ; ) {
      const before = left;
      const next = this.#passages.find(([start]) => start >= this.#range[1]);
      if (next) left = this.#widen([this.#range[0], next[1]], left);
      const last = this.#passages.findLast(([, end]) => end <= this.#range[0]);
      if (last) left = this.#widen([last[0], this.#range[1]], left);
      if (left === before) return left;
    }
  }

  #widen(range: Range, left: number): number {
    const before = this.#text.slice(range[0], this.#range[0]);
    const behind = this.#text.slice(this.#range[1], range[1]);
    if (before.length + behind.length > left * MAX_CHARACTERS_PER_TOKEN) return left;
    const rest = left - estimate(lines(before)) - estimate(lines(behind));
    if (rest < 0) return left;
    this.#set(range);
    return rest;
  }

  #set([start, end]: Range): void {
    const text = this.#text.slice(start, end);
    const from = start + (text.length - text.trimStart().length);
    this.#range = [from, from + text.trim().length];
  }
}

/** A section that was found, as much of it as was taken so far. */
interface Candidate {
  rank: number;
  /** The place of the section among those of its page that were found. */
  place: number;
  excerpt: Excerpt;
  /** The text of the section, as far as it is known. */
  known: string;
  /** Whether the section has more text than is known. */
  isCut: boolean;
  /** Everything but the text. */
  frame: Json;
}

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
  // A page that cannot be read has its snippets.
  const reads = results.slice(0, MAX_PAGES_READ).map((page) => document(page.id, site));
  const documents = await Promise.all(reads.map((read) => read.catch(() => undefined)));
  const found = candidates(results, documents, site);
  const tokens = tokensOf(input);
  const passages: Json[] = [];
  let used = 0;
  for (const { excerpt, frame, isCut } of fill(found, tokens)) {
    const passage = { ...frame, text: lines(excerpt.text), whole: excerpt.isWhole && !isCut };
    const cost = estimate(JSON.stringify(passage));
    if (used + cost > tokens) continue;
    used += cost;
    passages.push(passage);
  }
  return { untrusted: UNTRUSTED, passages, tokens: used, leftOut: found.length - passages.length };
}

/** The best section of each page, then the second of each, and so on; each text once. */
function candidates(
  pages: readonly PageHit[],
  documents: readonly (Document | undefined)[],
  site: Site,
): Candidate[] {
  const found: Candidate[] = [];
  for (let place = 0; place < MAX_CONTEXT_SECTIONS; place++) {
    for (const [at, page] of pages.entries()) {
      const hit = page.sections[place];
      if (!hit) continue;
      const { text, cutStart, cutEnd } = hit.snippet;
      const section = sectionOf(documents[at], hit);
      const known = section?.text ?? text;
      if (found.some((other) => other.known === known)) continue;
      const excerpt = new Excerpt(section ?? { text, passages: [] }, text);
      const isCut = !section && (cutStart || cutEnd);
      const frame = {
        title: line(page.title || page.id),
        headingPath: hit.headingPath.map(line),
        url: site.resolve(hit.url) ?? line(hit.url),
      };
      found.push({ rank: at + 1, place, excerpt, known, isCut, frame });
    }
  }
  return found;
}

/** The section that a hit is: the one with its anchor and headings that has the snippet. */
function sectionOf(page: Document | undefined, hit: SectionHit): DocumentSection | undefined {
  const headings = hit.headingPath.join("\n");
  const alike = page?.sections.filter(
    ({ anchor, headingPath }) => anchor === hit.anchor && headingPath.join("\n") === headings,
  );
  return alike?.find(({ text }) => text.includes(hit.snippet.text)) ?? alike?.[0];
}

/**
 * Gives each page a snippet, and further sections theirs for a part of the tokens. The rest widens
 * them. What is left over goes to snippets of further candidates. In the order of the ranking.
 */
function fill(found: readonly Candidate[], tokens: number): Candidate[] {
  let left = tokens;
  const [taken, later]: [Candidate[], Candidate[]] = [[], []];
  /** Takes a candidate if at least `floor` tokens are left then. */
  const take = (candidate: Candidate, floor: number): boolean => {
    const { frame, excerpt } = candidate;
    const passage = { ...frame, text: lines(excerpt.text), whole: false };
    const rest = left - estimate(JSON.stringify(passage));
    if (rest < floor) return false;
    left = rest;
    taken.push(candidate);
    return true;
  };
  for (const candidate of found) {
    // A page without a passage cannot be the one that answers.
    const floor = candidate.place === 0 ? 0 : Math.floor(tokens * FOR_WIDENING);
    if (!take(candidate, floor)) later.push(candidate);
  }
  for (const { excerpt } of taken) left = excerpt.toPassages(left);
  for (const { excerpt } of taken) left = excerpt.toSection(left);
  for (const { excerpt } of taken) left = excerpt.toNeighbours(left);
  for (const candidate of later) take(candidate, 0);
  return taken.sort((a, b) => a.rank - b.rank || a.place - b.place);
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
function meant(page: Document, address: string): { url: string; sections: DocumentSection[] } {
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
    // A part of a long section has the heading of the part before.
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

/**
 * Where the longest part of a text ends that begins at `from` and takes at most so many tokens, at
 * white space if there is any. At least one character, so that reading goes on.
 */
function endOf(text: string, from: number, tokens: number): number {
  if (from >= text.length) return text.length;
  const parts = /[A-Za-z0-9]+|\n|\S/gu;
  parts.lastIndex = from;
  let [end, total, others] = [from, 0, 0];
  const used = () => total + Math.ceil((others * 2) / 3);
  for (let match = parts.exec(text); match; match = parts.exec(text)) {
    const [part] = match;
    const room = tokens - used();
    if (/^[A-Za-z0-9]/.test(part)) total += Math.ceil(part.length / 4);
    else if (part.codePointAt(0)! < 0x80 || IDEOGRAPH.test(part)) total += 1;
    else others += 1;
    if (used() > tokens) {
      // A word that is longer than all that may be given is cut.
      if (end === from) return match.index + room * 4;
      const space = text.slice(from, end).search(/\s\S*$/);
      return space * 2 > end - from ? from + space : end;
    }
    end = match.index + part.length;
  }
  return text.length;
}

/** The tools that the endpoint has beside those of `assistant-tools.ts`. */
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
