/** The filter of a bundle that is one of several, joined with the filter of a search. */

import type { Filter } from "./types";

/** Returns the filter that holds where both hold. */
export const bothFilters = (own: Filter | undefined, asked: Filter | undefined) =>
  own === undefined || asked === undefined ? (own ?? asked) : { must: [own, asked] };
