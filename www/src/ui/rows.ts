/** Results as DOM nodes: one group for each page, one option for each section. */

import type { Description, PageResult } from "../types";
import { h } from "./dom";
import { type Labels, plural } from "./labels";
import { snippetNodes } from "./snippet";
import { withPassage } from "./text-fragment";
import type { AnswerHit, Hit } from "./verdict";

/**
 * The group of a page, with `tags` next to its title; an option for each section, or one for a page
 * without sections. `passages`: whether links name the passage.
 */
export function pageGroup(page: PageResult, tags: string[], passages: boolean): HTMLElement {
  const [best, ...others] = page.sections;
  const first = option(address({ page, section: best }, passages), "hit");
  first.append(...hitParts({ page, section: best }, tags));
  // A screen reader says a group's name before an option that begins with the same title.
  const isGroup = others.length > 0;
  const attributes = {
    role: isGroup && "group",
    "aria-label": isGroup && (page.title || page.url),
  };
  const group = h("div", { class: "page", ...attributes }, first);
  if (isGroup) {
    const row = h("div", { class: "subs", role: "presentation" });
    for (const section of others) {
      const sub = option(address({ page, section }, passages), "hit sub");
      const heading = section.headingPath.at(-1) ?? page.title;
      sub.append(h("span", { dir: "auto" }, separator(), heading));
      if (section.snippet.text) sub.title = section.snippet.text;
      row.append(sub);
    }
    group.append(row);
  }
  return group;
}

/** The option of an answer: the sentence as the site has it, and its page. */
export function answerOption(answer: AnswerHit, label: string, passages: boolean): HTMLElement {
  const row = option(address(answer, passages), "hit answer");
  row.append(...answerParts(answer, label));
  return row;
}

/** A label, the sentence that answers, and its page. */
export function answerParts({ page, sentence }: AnswerHit, label: string): HTMLElement[] {
  return [
    h("div", { class: "also-title" }, label),
    h("q", { class: "quote", dir: "auto" }, sentence),
    h("div", { class: "path", dir: "auto" }, page.title || page.url),
  ];
}

/** What stands next to a page's title: its value of the first facet of strings, its copies. */
export function tagsOf(page: PageResult, info: Description | undefined, labels: Labels): string[] {
  const facet = info?.attributes.find(({ facet, kind }) => facet && kind === "string");
  const value = facet && page.attributes[facet.name];
  const tags = typeof value === "string" ? [value] : [];
  if (page.copies) tags.push(plural(labels, labels.copies, page.copies));
  return tags;
}

/**
 * The title of a hit with `tags` next to it, its headings and its snippet, as far as it has them.
 * Each text has its own direction. `link`: what the title is, if it is a link.
 */
export function hitParts(
  { page, section }: Hit,
  tags: string[],
  link: HTMLElement = h("span"),
): HTMLElement[] {
  link.dir = "auto";
  link.append(page.title || section?.headingPath[0] || page.url);
  const parts = [
    h("div", { class: "title" }, link, ...tags.map((tag) => h("span", { class: "tag" }, tag))),
  ];
  const path = withoutTitle(section?.headingPath ?? [], page.title);
  if (path.length > 0) {
    const headings = path.flatMap((heading, i) => (i > 0 ? [separator(), heading] : [heading]));
    parts.push(h("div", { class: "path", dir: "auto" }, ...headings));
  }
  if (section?.snippet.text)
    parts.push(h("div", { class: "text", dir: "auto" }, ...snippetNodes(section.snippet)));
  return parts;
}

/** The heading path without a first heading that repeats the title, in letters of any case. */
function withoutTitle(path: string[], title: string): string[] {
  return path[0]?.toLowerCase() === title.toLowerCase() ? path.slice(1) : path;
}

/** Where the link of a hit leads; with `passages` to the sentence that its snippet shows. */
export function address({ page, section }: Hit, passages: boolean): string | null {
  const href = section?.href ?? page.href;
  return section && href !== null && passages ? withPassage(href, section.snippet) : href;
}

/** A sign between headings, which is not read aloud. */
function separator(): HTMLElement {
  return h("i", { "aria-hidden": "true" });
}

function option(href: string | null, className: string): HTMLAnchorElement {
  return h("a", { class: className, role: "option", tabindex: -1, "aria-selected": "false", href });
}
