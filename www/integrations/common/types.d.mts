// The types that the components of all frameworks have in common.

import type { Mode, Order } from "../../dist/types/engine-types.js";
import type { OpenOptions } from "../../dist/types/types.js";
import type { FindlingEvents, Labels } from "../../dist/types/ui/element.js";

/** What every element takes. */
export interface Settings {
  /** Address of the bundle's directory. Default: `/findling/`. */
  bundle?: string;
  /** Texts to replace. */
  labels?: Partial<Labels>;
  /** Options of `open()`. */
  options?: OpenOptions;
  /**
   * Goes to a page of this site without loading, such as the router's `push`. Vue's components give
   * it a path below the base of Vue Router, the others a whole address.
   */
  navigate?: (href: string) => void;
}

/** The handlers of the events, by their names without the `findling-` in front. */
export type Events = {
  [Name in keyof FindlingEvents as Name extends `findling-${infer Short}` ? Short : never]: (
    event: FindlingEvents[Name],
  ) => void;
};

interface Common {
  encoder?: OpenOptions["encoder"];
  theme?: "light" | "dark" | "page";
  limit?: number;
  lang?: string;
}

interface Searching extends Common {
  mode?: Mode;
  order?: Order;
  /** Attributes that are shown as filters, separated by commas; `none` for none. */
  facets?: string;
  /** Only pages that pass this filter; `none` for no filter at all. */
  filter?: string;
  /** An attribute whose values should vary. */
  spread?: string;
  /** An attribute to order by; `:desc` has the highest first. */
  sort?: string;
  placeholder?: string;
  /** Searches that the empty box offers, separated by commas. */
  suggestions?: string;
  highlight?: boolean;
}

/** The attributes of `<findling-search>`. */
export interface SearchAttributes extends Searching {
  inline?: boolean;
  shortcut?: string;
  keys?: string;
  parameter?: string;
  /** Parts of the site to choose from: `Version 3 = version:3; Everything = none`. */
  scopes?: string;
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
