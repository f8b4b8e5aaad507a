/**
 * Marks on a page of the site the passage that a search found: `findling-highlight.js`.
 *
 * Browsers that support text fragments mark the passage of a link themselves. In other browsers
 * this script reads the text fragment of the address. Sites whose pages change without loading call
 * `highlight` with a passage of a result. The passage is marked by the CSS Custom Highlight API, as
 * `::highlight(findling)`; the page's elements stay as they are.
 */

/** The name of the highlight in style sheets. */
const NAME = "findling";

/** Elements whose text is not shown. */
const HIDDEN = "script, style, template, noscript, [hidden], [aria-hidden=true]";

/** The text of a page, with white space as one space, and the position of each character. */
interface PageText {
  text: string;
  places: { node: Text; offset: number }[];
}

function textOf(root: Element): PageText {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest(HIDDEN) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let text = "";
  const places: PageText["places"] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { data } = node as Text;
    for (let offset = 0; offset < data.length; offset++) {
      const space = /\s/.test(data[offset]!);
      if (space && text.endsWith(" ")) continue;
      text += space ? " " : data[offset];
      places.push({ node: node as Text, offset });
    }
  }
  return { text, places };
}

/** The range of the text that begins with `from` and ends with the first `to` after it. */
function find({ text, places }: PageText, from: string, to: string): Range | undefined {
  const start = text.indexOf(from);
  if (start < 0 || from === "") return undefined;
  const last = to === "" ? start : text.indexOf(to, start + from.length);
  if (last < 0) return undefined;
  const first = places[start]!;
  const end = places[last + (to === "" ? from : to).length - 1]!;
  const range = document.createRange();
  range.setStart(first.node, first.offset);
  range.setEnd(end.node, end.offset + 1);
  return range;
}

/** The start and end of the passage that a text fragment names: `#anchor:~:text=from,to`. */
export function passageOf(hash: string): [from: string, to: string] | undefined {
  const directive = /:~:(?:.*&)?text=([^&]*)/.exec(hash)?.[1];
  if (directive === undefined) return undefined;
  try {
    // Text around the passage, `before-,` and `,-behind`, is not used here.
    const parts = directive.split(",").filter((part) => !/^-|-$/.test(part));
    const [from = "", to = ""] = parts.map(decodeURIComponent);
    return from.trim() === "" ? undefined : [from, to];
  } catch {
    return undefined;
  }
}

/**
 * Marks a passage of the page and scrolls to it. `from` is the passage, or with `to` its
 * beginning. Returns whether the page has it; without it, marks nothing.
 */
export function highlight(from: string, to = ""): boolean {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim();
  const range = find(textOf(document.body), plain(from), plain(to));
  if ("highlights" in CSS) {
    if (range) CSS.highlights.set(NAME, new Highlight(range));
    else CSS.highlights.delete(NAME);
  }
  range?.startContainer.parentElement?.scrollIntoView({ block: "center" });
  return range !== undefined;
}

/**
 * Marks the passage that the address names; the part of the address before it leads to its target.
 */
function highlightAddress(): void {
  const passage = passageOf(location.hash);
  if (!passage) return;
  const anchor = location.hash.slice(1).split(":~:")[0]!;
  if (!highlight(...passage) && anchor !== "")
    document.getElementById(decodeURIComponent(anchor))?.scrollIntoView();
}

// A server that renders a page imports the module, and has no page.
if (globalThis.document) {
  const style = new CSSStyleSheet();
  style.replaceSync(`::highlight(${NAME}) { background: Mark; color: MarkText }`);
  document.adoptedStyleSheets = [style, ...document.adoptedStyleSheets];
  addEventListener("hashchange", highlightAddress);
  highlightAddress();
}
