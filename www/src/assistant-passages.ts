/**
 * The best passages of an answer within a number of tokens. The rule is the command line's
 * (`build/src/passages`): half of the tokens are for snippets, one from the best section of each
 * page, in the order of the ranking. Then each of these pages in turn may use four fifths of the
 * remaining tokens to widen its sections. Tokens that are left over widen them further, and then go
 * to snippets of other sections.
 */

import type { Document, DocumentSection, PageHit, SectionHit } from "./engine-types";
import { Excerpt } from "./excerpt";
import { estimate } from "./token-estimate";

/** The part of the tokens that is reserved for widening. */
const FOR_WIDENING = 0.5;
/** The part of the remaining tokens that one section may take. */
const OF_REST = 0.8;
/** Tokens that a passage takes without its headings, its address and its text. */
const FRAME = 8;

/** A stretch of a section, with the address to cite. */
export interface Passage {
  title: string;
  headingPath: readonly string[];
  url: string;
  text: string;
  /** Whether it is the whole section. */
  whole: boolean;
}

export interface Passages {
  /** In the order of the ranking. */
  passages: Passage[];
  /** The estimated tokens of the passages. */
  tokens: number;
  /** Sections that were found and did not fit. */
  leftOut: number;
}

/** Reads the text of a page. */
export interface PageReader {
  read(page: PageHit): Promise<Document>;
}

/** A section that was found, with the part of it that was taken so far. */
interface Candidate {
  page: PageHit;
  hit: SectionHit;
  rank: number;
  /** The place of the section among the found sections of its page. */
  place: number;
  excerpt: Excerpt;
  /** Whether the section has more text than is known. */
  isCut: boolean;
  /** The tokens of title, headings and address. */
  frame: number;
}

/** The pages that were read. A page that cannot be read has `undefined`, and keeps its snippets. */
type Documents = Map<PageHit, Document | undefined>;

/**
 * The passages of the pages of an answer. Only pages that passages are taken from are read: first
 * the pages whose snippets fit, then the pages for which tokens are left.
 */
export async function takePassages(
  pages: readonly PageHit[],
  reader: PageReader,
  tokens: number,
): Promise<Passages> {
  const documents: Documents = new Map();
  // Each turn reads at least one more page. The texts can change which pages fit: a copy of a
  // section is recognised by its text.
  for (;;) {
    const found = candidates(pages, documents);
    const start = withSnippets(found, tokens);
    const isUnread = ({ page }: Candidate) => !documents.has(page);
    const first = start.sections.filter(isUnread);
    const taken = first.length > 0 ? first : spend(start);
    const wanted = new Set(taken.filter(isUnread).map(({ page }) => page));
    if (wanted.size === 0) return passagesOf(taken, found.length);
    const reading = [...wanted].map(async (page) => {
      const document = await reader.read(page).catch(() => undefined);
      documents.set(page, document);
    });
    await Promise.all(reading);
  }
}

function passagesOf(taken: readonly Candidate[], found: number): Passages {
  const passages = taken.map(({ page, hit, excerpt, isCut }) => ({
    title: titleOf(page),
    headingPath: hit.headingPath,
    url: hit.url,
    text: excerpt.text,
    whole: excerpt.isWhole && !isCut,
  }));
  const tokens = taken.reduce((sum, candidate) => sum + costOf(candidate), 0);
  return { passages, tokens, leftOut: found - taken.length };
}

/** The best section of each page, then the second of each, and so on; each known text once. */
function candidates(pages: readonly PageHit[], documents: Documents): Candidate[] {
  const found: Candidate[] = [];
  const texts = new Set<string>();
  const most = Math.max(0, ...pages.map(({ sections }) => sections.length));
  for (let place = 0; place < most; place++) {
    for (const [at, page] of pages.entries()) {
      const hit = page.sections[place];
      if (!hit) continue;
      const { text, cutStart, cutEnd } = hit.snippet;
      const section = sectionOf(documents.get(page), hit);
      if (section && texts.has(section.text)) continue;
      if (section) texts.add(section.text);
      const excerpt = new Excerpt(section ?? { text, passages: [] }, text);
      const isCut = !section && (cutStart || cutEnd);
      found.push({ page, hit, rank: at + 1, place, excerpt, isCut, frame: frameOf(page, hit) });
    }
  }
  return found;
}

