/**
 * The texts of the search box in English. Other languages are in `locales/`, one file each; the
 * `labels` property of an element replaces any text. Texts are data, so that the configuration of a
 * site can hold them. `{name}` stands for a value; a text with a number has a form for each plural
 * category of its language.
 */

/** Forms by plural category (CLDR). */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

export const LABELS = {
  /** The language of the texts, whose rules choose plurals and write numbers. */
  language: "en",
  search: "Search",
  placeholder: "Search by words or meaning",
  close: "Close",
  clear: "Clear filters",
  clearText: "Clear the text",
  results: "Search results",
  filters: "Filters",
  more: "More results",
  moreValues: { other: "{n} more" } as Plural,
  fewerValues: "Fewer",
  idleHint:
    "Ask in your own words. Use \u201Cquotes\u201D to search for a phrase and -word to " +
    "exclude a word.",
  none: "No results for \u201C{query}\u201D",
  noneHint: "Try other words, or fewer words.",
  noneFiltered: "Filters are set. Clear them to see more results.",
  suggested: "Did you mean",
  pages: { one: "{n} page", other: "{n} pages" } as Plural,
  sections: { one: "{n} section", other: "{n} sections" } as Plural,
  without: {
    spelling: "With spelling corrected",
    phrases: "Without quotation marks",
    exclusions: "Without excluded words",
    part: "With any {attribute}",
    filter: "Without filters",
    everything: "Without any of these restrictions",
  },
  corrected: "Showing results for",
  verbatim: "Search for \u201C{query}\u201D as written",
  /** Above results that a correction adds below the results of the query's own words. */
  alsoCorrected: "With spelling corrected",
  /** Above results that meaning adds below the results by words. */
  also: "Close in meaning",
  /** Above results of which none is likely to answer. */
  unanswered: "Nothing here answers this. The nearest headings:",
  copies: { one: "{n} copy", other: "{n} copies" } as Plural,
  /** While an answer takes long. */
  searching: "Searching\u2026",
  /** A button: a later part of the answer has a better order than the rows that are read. */
  better: "Show better matches",
  /** Only the beginning of a very long text is searched for. */
  longQuery: "The text is very long, so only its beginning was searched for.",
  retry: "Try again",
  failed: "Search is not available",
  /** The reason: there is no connection, or something else. */
  offline: "There seems to be no connection to the internet. Check it and try again.",
  broken: "Something went wrong on this site. Try again in a few minutes.",
  byWords: "by words",
  byMeaning: "by meaning",
  byBoth: "by words and meaning",
  loadingMeaning: "Loading search by meaning",
  loadMeaning: "Search by meaning as well ({megabytes} MB)",
  select: "to open",
  move: "to move",
  /** A link to the page with all results. */
  all: "All results",
  /** Values that are true or false. */
  yes: "Yes",
  no: "No",
};

export type Labels = typeof LABELS & {
  /** Names of attributes, by attribute. */
  attributes?: Record<string, string>;
  /** Names of values, by attribute and value. */
  values?: Record<string, Record<string, string>>;
};

/** A text with its values. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** The number of found pages and sections. */
export function countOf(
  labels: Labels,
  { pages, sections, atLeast }: { pages: number; sections: number; atLeast?: boolean },
): string {
  const more = atLeast ? "+" : "";
  return new Intl.ListFormat(labels.language, { type: "unit" }).format([
    plural(labels, labels.pages, pages, more),
    plural(labels, labels.sections, sections, more),
  ]);
}

/** A text for a number; `more` is "+" if the number is a lower bound, else empty. */
export function plural(
  { language }: Pick<Labels, "language">,
  forms: Plural,
  n: number,
  more = "",
): string {
  const form = forms[new Intl.PluralRules(language).select(n)] ?? forms.other;
  return fill(form, { n: n.toLocaleString(language) + more });
}
