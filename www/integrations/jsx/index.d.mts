// The elements in JSX: of React, of Preact, and of what uses the global namespace.

import type { RelatedAttributes, ResultsAttributes, SearchAttributes } from "../common/types.mjs";

/** What every element takes, whatever made the JSX. What the frameworks call these differs. */
interface OfElement {
  id?: string;
  class?: any;
  className?: any;
  style?: any;
  slot?: string;
  title?: string;
  hidden?: boolean;
  children?: any;
  key?: any;
  ref?: any;
  suppressHydrationWarning?: boolean;
  /** Address of the bundle's directory. */
  bundle?: string;
  /** Base of the addresses of pages. */
  site?: string;
  [data: `data-${string}`]: unknown;
  [event: `on${string}`]: any;
}

interface FindlingElements {
  "findling-search": OfElement & SearchAttributes;
  "findling-results": OfElement & ResultsAttributes;
  "findling-related": OfElement & RelatedAttributes;
}

declare global {
  namespace JSX {
    interface IntrinsicElements extends FindlingElements {}
  }
}

// An application has one of these or none. What is not installed cannot be added to.
// @ts-ignore
declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends FindlingElements {}
  }
}

// @ts-ignore
declare module "preact" {
  namespace JSX {
    interface IntrinsicElements extends FindlingElements {}
  }
}