/** The section of a hit: the one with the hit's anchor and headings that contains the snippet. */
function sectionOf(page: Document | undefined, hit: SectionHit): DocumentSection | undefined {
  const headings = hit.headingPath.join("\n");
  const alike = page?.sections.filter(
    ({ anchor, headingPath }) => anchor === hit.anchor && headingPath.join("\n") === headings,
  );
  return alike?.find(({ text }) => text.includes(hit.snippet.text)) ?? alike?.[0];
}

function titleOf(page: PageHit): string {
  return page.title || page.id;
}

function frameOf(page: PageHit, hit: SectionHit): number {
  const title = titleOf(page);
  // A page's first heading often repeats its title.
  const below = hit.headingPath.slice(hit.headingPath[0] === title ? 1 : 0);
  const headings = below.reduce((sum, heading) => sum + estimate(heading) + 1, 0);
  return FRAME + estimate(title) + headings + estimate(hit.url);
}

function costOf({ frame, excerpt }: Candidate): number {
  return frame + excerpt.tokens;
}

/** The sections that have a snippet, and the tokens left. */
interface Start {
  /** The sections of these pages, page by page. */
  sections: Candidate[];
  /** The sections that have their snippet. */
  paid: ReadonlySet<Candidate>;
  /** The sections of the other pages, in the order of the candidates. */
  others: Candidate[];
  left: number;
}

/** Gives pages a snippet of their best section as long as half of the tokens are left. */
function withSnippets(found: readonly Candidate[], tokens: number): Start {
  let left = Math.max(tokens, 0);
  const keptBack = part(left, FOR_WIDENING);
  const paid = new Set<Candidate>();
  const pages = new Set<PageHit>();
  for (const candidate of found) {
    const rest = left - costOf(candidate);
    if (candidate.place > 0 || rest < (pages.size === 0 ? 0 : keptBack)) continue;
    left = rest;
    paid.add(candidate);
    pages.add(candidate.page);
  }
  const sections = inOrder(found.filter(({ page }) => pages.has(page)));
  return { sections, paid, others: found.filter(({ page }) => !pages.has(page)), left };
}

/**
 * Spends the remaining tokens. Returns the sections that are taken, in the order of the ranking.
 */
function spend({ sections, paid, others, left: rest }: Start): Candidate[] {
  let left = rest;
  const [taken, later]: [Candidate[], Candidate[]] = [[], []];
  for (const candidate of sections) {
    const share = part(left, OF_REST);
    const room = share - (paid.has(candidate) ? 0 : costOf(candidate));
    if (room < 0) {
      later.push(candidate);
      continue;
    }
    left += widen(candidate, room) - share;
    taken.push(candidate);
  }
  for (const candidate of taken) left = widen(candidate, left);
  for (const candidate of [...later, ...others]) {
    const cost = costOf(candidate);
    if (cost > left) continue;
    left -= cost;
    taken.push(candidate);
  }
  return inOrder(taken);
}

/** Widens an excerpt as far as this number of tokens allows. Returns the tokens left. */
function widen({ excerpt }: Candidate, tokens: number): number {
  return excerpt.toNeighbours(excerpt.toSection(excerpt.toPassages(tokens)));
}

function inOrder(found: Candidate[]): Candidate[] {
  return found.sort((a, b) => a.rank - b.rank || a.place - b.place);
}

/** The part of a number of tokens, rounded like in the command line, in 32 bits. */
function part(tokens: number, of: number): number {
  return Math.trunc(Math.fround(Math.fround(tokens) * Math.fround(of)));
}
