// Compiled, never run: what the types of the components allow and refuse.

import { FindlingRelated, FindlingResults, FindlingSearch } from "findling/react";
import { findling } from "findling/svelte";
import { FindlingSearch as VueSearch } from "findling/vue";
import { createElement } from "react";
import { h } from "vue";

createElement(FindlingSearch, {
  limit: 5,
  theme: "page",
  labels: { search: "Find" },
  onSelect: (event) => event.detail.href.length,
});
createElement(FindlingResults, { paging: "pages", missing: true });
createElement(FindlingRelated, { page: "guide/" });
// @ts-expect-error: there is no such theme.
createElement(FindlingSearch, { theme: "blue" });
// @ts-expect-error: a limit is a number.
createElement(FindlingRelated, { limit: "many" });
h(VueSearch, { limit: 5, navigate: (href: string) => href.length });
findling(document.body, { navigate: (href) => href.length });
// @ts-expect-error: an address is a text.
findling(document.body, { bundle: 1 });
