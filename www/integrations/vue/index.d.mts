import type { DefineComponent, EmitsOptions } from "vue";
import type {
  Events,
  RelatedAttributes,
  ResultsAttributes,
  SearchAttributes,
  Settings,
} from "../common/types.mjs";

type Component<Attributes, Name extends keyof Events = keyof Events> = DefineComponent<
  Settings & Attributes,
  object,
  object,
  object,
  object,
  object,
  object,
  EmitsOptions & Pick<Events, Name>
>;

/** The search box. An element with `slot="trigger"` among its children opens it. */
export const FindlingSearch: Component<SearchAttributes>;
/** The page of results. */
export const FindlingResults: Component<ResultsAttributes>;
/** Pages like the one that is shown. */
export const FindlingRelated: Component<RelatedAttributes, "select">;
