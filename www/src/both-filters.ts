/** Joins the filter of one of several bundles with the filter of a search. */

import type { Filter } from "./types";

/** Returns the filter that requires both. */
export const bothFilters = (own: Filter | undefined, asked: Filter | undefined) =>
  own === undefined || asked === undefined ? (own ?? asked) : { must: [own, asked] };
