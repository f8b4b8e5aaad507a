// Functions that run in the page, in Chromium. Each is self-contained, since it is sent as text.

/** Makes scrolling immediate and shows what a reader can open. */
export function prepare() {
  const style = document.createElement("style");
  style.textContent =
    "* { scroll-behavior: auto !important; animation: none !important; " +
    "content-visibility: visible !important; }";
  document.head.append(style);
  for (const details of document.querySelectorAll("details")) details.open = true;
}

/**
 * For each `{ anchor, heading }` whether the anchor exists, and whether the browser scrolls to the
 * heading: its text begins where a text of the page begins, is in view, and stands at the top of
 * the view or beside the element that has the anchor.
 */
export async function openAnchors(sections) {
  const key = (text) =>
    text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "");
  // All texts of the page, one after the other, and where each begins.
  let all = "";
  const starts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest("script, style, noscript, template")) continue;
    const text = key(node.data);
    if (text) starts.push({ at: all.length, node });
    all += text;
  }
  const nodeAt = new Map(starts.map(({ at, node }) => [at, node]));
  const placesOf = (heading) => {
    const places = [];
    for (const word of new Set([key(heading), key(heading.replace(/^[\d.]+\s+/, ""))])) {
      if (!word) continue;
      for (let at = all.indexOf(word); at >= 0; at = all.indexOf(word, at + 1))
        if (nodeAt.has(at)) places.push(nodeAt.get(at));
    }
    return places;
  };
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const top = (node) => {
    const range = document.createRange();
    range.selectNode(node);
    const box = range.getClientRects()[0] ?? range.getBoundingClientRect();
    return box.width === 0 && box.height === 0 ? undefined : box.top;
  };
  const results = [];
  for (const { anchor, heading } of sections) {
    const id = decodeURIComponent(anchor);
    const target =
      document.getElementById(id) ??
      document.getElementById(anchor) ??
      document.getElementsByName(id)[0];
    if (!target) {
      results.push({ exists: false, reached: false });
      continue;
    }
    window.scrollTo(0, 0);
    location.hash = "";
    location.hash = `#${anchor}`;
    await frame();
    const at = target.getBoundingClientRect().top;
    // A heading of signs alone, such as `%`, is not looked for, and one that the style sheet hides
    // cannot be seen.
    const places = placesOf(heading);
    const follows = (node) =>
      target.contains(node) ||
      (target.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    const own = places.find(follows);
    const near = (y) =>
      y !== undefined &&
      y >= -40 &&
      y <= innerHeight &&
      (y < innerHeight * 0.35 || Math.abs(y - at) < 200);
    const unseen = !key(heading) || (own && top(own) === undefined);
    const reached = unseen ? near(at) : places.map(top).some(near);
    results.push({ exists: true, reached });
  }
  return results;
}

/** The text of the content that a reader sees, and the text that is shown biggest in it. */
export function contentOf({ content, without, title }) {
  const marked = title.map((one) => document.querySelector(one)).find((one) => one?.textContent);
  const hides = document.createElement("style");
  if (without.length > 0) hides.textContent = `${without.join(",")} { display: none !important; }`;
  document.head.append(hides);
  const selector = content.find((one) => document.querySelector(one));
  const found = selector ? [...document.querySelectorAll(selector)] : [];
  const roots = found.filter((one) => !found.some((other) => other !== one && other.contains(one)));
  let biggest = { size: 0, text: "" };
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!/[\p{L}\p{N}]/u.test(node.data) || !parent.checkVisibility()) continue;
      if (parent.closest("script, style")) continue;
      const size = Number.parseFloat(getComputedStyle(parent).fontSize);
      if (size <= biggest.size) continue;
      let block = parent;
      while (block !== root && getComputedStyle(block).display.startsWith("inline"))
        block = block.parentElement;
      biggest = { size, text: block === root ? node.data : block.innerText };
    }
  }
  return {
    selector,
    text: roots.map((root) => root.innerText).join("\n"),
    biggest: (marked?.innerText || marked?.textContent || biggest.text)
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 200),
  };
}
