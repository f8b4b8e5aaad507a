/** The search box and the page of results, over all collections. */

import { sheetOf } from "../ui/base-element";
import { FindlingSearch } from "../ui/element";
import type { Lease } from "../ui/open-bundle";
import { FindlingResults } from "../ui/page/element";
import { openCollections } from "./collections-index";
import { texts } from "./language";

/** Opens the collections. They are requested again for every page, so nothing has to be closed. */
const leased = (): Lease => ({ index: openCollections(), end() {} });

/** In the page the box is as high as its first line; its results cover the following content. */
const DROPDOWN = `
:host([inline]) .panel { position: relative; z-index: 2 }
:host([inline]) .panel:focus-within { box-shadow: var(--_shadow) }
:host([inline]) .panel:not(:focus-within, :hover) > :not(.bar) { display: none }
:host([inline]) .panel:has(input:placeholder-shown):not(:focus-within) > :not(.bar) {
  display: none;
}`;

const labels = () => ({ placeholder: texts().searchAll });

class CollectionsSearch extends FindlingSearch {
  protected override lease(): Lease {
    return leased();
  }

  constructor() {
    super();
    this.labels = labels();
    this.root.adoptedStyleSheets.push(sheetOf(DROPDOWN));
  }

  /** Links lead to the reader, which finds the passage itself. */
  protected override passages(): boolean {
    return false;
  }
}

class CollectionsResults extends FindlingResults {
  protected override lease(): Lease {
    return leased();
  }

  constructor() {
    super();
    this.labels = labels();
  }

  protected override passages(): boolean {
    return false;
  }
}

export function defineElements(): void {
  customElements.define("collections-search", CollectionsSearch);
  customElements.define("collections-results", CollectionsResults);
}

declare global {
  interface HTMLElementTagNameMap {
    "collections-search": CollectionsSearch;
    "collections-results": CollectionsResults;
  }
}
