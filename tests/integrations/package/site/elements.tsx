// The elements in JSX, of React and of Preact.

import "findling/ui";

export const search = (
  <findling-search bundle="/findling/" shortcut="k" theme="page" data-place="header">
    <button slot="trigger" type="button">
      Search
    </button>
  </findling-search>
);
export const results = <findling-results facets="none" limit={5} paging="pages" />;
export const related = <findling-related page="/guide/" />;
// @ts-expect-error: there is no such theme.
export const dim = <findling-search theme="dim" />;
// @ts-expect-error: there is no such element.
export const other = <findling-serch />;
