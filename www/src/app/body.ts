/** The text of a page: turns, lines or sections. */

import { h } from "../ui/dom";
import type { Page, Piece, Section } from "./answers";
import { blockOf, nodesOf } from "./pieces";
import { dateTime } from "./time";

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
function more(n: number, where: string, anchor: string | undefined): HTMLElement[] {
  if (n === 0) return [];
  const text = `${n.toLocaleString("en")} sections ${where}`;
  const link =
    anchor === undefined ? text : h("a", { href: `#${encodeURIComponent(anchor)}` }, text);
  return [h("p", { class: "more" }, link)];
}

/** A file with line numbers, which are not copied with the text. */
function linesOf(lines: Piece[][]): HTMLElement {
  const code = h("code", {});
  for (const line of lines)
    code.append(h("span", { class: "line", tabindex: -1 }, ...nodesOf(line), "\n"));
  return h("pre", { class: "file", tabindex: 0, role: "group", "aria-label": "File" }, code);
}

/** A turn of a conversation. Later parts of a long turn have no head. */
function turn(section: Section): HTMLElement {
  const { anchor = "", attributes, blocks } = section;
  const role = String(attributes["role"] ?? "unknown");
  const known = ["user", "assistant", "tool", "system"].includes(role) ? role : "other";
  const element = h("section", { class: `turn ${known}`, "data-anchor": anchor, tabindex: -1 });
  if (!/^turn-\d+-\d+$/.test(anchor)) {
    const number = anchor.replace("turn-", "");
    const name = role.charAt(0).toUpperCase() + role.slice(1);
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
        { href: `#${encodeURIComponent(anchor)}`, class: "anchor", "aria-label": `Turn ${number}` },
        `#${number}`,
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
  const number = /^page=(\d+)$/.exec(anchor)?.[1];
  if (number === undefined || pdf === undefined) return [];
  const href = `${pdf}#page=${number}`;
  const attributes = { href, target: "_blank", rel: "noopener", class: "anchor" };
  return [h("a", attributes, `page ${number}`)];
}

/** Levels of headings below the title, none left out. */
class Depths {
  #last = 1;

  tag(level: number): "h2" | "h3" | "h4" | "h5" | "h6" {
    this.#last = Math.min(Math.max(2, level + 1), this.#last + 1, 6);
    return `h${this.#last}` as "h2";
  }
}
