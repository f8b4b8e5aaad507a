/** The text of a page: turns, lines or sections. */

import { h } from "../ui/dom";
import { fill } from "../ui/labels";
import type { Page, Piece, Section } from "./answers";
import { say, texts } from "./language";
import { blockOf, nodesOf } from "./pieces";
import { dateTime, number } from "./time";

/** Roles of the speakers in conversations. */
const ROLES = ["user", "assistant", "tool", "system"] as const;

/** The text of a page, with links to what is left out before and after. */
export function body(page: Page): HTMLElement {
  const element = h("div", { class: "body" });
  if (page.source) {
    element.append(linesOf(page.source.lines));
    return element;
  }
  const depths = new Depths();
  element.append(...more(page.before, "before", page.previous));
  for (const section of page.sections)
    element.append(page.kind === "conversation" ? turn(section) : part(section, page, depths));
  element.append(...more(page.after, "after", page.next));
  return element;
}

/** A link to sections that are left out. */
function more(n: number, where: "before" | "after", anchor: string | undefined): HTMLElement[] {
  if (n === 0) return [];
  const text = say(where, { n: number(n) });
  const link =
    anchor === undefined ? text : h("a", { href: `#${encodeURIComponent(anchor)}` }, text);
  return [h("p", { class: "more" }, link)];
}

/** A file with line numbers, which are not copied with the text. */
function linesOf(lines: Piece[][]): HTMLElement {
  const code = h("code", {});
  for (const line of lines)
    code.append(h("span", { class: "line", tabindex: -1 }, ...nodesOf(line), "\n"));
  return h(
    "pre",
    { class: "file", tabindex: 0, dir: "ltr", role: "group", "aria-label": texts().file },
    code,
  );
}

/** A turn of a conversation. Later parts of a long turn have no head. */
function turn(section: Section): HTMLElement {
  const { anchor = "", attributes, blocks } = section;
  const role = String(attributes["role"] ?? "unknown");
  const known = ROLES.find((known) => known === role);
  const element = h("section", {
    class: `turn ${known ?? "other"}`,
    "data-anchor": anchor,
    tabindex: -1,
  });
  if (!/^turn-\d+-\d+$/.test(anchor)) {
    const n = anchor.replace("turn-", "");
    const name = known ? texts()[known] : role;
    const head = h("div", { class: "head" }, h("h2", { dir: "auto" }, name));
    const time = attributes["time"];
    if (typeof time === "string")
      head.append(h("time", { datetime: time }, dateTime(new Date(time))));
    const tools = attributes["tool"];
    if (Array.isArray(tools))
      head.append(...tools.map((tool) => h("span", { class: "tag" }, String(tool))));
    head.append(
      h(
        "a",
        {
          href: `#${encodeURIComponent(anchor)}`,
          class: "anchor",
          "aria-label": say("turn", { n }),
        },
        `#${n}`,
      ),
    );
    element.append(head);
  }
  element.append(...blocks.map(blockOf));
  return element;
}

/** A section of a document. */
function part(section: Section, page: Page, depths: Depths): HTMLElement {
  const { anchor, heading, level, blocks } = section;
  const element = h("section", { "data-anchor": anchor, tabindex: -1 });
  const links = pdfLinks(page, anchor);
  if (heading.length > 0) {
    const title = h(depths.tag(level), { dir: "auto" }, ...nodesOf(heading));
    if (links.length > 0) title.append(" ", ...links);
    element.append(title);
  } else if (links.length > 0) {
    element.append(h("p", { class: "pdf-page" }, ...links));
  }
  element.append(...blocks.map(blockOf));
  return element;
}

/** A link to the page of the PDF that a section is on. */
function pdfLinks({ pdf }: Page, anchor = ""): HTMLElement[] {
  const n = /^page=(\d+)$/.exec(anchor)?.[1];
  if (n === undefined || pdf === undefined) return [];
  const href = `${pdf}#page=${n}`;
  const attributes = { href, target: "_blank", rel: "noopener", class: "anchor" };
  return [h("a", attributes, fill(texts().pageNumber, { n }))];
}

/** Levels of headings below the title, none left out. */
class Depths {
  #last = 1;

  tag(level: number): "h2" | "h3" | "h4" | "h5" | "h6" {
    this.#last = Math.min(Math.max(2, level + 1), this.#last + 1, 6);
    return `h${this.#last}` as "h2";
  }
}
