// The queries: from a file, or headings of the site.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decoded } from "./html.mjs";
import { jsonLines } from "./judged.mjs";

/** A heading on more pages belongs to the layout of the site. */
const MAX_PAGES = 3;
/** Numbers of words of a heading that can be a query. */
const [MIN_WORDS, MAX_WORDS] = [2, 10];

/** `most` items of `list`, evenly spread. */
export function evenly(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]);
}

/** The queries in a file of JSON lines with `text`. */
export function fromFile(file) {
  const texts = jsonLines(file).map((line) => {
    if (typeof line?.text !== "string" || line.text.trim() === "")
      throw new Error(
        `${file}: expected {"text": "the query"} in every line, found ${JSON.stringify(line)}`,
      );
    return line.text.trim();
  });
  return [...new Set(texts)];
}

/** The texts of a page's headings of the first three levels. */
export function headings(html) {
  const found = html
    .replace(/<!--.*?-->|<(script|style)\b.*?<\/\1\s*>/gis, "")
    .matchAll(/<h([1-3])\b[^>]*>(.*?)<\/h\1\s*>/gis);
  return [...found].map(([, , inner]) => {
    // Links to the heading itself, such as a pilcrow, are not part of its text.
    return decoded(inner.replace(/<[^>]*>/g, ""))
      .replace(/\s+/g, " ")
      .trim()
      .replace(/\s*[#¶§]$/u, "");
  });
}

/** A heading from each of `most` pages, evenly spread over the site in the order of paths. */
export function fromSite(site, names, most) {
  const pages = [...names]
    .sort()
    .map((name) => [...new Set(headings(readFileSync(join(site, name), "utf8")))]);
  const on = new Map();
  for (const heading of pages.flat()) on.set(heading, (on.get(heading) ?? 0) + 1);
  const usable = pages.map((page) =>
    page.filter((heading) => {
      const words = heading.split(" ").length;
      return on.get(heading) <= MAX_PAGES && words >= MIN_WORDS && words <= MAX_WORDS;
    }),
  );
  const drawn = evenly(
    usable.filter((page) => page.length > 0),
    most,
  ).map((page, i) => page[i % page.length]);
  return [...new Set(drawn)];
}
