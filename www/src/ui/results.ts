/** Results as DOM nodes: one group for each page, one option for each section. */

import type { PageResult, SectionResult } from "../types";
import { h } from "./dom";
import { snippetNodes } from "./snippet";
import { withPassage } from "./text-fragment";
import type { AnswerHit, Hit } from "./verdict";

/**
 * The group of a page, with `tags` next to its title. `passages`: whether links name the passage.
 * `register` is called with every option and must give it an id.
 */
export function pageGroup(
  page: PageResult,
  tags: string[],
  passages: boolean,
  register: (option: HTMLElement, hit: Hit) => void,
): HTMLElement {
  const [best, ...others] = page.sections;
  const first = pageOption(page, tags, passages);
  register(first, { page, section: best });
  const group = h(
    "div",
    { class: "page", role: "group", "aria-label": page.title || page.url },
    first,
  );
  if (others.length > 0) {
    const row = h("div", { class: "subs", role: "presentation" });
    for (const section of others) {
      const sub = option(address(section, passages), "hit sub");
      sub.append(h("span", { dir: "auto" }, section.headingPath.at(-1) ?? page.title));
      if (section.snippet.text) sub.title = section.snippet.text;
      register(sub, { page, section });
      row.append(sub);
    }
    group.append(row);
  }
  return group;
}

/** The option of an answer: the sentence as the site has it, and its page. */
export function answerOption(answer: AnswerHit, label: string, passages: boolean): HTMLElement {
  const { page, section, sentence } = answer;
  const row = option(section ? address(section, passages) : page.href, "hit answer");
  row.append(
    h("div", { class: "also-title" }, label),
    h("q", { class: "quote", dir: "auto" }, sentence),
    h("div", { class: "path", dir: "auto" }, page.title || page.url),
  );
  return row;
}

/** The option of a page and its best section. Each text has its own direction. */
function pageOption(page: PageResult, tags: string[], passages: boolean): HTMLAnchorElement {
  const best = page.sections[0];
  const first = option(best?.href ? address(best, passages) : page.href, "hit");
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

/** Where a section's link leads. */
function address({ href, snippet }: SectionResult, passages: boolean): string | null {
  return href !== null && passages ? withPassage(href, snippet) : href;
}

function separator(): HTMLElement {
  return h("i", { "aria-hidden": true });
}

function option(href: string | null, className: string): HTMLAnchorElement {
  return h("a", { class: className, role: "option", tabindex: -1, "aria-selected": "false", href });
}
