// The pages that a generator's own search index names.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const read = (path) => readFileSync(path, "utf8");

/** Sphinx: `searchindex.js`. */
function sphinx(site) {
  const path = join(site, "searchindex.js");
  if (!existsSync(path)) return undefined;
  const list = /"?docnames"?:\s*(\[[^\]]*\])/.exec(read(path));
  if (!list) return undefined;
  const names = JSON.parse(list[1]);
  const ending = existsSync(join(site, `${names[0]}.html`)) ? ".html" : "/index.html";
  return names.map((name) => (name.endsWith("index") ? `${name}.html` : `${name}${ending}`));
}

/** Javadoc: `type-search-index.js`. */
function javadoc(site) {
  const path = join(site, "type-search-index.js");
  if (!existsSync(path)) return undefined;
  const list = /=\s*(\[.*\])/s.exec(read(path));
  const types = list ? JSON.parse(list[1]) : [];
  return types
    .filter((type) => type.p && type.l && !type.u)
    .map((type) =>
      [type.m, type.p.replaceAll(".", "/"), `${type.l}.html`].filter(Boolean).join("/"),
    );
}

/** Doxygen: files of symbols in `search/`. */
function doxygen(site) {
  const directory = join(site, "search");
  if (!existsSync(join(directory, "searchdata.js"))) return undefined;
  const files = readdirSync(directory).filter((name) => /^all_\w+\.js$/.test(name));
  const pages = new Set();
  for (const file of files)
    for (const [, page] of read(join(directory, file)).matchAll(/'\.\.\/([\w/.-]+\.html)/g))
      pages.add(page);
  return pages.size > 0 ? [...pages] : undefined;
}

/** MkDocs and mdBook: locations of sections in JSON. */
function json(site) {
  for (const name of ["search/search_index.json", "searchindex.json", "search_index.json"]) {
    const path = join(site, name);
    if (!existsSync(path)) continue;
    const index = JSON.parse(read(path));
    const urls = index.docs?.map((doc) => doc.location) ?? index.doc_urls;
    if (!urls) continue;
    const pages = urls.map((url) => url.split("#")[0]);
    return [...new Set(pages)].map((page) => page.replace(/(^|\/)$/, "$1index.html"));
  }
  return undefined;
}

/** The pages that the site's own search knows, by path; undefined if it has no index. */
export function ownPages(site) {
  const pages = sphinx(site) ?? javadoc(site) ?? doxygen(site) ?? json(site);
  return pages && new Set(pages);
}
