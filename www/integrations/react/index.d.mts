import type { FunctionComponent, ReactNode } from "react";
import type {
  Events,
  RelatedAttributes,
  ResultsAttributes,
  SearchAttributes,
  Settings,
} from "../common/types.mjs";

type Handlers<Name extends keyof Events = keyof Events> = {
  [Event in Name as `on${Capitalize<Event>}`]?: Events[Event];
};

interface Common extends Settings {
  className?: string;
  id?: string;
}

/** The search box. An element with `slot="trigger"` among its children opens it. */
export const FindlingSearch: FunctionComponent<
  Common & Handlers & SearchAttributes & { children?: ReactNode }
>;
/** The page of results. */
export const FindlingResults: FunctionComponent<Common & Handlers & ResultsAttributes>;
/** Pages like the one that is shown. */
export const FindlingRelated: FunctionComponent<
  Common & Handlers<"select"> & RelatedAttributes
>;
