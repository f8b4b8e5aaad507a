import type { Snippet } from "./engine-types";

/** The snippet of a page without sections. */
export const EMPTY_SNIPPET: Snippet = {
  text: "",
  ranges: [],
  code: [],
  sentence: [0, 0],
  cutStart: false,
  cutEnd: false,
};
