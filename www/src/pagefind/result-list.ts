/**
 * The list of results: the first results are loaded with the search, the others on demand.
 */

import type { PageResult } from "../types";
import { type FragmentStore, type Presentation, present } from "./fragment";
import type { Ranked } from "./refine";
import type { PagefindResult } from "./types";
import type { Terms } from "./words";

/** Results of one request to the engine. */
export const BATCH = 30;

/** A search whose first results are known. */
export interface Ran {
  first: Ranked[];
  total: number;
  /** The results from rank `offset` on, a batch of them. */
  more(offset: number): Promise<PageResult[]>;
  terms: Terms;
  words: readonly string[];
  weight: number;
  shown: Presentation;
  fragments: FragmentStore;
}

/** All results of a search, best first. */
export function resultList(ran: Ran): PagefindResult[] {
  const batches = new Map<number, Promise<PageResult[]>>();
  const hit = async (rank: number): Promise<PageResult> => {
    const number = Math.floor(rank / BATCH);
    let batch = batches.get(number);
    if (!batch) {
      batch = ran.more(number * BATCH);
      batches.set(number, batch);
      batch.catch(() => batches.delete(number));
    }
    const found = (await batch)[rank % BATCH];
    if (!found) throw new Error(`Expected a result at rank ${rank + 1}, found none.`);
    return found;
  };
  const lowest = ran.first.at(-1)?.score ?? 0;
  return Array.from({ length: Math.max(ran.total, ran.first.length) }, (_, rank) => {
    const known = ran.first[rank];
    const fields = known ? matchedFields(known.hit, ran.terms) : [];
    return {
      id: known?.hit.id ?? `rank-${rank}`,
      score: (known?.score ?? lowest) * ran.weight,
      words: [],
      ...(fields.length > 0 && { matchedMetaFields: fields }),
      data: async () => {
        const { id } = known?.hit ?? (await hit(rank));
        return present(await ran.fragments.load(id), ran.terms, ran.words, ran.shown);
      },
    };
  });
}

function matchedFields({ title, meta }: PageResult, terms: Terms): string[] {
  const fields: [string, string][] = [["title", title], ...meta];
  return fields.filter(([, value]) => terms.matchesIn(value).length > 0).map(([name]) => name);
}
