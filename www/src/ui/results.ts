/** Results as DOM: a group for each page, an option for each section. */

import type { PageResult, SectionResult } from "../types";
import { h } from "./dom";
import { snippetNodes } from "./snippet";

/** What an option stands for. */
export interface Hit {
  page: PageResult;
  section: SectionResult | undefined;
}

/**
 * A page's group, with words beside the title. `register` is told of every option and gives it its
 * id.
 */
export function pageGroup(
  page: PageResult,
  tags: (string | undefined)[],
  register: (option: HTMLElement, hit: Hit) => void,
): HTMLElement {
  const [best, ...others] = page.sections;
  // Each text in its own direction, whatever the page's.
  const title = h("span", { dir: "auto" }, page.title || best?.headingPath[0] || page.url);
  const first = option(best?.href ?? page.href, "hit");
  first.append(
    h(
      "div",
      { class: "title" },
      title,
      ...tags.flatMap((tag) => (tag ? [h("span", { class: "tag" }, tag)] : [])),
    ),
  );
  const path = withoutTitle(best?.headingPath ?? [], page.title);
  if (path.length > 0) {
    first.append(
      h(
        "div",
        { class: "path", dir: "auto" },
        ...path.flatMap((heading, i) => (i > 0 ? [separator(), heading] : [heading])),
      ),
    );
  }
  if (best?.snippet.text)
    first.append(h("div", { class: "text", dir: "auto" }, ...snippetNodes(best.snippet)));
  register(first, { page, section: best });

  const nested = others.map((section) => {
    const sub = option(section.href, "hit sub");
    sub.append(h("span", { dir: "auto" }, section.headingPath.at(-1) ?? page.title));
    if (section.snippet.text) sub.title = section.snippet.text;
    register(sub, { page, section });
    return sub;
  });
  // Side by side in a line of their own: a screen shows the best of many pages rather than all of
  // few.
  const also =
    nested.length > 0 ? [h("div", { class: "subs", role: "presentation" }, ...nested)] : [];
  return h(
    "div",
    { class: "page", role: "group", "aria-label": page.title || page.url },
    first,
    ...also,
  );
}

/** The part of a heading path that says more than the title above it. */
function withoutTitle(path: string[], title: string): string[] {
  return path[0] === title ? path.slice(1) : path;
}

function separator(): HTMLElement {
  return h("i", { "aria-hidden": true });
}

function option(href: string | null, className: string): HTMLAnchorElement {
  return h("a", { class: className, role: "option", tabindex: -1, "aria-selected": "false", href });
}
