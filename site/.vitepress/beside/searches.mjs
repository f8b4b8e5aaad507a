// The three searches of the page, each with the defaults of its documents. A search takes a query
// and returns rows: a title, a heading, an excerpt as plain text, and an address.

import MiniSearch from "minisearch";
import { withBase } from "vitepress";
import { OPTIONS } from "./minisearch.mjs";

const LIMIT = 5;
/** Letters of an excerpt of MiniSearch, which makes none itself. */
const EXCERPT = 160;

/** Imports a script that the build of the site puts beside its pages. */
const load = (path) => import(/* @vite-ignore */ new URL(withBase(path), location.href).href);

/** The text of markup. Nothing of it runs or is loaded. */
const textOf = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;

async function findling() {
  const { open } = await load("/findling/findling.js");
  const index = await open(withBase("/findling/"));
  return async (query) => {
    const { results } = await index.search(query, { limit: LIMIT, prefix: true });
    return results.map(({ title, href, sections: [section] }) => ({
      title,
      heading: section?.headingPath.at(-1) ?? "",
      text: section?.snippet.text ?? "",
      href: section?.href ?? href,
    }));
  };
}

async function pagefind() {
  const api = await load("/pagefind/pagefind.js");
  await api.init();
  return async (query) => {
    const { results } = await api.search(query);
    const pages = await Promise.all(results.slice(0, LIMIT).map((result) => result.data()));
    return pages.map(({ url, excerpt, meta, sub_results: [part] }) => ({
      title: meta.title,
      heading: part && part.title !== meta.title ? part.title : "",
      text: textOf(part?.excerpt ?? excerpt),
      href: part?.url ?? url,
    }));
  };
}

async function miniSearch() {
  const answer = await fetch(withBase("/beside/sections.json"));
  if (!answer.ok) throw new Error(`expected the sections, found status ${answer.status}`);
  const index = MiniSearch.loadJSON(await answer.text(), OPTIONS);
  return async (query) =>
    index
      .search(query)
      .slice(0, LIMIT)
      .map(({ title, heading, text, href }) => {
        const { length } = text;
        return {
          title,
          heading,
          href,
          text: length > EXCERPT ? `${text.slice(0, EXCERPT)} …` : text,
        };
      });
}

export const SEARCHES = { Findling: findling, "Pagefind 1.6": pagefind, MiniSearch: miniSearch };
