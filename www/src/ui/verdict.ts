/** The verdict on a query: this sentence answers it, or nothing on the site does. */

import type { PageResult, SearchResponse, SectionResult } from "../types";

/** The chance from which the best sentence is shown as the answer (docs/design/answers.md). */
const ANSWERS_FROM = 0.9;
/** The chance below which nothing is taken to answer. */
const NOTHING_BELOW = 0.09;
/** How much of its score the first page must lead by: else another page may answer as well. */
const MIN_LEAD = 0.2;
/** How many words of the query the sentence has at least: else only its heading has them. */
const MIN_MARKS = 2;
/** A query of fewer words asks for a page rather than for a sentence. */
const MIN_WORDS = 3;

/** The page and the section of an option. */
export interface Hit {
  page: PageResult;
  section: SectionResult | undefined;
}

/** The answer in the words of the site, and where it stands. */
export interface AnswerHit extends Hit {
  sentence: string;
}

/** `undefined`: neither is likely enough. */
export type Verdict = AnswerHit | "nothing" | undefined;

/** The verdict on the query of a response. */
export function verdictOn({ query, answerable, results }: SearchResponse): Verdict {
  const page = results[0];
  const section = page?.sections[0];
  if (answerable === null || !page || !section) return undefined;
  if (answerable < NOTHING_BELOW) return "nothing";
  const {
    text,
    ranges,
    code,
    sentence: [start, end],
  } = section.snippet;
  const sentence = text.slice(start, end).trim();
  const isWhole = /[.!?\u3002\uFF01\uFF1F][)"'\u2019\u201D]*$/.test(sentence);
  const marks = ranges.filter(([from, to]) => start <= from && to <= end);
  const isCode = code.some(([from, to]) => from <= start && end <= to);
  const next = results[1]?.score ?? 0;
  const leads = page.score - next >= MIN_LEAD * page.score;
  const asks = query.trim().split(/\s+/).length >= MIN_WORDS;
  if (answerable < ANSWERS_FROM || !leads || !asks) return undefined;
  if (marks.length < MIN_MARKS || !isWhole || isCode) return undefined;
  return { page, section, sentence };
}
