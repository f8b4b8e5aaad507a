// A search page of its own. It needs a bundle at /findling/, which `findling build` writes.
import { open } from "/findling/findling.js";

const input = document.querySelector("#query");
const status = document.querySelector("#status");
const list = document.querySelector("#results");

const index = await open("/findling/");
status.textContent = `${index.info.pages} pages`;

let search = new AbortController();
input.addEventListener("input", async () => {
  // A new search cancels the one before.
  search.abort();
  search = new AbortController();
  const { signal } = search;
  try {
    const response = await index.search(input.value, {
      limit: 5,
      // The last word may be unfinished.
      prefix: true,
      signal,
      // The results of correctly spelt words, while a misspelt word is corrected.
      onWords: show,
    });
    show(response);
  } catch (error) {
    if (error.code !== "aborted") status.textContent = `${error.message} ${error.remedy}`;
  }
});

function show({ results, total, corrections }) {
  const corrected = corrections.map(({ word, replacement }) => ` (${word}: ${replacement})`);
  status.textContent = `${total.pages} pages${corrected.join("")}`;
  list.replaceChildren(...results.map(row));
}

function row({ title, href, snippet }) {
  const link = document.createElement("a");
  link.textContent = title;
  if (href) link.href = href;
  const text = document.createElement("p");
  text.append(...marked(snippet));
  const item = document.createElement("li");
  item.append(link, text);
  return item;
}

/** The snippet's text, with the matches in `<mark>`. */
function marked({ text, ranges }) {
  const nodes = [];
  let end = 0;
  for (const [from, to] of ranges) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(from, to);
    nodes.push(text.slice(end, from), mark);
    end = to;
  }
  nodes.push(text.slice(end));
  return nodes;
}
