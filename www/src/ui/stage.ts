/** The stages of an answer. */

/** How complete an answer is. A less complete answer never replaces a more complete one. */
export const Stage = {
  /** The results of the query's own words, while a correction is looked for. */
  OWN_WORDS: 0,
  /** The results by words, corrected. */
  WORDS: 1,
  /** The results in the panel's mode. */
  WHOLE: 2,
} as const;
export type Stage = (typeof Stage)[keyof typeof Stage];
