/** Every word the element says. Replace any of them through the element's `labels` property. */
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
    "Ask in your own words, or use \u201Cquotes\u201D for a phrase and \u2212word to leave one out.",
  none: (query: string) => `Nothing found for \u201C${query}\u201D`,
  noneHint: "Try other words, or fewer of them.",
  noneFiltered: "Some filters are set; without them there may be more.",
  suggested: "Did you mean",
  found: (pages: number) => (pages === 1 ? "1 page" : `${pages.toLocaleString()} pages`),
  without: {
    spelling: "With spelling corrected",
    phrases: "Without quotation marks",
    exclusions: "Without leaving words out",
    part: (attribute: string) => `With any ${attribute}`,
    filter: "Without filters",
    everything: "Without all of that",
  },
  corrected: "Showing results for",
  verbatim: (query: string) => `Search for \u201C${query}\u201D as written`,
  also: "Close in meaning",
  copies: (n: number) => (n === 1 ? "1 copy" : `${n.toLocaleString()} copies`),
  retry: "Try again",
  failed: "Search is not available",
  /** `more`: "+" where there may be more than that, else nothing. */
  counting: (pages: number, sections: number, more: string) =>
    `${pages.toLocaleString()}${more} ${pages === 1 ? "page" : "pages"}, ${sections.toLocaleString()}${more} ${sections === 1 ? "section" : "sections"}`,
  byWords: "by words",
  byMeaning: "by meaning",
  byBoth: "by words and meaning",
  loadingMeaning: "Meaning is loading",
  loadMeaning: (megabytes: string) => `Search by meaning, too (${megabytes} MB)`,
  select: "to open",
  move: "to move",
  dismiss: "to close",
};

export type Labels = typeof LABELS;
