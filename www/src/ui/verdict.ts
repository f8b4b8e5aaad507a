/** The verdict on a query: nothing on the site is likely to answer it. */

import type { PageResult, SearchResponse, SectionResult } from "../types";

/** The estimate below which nothing counts as an answer (docs/design/answers.md). */
const NOTHING_BELOW = 0.09;

/** The page and the section of an option. */
export interface Hit {
  page: PageResult;
  section: SectionResult | undefined;
}

/** `undefined`: something may answer. */
export type Verdict = "nothing" | undefined;

/** The verdict on the query of a response. */
export function verdictOn({ answerable, results }: SearchResponse): Verdict {
  if (answerable === null || !results[0]?.sections[0]) return undefined;
  return answerable < NOTHING_BELOW ? "nothing" : undefined;
}
