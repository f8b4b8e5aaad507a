/**
 * The pages of the local application, `findling serve`. All of them have the same markup; the
 * address says which one it is. Everything that comes from a collection is shown as text.
 */

import { h } from "../ui/dom";
import type { Failed } from "./answers";
import { LOCKED, takeToken } from "./api";
import { FAILED } from "./collections-index";
import { defineElements } from "./elements";
import { Home } from "./home";
import { COMMAND, chooseLanguage, texts } from "./language";
import { withCode } from "./pieces";
import { Reader } from "./reader";

takeToken();
await chooseLanguage();
defineElements();

const main = h("main", { id: "main" });

/** The head of each page; `search` is the box of pages that have none of their own. */
function head(...search: HTMLElement[]): HTMLElement {
  return h(
    "header",
    { class: "top" },
    h("a", { href: "/", class: "brand" }, "Findling"),
    h("nav", {}, h("a", { href: "/search" }, texts().search)),
    ...search,
  );
}

function box(): HTMLElement {
  const attributes = { results: "/search", facets: "collection", assistants: "none" };
  return h("collections-search", attributes);
}

function results(): HTMLElement {
  document.title = `${texts().search} \u00B7 Findling`;
  const failed = h("ul", { class: "errors", role: "status", hidden: true });
  addEventListener(FAILED, (event) => {
    const all = (event as CustomEvent<Failed[]>).detail;
    failed.replaceChildren(
      ...all.map(({ name, error }) => h("li", { dir: "auto" }, `${name}: ${error.message}`)),
    );
    failed.hidden = all.length === 0;
  });
  return h(
    "div",
    { class: "results" },
    h("h1", { class: "sr" }, texts().search),
    failed,
    h("collections-results", { facets: "collection, *", paging: "pages" }),
  );
}

function page(): HTMLElement {
  const parameters = new URLSearchParams(location.search);
  const value = (name: string) => parameters.get(name) ?? "";
  if (location.pathname === "/search") return results();
  if (location.pathname === "/read")
    return new Reader({ in: value("in"), page: value("page"), q: value("q") }).element;
  return new Home().element;
}

/** Returns the notice on a page that does not have the token. */
function locked(): HTMLElement {
  return h(
    "div",
    { class: "locked" },
    h("h1", {}, texts().locked),
    h("p", {}, ...withCode(texts().lockedHint, COMMAND)),
  );
}

addEventListener(LOCKED, () => {
  document.title = "Findling";
  main.replaceChildren(locked());
});
document.body.append(
  h("a", { href: "#main", class: "skip" }, texts().skip),
  head(...(location.pathname === "/read" ? [box()] : [])),
  main,
);
main.append(page());
