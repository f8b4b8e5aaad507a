import type { Action } from "svelte/action";
import type { SearchEvent, SelectEvent, Settings } from "../common/types.mjs";

/** What the action takes, besides the attributes of the element itself. */
export interface FindlingSettings extends Settings {
  onsearch?: (event: SearchEvent) => void;
  onselect?: (event: SelectEvent) => void;
  onempty?: (event: SearchEvent) => void;
}

/** Starts `<findling-search>`, `<findling-results>` or `<findling-related>`. */
export const findling: Action<HTMLElement, FindlingSettings | undefined>;
