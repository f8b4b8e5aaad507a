/** Options that a search panel gets from its element. */

import type { FindlingIndex } from "../client";
import type { Mode, Order } from "../engine-types";
import type { Filter, SearchOptions, SearchResponse } from "../types";
import type { Labels } from "./labels";
import type { Hit } from "./verdict";

/** The values of an element's attributes. */
export interface PanelSearch {
  mode: Mode;
  order: Order;
  limit: number;
  /** The attributes that are shown as filters; `*` for all facets of the bundle. */
  facets: string[];
  placeholder: string;
  /** Searches that the empty box offers. */
  suggestions: string[];
  /** Further options from the element's attributes: orders, spread. */
  options: SearchOptions;
}

/** The element's services for the panel. */
export interface PanelOptions {
  labels: () => Labels;
  /** Opens the bundle; called again after a failure. */
  open: () => Promise<FindlingIndex>;
  asked: () => PanelSearch;
  /** The filter that the site sets, once the bundle is open. */
  preset: (index: FindlingIndex) => Promise<Filter | undefined>;
  /** The switch between parts of the site, if there is one. */
  scope: HTMLElement | undefined;
  /** A result was chosen: go to `passage`, or to `href` in a site that navigates by itself. */
  select: (hit: Hit, href: string, passage: string, position: number) => void;
  /** The reader types. */
  typed: () => void;
  /** Whether links name the passage that they lead to. */
  passages: () => boolean;
  /** The address of a page with all results of a query, if there is one. */
  all: (query: string) => string | undefined;
  /** A search was answered; `isWhole`: the answer is complete. */
  answered: (response: SearchResponse, isWhole: boolean) => void;
  dismiss: () => void;
}
