// The types of the components allow and refuse these uses. The file is compiled and never run.

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
createElement(FindlingRelated, { page: "guide/", onSelect: (event) => event.detail.href.length });
// @ts-expect-error: related pages are of no search.
createElement(FindlingRelated, { onSearch: () => undefined });
// @ts-expect-error: what was chosen has an address, and no number.
createElement(FindlingSearch, { onSelect: (event) => event.detail.href.toFixed() });
createElement(FindlingResults, { order: "recent", onEmpty: (event) => event.detail.total.pages });
// @ts-expect-error: there is no such order.
createElement(FindlingResults, { order: "oldest" });
// @ts-expect-error: there is no such theme.
createElement(FindlingSearch, { theme: "blue" });
// @ts-expect-error: a limit is a number.
createElement(FindlingRelated, { limit: "many" });
h(VueSearch, { limit: 5, navigate: (href: string) => href.length });
findling(document.body, { navigate: (href) => href.length });
findling(document.body, { onselect: ({ detail }) => detail.page.title.length });
// The elements' own events.
document.createElement("findling-related").addEventListener("findling-select", (event) => {
  event.detail.href.trim();
});
addEventListener("findling-empty", ({ detail }) => detail.total.pages.toFixed());
// @ts-expect-error: an address is a text.
findling(document.body, { bundle: 1 });
