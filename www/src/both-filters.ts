/** The filter of a bundle that is one of several, and that of a search. */

import type { Filter } from "./types";

/** The filter that holds where both hold. */
export const bothFilters = (own: Filter | undefined, asked: Filter | undefined) =>
  own === undefined || asked === undefined ? (own ?? asked) : { must: [own, asked] };
