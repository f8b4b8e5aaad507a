import type { Action } from "svelte/action";
import type { Events, Settings } from "../common/types.mjs";

type Handlers = { [Name in keyof Events as `on${Name}`]?: Events[Name] };

/** What the action takes, besides the attributes of the element itself. */
export interface FindlingSettings extends Settings, Handlers {}

/** Starts `<findling-search>`, `<findling-results>` or `<findling-related>`. */
export const findling: Action<HTMLElement, FindlingSettings | undefined>;
