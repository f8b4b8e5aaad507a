/** The texts of the element. Its `labels` property replaces any of them. */
export const LABELS = {
  search: "Search",
  placeholder: "Search by words or meaning",
  close: "Close",
  clear: "Clear filters",
  results: "Search results",
  filters: "Filters",
  more: "More results",
  moreValues: (n: number) => `${n} more`,
  fewerValues: "Fewer",
  idle: (pages: number) => `Search ${pages.toLocaleString()} pages`,
  idleHint:
    "Ask in your own words. Use \u201Cquotes\u201D to search for a phrase and \u2212word to " +
    "exclude a word.",
  none: (query: string) => `No results for \u201C${query}\u201D`,
  noneHint: "Try other words, or fewer words.",
  noneFiltered: "Filters are set. Clear them to see more results.",
  suggested: "Did you mean",
  found: (pages: number) => (pages === 1 ? "1 page" : `${pages.toLocaleString()} pages`),
  without: {
    spelling: "With spelling corrected",
    phrases: "Without quotation marks",
    exclusions: "Without excluded words",
    part: (attribute: string) => `With any ${attribute}`,
    filter: "Without filters",
    everything: "Without any of these restrictions",
  },
  corrected: "Showing results for",
  verbatim: (query: string) => `Search for \u201C${query}\u201D as written`,
  /** Above results that a correction adds below the results of the query's own words. */
  alsoCorrected: "With spelling corrected",
  /** Above results that meaning adds below the results by words. */
  also: "Close in meaning",
  /** Above the sentence that answers the query. */
  answer: "Answer",
  /** Above results of which none is likely to answer. */
  unanswered: "Nothing here answers this. The nearest headings:",
  copies: (n: number) => (n === 1 ? "1 copy" : `${n.toLocaleString()} copies`),
  retry: "Try again",
  failed: "Search is not available",
  /** `more` is "+" if the counts are lower bounds, else empty. */
  counting: (pages: number, sections: number, more: string) =>
    [
      `${pages.toLocaleString()}${more} ${pages === 1 ? "page" : "pages"}`,
      `${sections.toLocaleString()}${more} ${sections === 1 ? "section" : "sections"}`,
    ].join(", "),
  byWords: "by words",
  byMeaning: "by meaning",
  byBoth: "by words and meaning",
  loadingMeaning: "Loading search by meaning",
  loadMeaning: (megabytes: string) => `Search by meaning as well (${megabytes} MB)`,
  select: "to open",
  move: "to move",
  dismiss: "to close",
};

export type Labels = typeof LABELS;
