import type { DefineComponent, EmitsOptions } from "vue";
import type {
  RelatedAttributes,
  ResultsAttributes,
  SearchAttributes,
  SearchEvent,
  SelectEvent,
  Settings,
} from "../common/types.mjs";

type Emits = EmitsOptions & {
  search: (event: SearchEvent) => void;
  select: (event: SelectEvent) => void;
  empty: (event: SearchEvent) => void;
};

type Component<Attributes> = DefineComponent<
  Settings & Attributes,
  object,
  object,
  object,
  object,
  object,
  object,
  Emits
>;

/** The search box. An element with `slot="trigger"` among its children opens it. */
export const FindlingSearch: Component<SearchAttributes>;
/** The page of results. */
export const FindlingResults: Component<ResultsAttributes>;
/** Pages like the one that is shown. */
export const FindlingRelated: Component<RelatedAttributes>;
