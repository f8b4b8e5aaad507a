/** The English texts of parts that are loaded in addition to the search box. */

export const PAGE_LABELS = {
  sort: "Sort by",
  relevance: "Relevance",
  newest: "Newest first",
  /** An order by an attribute, the lowest value first, or the highest. */
  ascending: "{attribute}, lowest first",
  descending: "{attribute}, highest first",
  group: "Group by",
  byPage: "Page",
  bySection: "Section",
  /** The bounds of numbers and dates. */
  from: "From",
  to: "To",
  remove: "Remove filter: {filter}",
  previous: "Previous page",
  next: "Next page",
  pageNumber: "Page {n}",
  pagination: "Pages of results",
  recent: "Recent searches",
  opened: "Recently opened",
  favourites: "Favourites",
  keep: "Add \u201C{title}\u201D to favourites",
  unkeep: "Remove \u201C{title}\u201D from favourites",
  forget: "Remove \u201C{title}\u201D from the list",
  forgetAll: "Clear the history",
  related: "Related pages",
};

export type PageLabels = typeof PAGE_LABELS;
