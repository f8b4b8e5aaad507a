/** Results as DOM nodes: one group for each page, one option for each section. */

import type { PageResult, SectionResult } from "../types";
import { h } from "./dom";
import { snippetNodes } from "./snippet";

/** The page and the section of an option. */
export interface Hit {
  page: PageResult;
  section: SectionResult | undefined;
}

/**
 * The group of a page, with `tags` next to its title. `register` is called with every option and
 * must give it an id.
 */
export function pageGroup(
  page: PageResult,
  tags: string[],
  register: (option: HTMLElement, hit: Hit) => void,
): HTMLElement {
  const [best, ...others] = page.sections;
  const first = pageOption(page, tags);
  register(first, { page, section: best });
  const group = h(
    "div",
    { class: "page", role: "group", "aria-label": page.title || page.url },
    first,
  );
  if (others.length > 0) {
    const row = h("div", { class: "subs", role: "presentation" });
    for (const section of others) {
      const sub = option(section.href, "hit sub");
      sub.append(h("span", { dir: "auto" }, section.headingPath.at(-1) ?? page.title));
      if (section.snippet.text) sub.title = section.snippet.text;
      register(sub, { page, section });
      row.append(sub);
    }
    group.append(row);
  }
  return group;
}

/** The option of a page and its best section. Each text has its own direction. */
function pageOption(page: PageResult, tags: string[]): HTMLAnchorElement {
  const best = page.sections[0];
  const first = option(best?.href ?? page.href, "hit");
  const title = h("span", { dir: "auto" }, page.title || best?.headingPath[0] || page.url);
  first.append(
    h("div", { class: "title" }, title, ...tags.map((tag) => h("span", { class: "tag" }, tag))),
  );
  const path = withoutTitle(best?.headingPath ?? [], page.title);
  if (path.length > 0) {
    const headings = path.flatMap((heading, i) => (i > 0 ? [separator(), heading] : [heading]));
    first.append(h("div", { class: "path", dir: "auto" }, ...headings));
  }
  if (best?.snippet.text)
    first.append(h("div", { class: "text", dir: "auto" }, ...snippetNodes(best.snippet)));
  return first;
}

/** The heading path without a first heading that repeats the title. */
function withoutTitle(path: string[], title: string): string[] {
  return path[0] === title ? path.slice(1) : path;
}

function separator(): HTMLElement {
  return h("i", { "aria-hidden": true });
}

function option(href: string | null, className: string): HTMLAnchorElement {
  return h("a", { class: className, role: "option", tabindex: -1, "aria-selected": "false", href });
}
