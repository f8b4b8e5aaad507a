/** The state of a results page, and its address: a link to the page shows the same. */

export interface PageState {
  query: string;
  /** The choices by attribute: values, or a range as `from..to`. */
  choices: Map<string, string[]>;
  /**
   * The order: `""` for relevance, `newest`, or an attribute, with `:desc` for the highest first.
   */
  sort: string;
  bySection: boolean;
  /** The page of results, from 1. */
  page: number;
  /** Whether words are searched for as they are written, without corrections. */
  verbatim: boolean;
}

/** The parameter of the query is the usual one of search forms. */
const QUERY = "q";
const SORT = "sort";
const GROUP = "group";
const PAGE = "page";
const VERBATIM = "verbatim";
/** Characters of a query that an address holds: servers refuse long ones. */
const MAX_QUERY = 1500;
/** Prefix of the name of an attribute, because another parameter may have the same name. */
const CHOICE = "f.";

/** Reads the parameters of an address. */
export function readState(parameters: URLSearchParams): PageState {
  const choices = new Map<string, string[]>();
  for (const [name, value] of parameters) {
    if (!name.startsWith(CHOICE)) continue;
    const attribute = name.slice(CHOICE.length);
    choices.set(attribute, [...(choices.get(attribute) ?? []), value]);
  }
  return {
    query: parameters.get(QUERY)?.trim() ?? "",
    choices,
    sort: parameters.get(SORT) ?? "",
    bySection: parameters.get(GROUP) === "section",
    verbatim: parameters.has(VERBATIM),
    page: Math.max(1, Math.trunc(Number(parameters.get(PAGE))) || 1),
  };
}

/** Endings of addresses that say nothing about a page's subject. */
const ENDING = /(?:\/index)?\.(?:html?|php|aspx?|md)$|\/index$/i;

/** The words of an address's path, for a page that does not exist. */
export function wordsOf(path: string): string {
  const plain = path.replace(ENDING, "");
  let words = plain;
  try {
    words = decodeURIComponent(plain);
  } catch {
    // It is searched for as it is written.
  }
  return words
    .split(/[^\p{L}\p{N}]+/u)
    .join(" ")
    .trim();
}

/** The address of a state. Parameters that do not belong to the search are kept. */
export function addressOf(state: PageState, current: string): string {
  const address = new URL(current);
  const { searchParams: parameters } = address;
  const isOwn = (name: string) => [QUERY, SORT, GROUP, PAGE, VERBATIM].includes(name);
  for (const name of [...parameters.keys()])
    if (isOwn(name) || name.startsWith(CHOICE)) parameters.delete(name);
  if (state.query !== "") parameters.set(QUERY, state.query.slice(0, MAX_QUERY));
  for (const [attribute, values] of state.choices)
    for (const value of values) parameters.append(CHOICE + attribute, value);
  if (state.sort !== "") parameters.set(SORT, state.sort);
  if (state.bySection) parameters.set(GROUP, "section");
  if (state.verbatim) parameters.set(VERBATIM, "1");
  if (state.page > 1) parameters.set(PAGE, String(state.page));
  // The passage in an address belongs to another visit.
  address.hash = "";
  return address.href;
}
