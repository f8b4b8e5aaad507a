// The types that the components of all frameworks have in common.

import type { Labels, Selection } from "../../dist/types/ui/element";
import type { OpenOptions, SearchResponse } from "../../dist/types/types";

/** What every element takes. */
export interface Settings {
  /** Address of the bundle's directory. Default: `/findling/`. */
  bundle?: string;
  /** Texts to replace. */
  labels?: Partial<Labels>;
  /** Options of `open()`. */
  options?: OpenOptions;
  /** Goes to a page of this site without loading, such as the router's `push`. */
  navigate?: (href: string) => void;
}

export type SearchEvent = CustomEvent<SearchResponse>;
/** `preventDefault()` leaves navigation to the handler. */
export type SelectEvent = CustomEvent<Selection>;

interface Common {
  encoder?: "auto" | "static" | "transformer" | "none";
  theme?: "light" | "dark" | "page";
  limit?: number;
  lang?: string;
}

interface Searching extends Common {
  mode?: "hybrid" | "lexical" | "semantic";
  order?: "relevance" | "recent" | "balanced";
  /** Attributes that are shown as filters, separated by commas; `none` for none. */
  facets?: string;
  placeholder?: string;
  highlight?: boolean;
}

/** The attributes of `<findling-search>`. */
export interface SearchAttributes extends Searching {
  inline?: boolean;
  shortcut?: string;
  keys?: string;
  results?: string;
  history?: "none";
  assistants?: "none";
}

/** The attributes of `<findling-results>`. */
export interface ResultsAttributes extends Searching {
  sorts?: string;
  hierarchies?: string;
  paging?: "more" | "pages";
  missing?: boolean;
}

/** The attributes of `<findling-related>`. */
export interface RelatedAttributes extends Common {
  page?: string;
}
