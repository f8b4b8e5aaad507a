import type { FunctionComponent, ReactNode } from "react";
import type {
  RelatedAttributes,
  ResultsAttributes,
  SearchAttributes,
  SearchEvent,
  SelectEvent,
  Settings,
} from "../common/types.mjs";

interface Handlers {
  onSearch?: (event: SearchEvent) => void;
  onSelect?: (event: SelectEvent) => void;
  onEmpty?: (event: SearchEvent) => void;
  className?: string;
  id?: string;
}

/** The search box. An element with `slot="trigger"` among its children opens it. */
export const FindlingSearch: FunctionComponent<
  Settings & Handlers & SearchAttributes & { children?: ReactNode }
>;
/** The page of results. */
export const FindlingResults: FunctionComponent<Settings & Handlers & ResultsAttributes>;
/** Pages like the one that is shown. */
export const FindlingRelated: FunctionComponent<Settings & Handlers & RelatedAttributes>;
