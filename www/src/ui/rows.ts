/** Results as DOM nodes: one group for each page, one option for each section. */

import type { Description, PageResult, SectionResult } from "../types";
import { h } from "./dom";
import { type Labels, plural } from "./labels";
import { snippetNodes } from "./snippet";
import { withPassage } from "./text-fragment";
import type { Hit } from "./verdict";

/** Parts of a row beside its page's own texts. */
export interface RowOptions {
  /** Texts next to the title. */
  tags: string[];
  /** The place of the page on the site, if another page has the same title. */
  place?: string[] | undefined;
  /** Whether links name the passage. */
  passages: boolean;
}

/** The group of a page: an option for each of `sectionsOf(page)`. */
export function pageGroup(page: PageResult, { tags, place, passages }: RowOptions): HTMLElement {
  const [best] = page.sections;
  const others = furtherSections(page);
  const first = option(address({ page, section: best }, passages), "hit");
  first.append(...hitParts({ page, section: best }, tags, place));
  // A screen reader says a group's name before an option that begins with the same title.
  const isGroup = others.length > 0;
  const attributes = {
    role: isGroup && "group",
    "aria-label": isGroup && (page.title || page.url),
  };
  const group = h("div", { class: "page", ...attributes }, first);
  if (isGroup) {
    const row = h("div", { class: "subs", role: "presentation" });
    for (const { section, heading } of others) {
      const sub = option(address({ page, section }, passages), "hit sub");
      sub.append(...subParts(section, heading));
      row.append(sub);
    }
    group.append(row);
  }
  return group;
}

/** The sections of a page's options, `undefined` for a page without sections. */
export const sectionsOf = (page: PageResult): (SectionResult | undefined)[] => [
  page.sections[0],
  ...furtherSections(page).map(({ section }) => section),
];

/** Everything that a page's group shows or leads to, for comparison. */
export function looks({ title, url, href, sections }: PageResult, options: RowOptions): string {
  const shown = sections.map(({ href, headingPath, snippet }) => [href, headingPath, snippet]);
  return JSON.stringify([title, url, href, shown, options]);
}

/** The heading of a further section, and its snippet. */
export function subParts(section: SectionResult, heading: string[]): HTMLElement[] {
  const parts = [h("span", { dir: "auto" }, ...joined(heading))];
  if (section.snippet.text)
    parts.push(h("span", { class: "text", dir: "auto" }, ...snippetNodes(section.snippet)));
  return parts;
}

/**
 * The sections below the first of a page, each with a heading that no other row of the page has:
 * with the headings above it if two are equal. Sections of the same place are shown once.
 */
export function furtherSections(page: PageResult): { section: SectionResult; heading: string[] }[] {
  const shown: { section: SectionResult; heading: string[] }[] = [];
  const [best, ...others] = page.sections;
  const seen = new Set([best?.href, best && withoutTitle(best.headingPath, page.title).join("\n")]);
  for (const section of others) {
    const path = withoutTitle(section.headingPath, page.title);
    const whole = path.join("\n");
    if (seen.has(section.href) || seen.has(whole)) continue;
    seen.add(section.href).add(whole);
    shown.push({ section, heading: path.length > 0 ? path : [page.title] });
  }
  const last = (path: string[]) => path.at(-1);
  const lasts = [...shown.map(({ heading }) => last(heading)), best?.headingPath.at(-1)];
  return shown.map(({ section, heading }) => {
    const isUnique = lasts.filter((other) => other === last(heading)).length < 2;
    return { section, heading: isUnique ? heading.slice(-1) : heading };
  });
}

/** Returns the tags next to a page's title: its value of the first facet of strings, its copies. */
export function tagsOf(page: PageResult, info: Description | undefined, labels: Labels): string[] {
  const facet = info?.attributes.find(({ facet, kind }) => facet && kind === "string");
  const value = facet && page.attributes[facet.name];
  const tags = typeof value === "string" ? [value] : [];
  if (page.copies) tags.push(plural(labels, labels.copies, page.copies));
  return tags;
}

/**
 * The title of a hit with `tags` next to it, its place, its headings and its snippet, as far as
 * they exist. Each text has its own direction. `link`: the link for the title, if any.
 */
export function hitParts(
  { page, section }: Hit,
  tags: string[],
  place: string[] | undefined,
  link: HTMLElement = h("span"),
): HTMLElement[] {
  link.dir = "auto";
  link.append(page.title || section?.headingPath[0] || page.url);
  const parts = [
    h("div", { class: "title" }, link, ...tags.map((tag) => h("span", { class: "tag" }, tag))),
  ];
  if (place && place.length > 0)
    parts.push(h("div", { class: "place", dir: "auto" }, ...joined(place)));
  const path = withoutTitle(section?.headingPath ?? [], page.title);
  if (path.length > 0) parts.push(h("div", { class: "path", dir: "auto" }, ...joined(path)));
  if (section?.snippet.text)
    parts.push(h("div", { class: "text", dir: "auto" }, ...snippetNodes(section.snippet)));
  return parts;
}

/** The heading path without a first heading that repeats the title, in letters of any case. */
function withoutTitle(path: string[], title: string): string[] {
  return path[0]?.toLowerCase() === title.toLowerCase() ? path.slice(1) : path;
}

/** The target of a hit's link; with `passages`, the sentence that its snippet shows. */
export function address({ page, section }: Hit, passages: boolean): string | null {
  const href = section?.href ?? page.href;
  return section && href !== null && passages ? withPassage(href, section.snippet) : href;
}

/** Texts with a sign between them, which is not read aloud. */
const joined = (texts: string[]) =>
  texts.flatMap((text, i) => (i > 0 ? [h("i", { "aria-hidden": "true" }), text] : [text]));

function option(href: string | null, className: string): HTMLAnchorElement {
  return h("a", { class: className, role: "option", tabindex: -1, "aria-selected": "false", href });
}
