// The playground: a reader's files, indexed by words in a worker, searched by `<findling-search>`.
// All that comes from files is text; nothing of it becomes markup.

import { chosen, dropped } from "./files.mjs";

/** Messages about files that are shown. */
const MAX_SHOWN = 50;

const STAGES = {
  take: "Reading the files",
  read: "Extracting the text of the pages",
  index: "Indexing",
};

/** An element with properties and children. */
function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties))
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const count = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;

/**
 * Starts the playground in an element. `assets` is the address of the directory with the worker and
 * all files of the client. Returns what stops it.
 */
export function start(root, assets) {
  const state = h("p", { className: "state", role: "status" });
  const bar = h("progress", { hidden: true, "aria-label": "Progress" });
  const report = h("div", { className: "report" });
  const search = h("div", { className: "search" });
  const page = h("div", { className: "page" });
  let worker;

  async function index(files) {
    worker?.terminate();
    for (const element of [report, search, page]) element.replaceChildren();
    if (files.length === 0) return fail("expected a folder, files or a .zip, found none");
    state.textContent = STAGES.take;
    bar.hidden = false;
    bar.removeAttribute("value");
    worker = new Worker(new URL("worker.js", assets), { type: "module" });
    worker.onerror = (event) => fail(event.message ?? "the worker could not be loaded");
    worker.onmessage = ({ data }) => {
      if (data.progress) advance(data.progress);
      else if (data.built)
        show(data.built).catch(({ message }) => {
          state.textContent = `The search could not be loaded: ${message}. Load the page again.`;
        });
      else if (data.error) fail(data.error);
    };
    worker.postMessage({ files, base: `${location.href.split("#", 1)[0]}#/` });
  }

  function advance({ stage, done, total }) {
    state.textContent =
      total === undefined ? STAGES[stage] : `${STAGES[stage]}: ${done} of ${total}`;
    if (total) Object.assign(bar, { value: done, max: total });
    else bar.removeAttribute("value");
  }

  function fail(message) {
    bar.hidden = true;
    state.textContent = `Nothing was indexed: ${message}`;
  }

  async function show({ pages, sections, problems, bytes, ms }) {
    bar.hidden = true;
    const size = (bytes.byteLength / 1000).toLocaleString("en", { maximumFractionDigits: 0 });
    state.textContent =
      `${count(pages, "page")} with ${count(sections, "section")}, indexed in ` +
      `${(ms / 1000).toFixed(1)} s. The bundle has ${size} kB.`;
    tellProblems(problems);
    const own = worker;
    if (!customElements.get("findling-search"))
      await import(/* @vite-ignore */ new URL("findling-ui.js", assets).href);
    // Other files may have been dropped meanwhile, or the page left.
    if (worker !== own) return;
    const element = document.createElement("findling-search");
    for (const name of ["inline", "encoder", "theme", "shortcut", "history", "assistants"])
      element.setAttribute(name, ATTRIBUTES[name]);
    element.setAttribute("bundle", new URL("files.findling", assets).href);
    element.options = { bytes, assets: assets.href };
    element.addEventListener("findling-select", (event) => {
      event.preventDefault();
      open(event.detail);
    });
    search.replaceChildren(element);
    element.show();
  }

  function tellProblems(problems) {
    if (problems.length === 0) return;
    const list = h("ul");
    for (const { severity, path, line, reason } of problems.slice(0, MAX_SHOWN)) {
      const place = line === null ? path : `${path}:${line}`;
      list.append(h("li", {}, `${place || "the folder"}: ${severity}: ${reason}`));
    }
    if (problems.length > MAX_SHOWN)
      list.append(h("li", {}, `and ${problems.length - MAX_SHOWN} more`));
    const summary = h("summary", {}, count(problems.length, "message"));
    report.replaceChildren(h("details", {}, summary, list));
  }

  /** Shows a page as it was read, at the section that was found. */
  function open({ page: { url, title }, section }) {
    const ask = worker;
    const id = crypto.randomUUID();
    ask.addEventListener("message", function answered({ data }) {
      if (data.id !== id) return;
      ask.removeEventListener("message", answered);
      if (data.page) draw(data.page, title, section?.url.slice(url.length + 1));
    });
    ask.postMessage({ page: url, id });
  }

  function draw({ file, sections }, title, anchor) {
    const heading = h("h2", { tabIndex: -1 }, title);
    const article = h("article", {}, heading, h("p", { className: "file" }, file));
    let target = heading;
    for (const section of sections) {
      if (section.heading) {
        const below = h("h3", { tabIndex: -1 }, section.heading);
        if (section.anchor !== null && section.anchor === anchor) target = below;
        article.append(below);
      }
      for (const [text, isCode] of section.blocks)
        article.append(isCode ? h("pre", { tabIndex: 0 }, text) : h("p", {}, text));
    }
    page.replaceChildren(article);
    target.scrollIntoView({ block: "start" });
    target.focus({ preventScroll: true });
  }

  root.replaceChildren(chooser(index, fail), state, bar, report, search, page);
  return () => {
    worker?.terminate();
    worker = undefined;
  };
}

const ATTRIBUTES = {
  inline: "",
  encoder: "none",
  theme: "page",
  shortcut: "none",
  // Queries about a reader's own files are not kept, and no assistant gets information about the
  // files.
  history: "none",
  assistants: "none",
};

/** The area on which files are dropped, with buttons as an alternative. */
function chooser(index, fail) {
  const choose = (label, properties) => {
    const input = h("input", { type: "file", multiple: true, hidden: true, ...properties });
    input.addEventListener("change", () => {
      void index(chosen(input));
      input.value = "";
    });
    const button = h("button", { type: "button" }, label);
    button.addEventListener("click", () => input.click());
    return [button, input];
  };
  const zone = h(
    "div",
    { className: "drop" },
    h("p", {}, "Drop a folder, files or a .zip here"),
    ...choose("Choose a folder", { webkitdirectory: true }),
    ...choose("Choose files or a .zip", {}),
  );
  const over = (event) => {
    event.preventDefault();
    zone.dataset.over = "";
  };
  zone.addEventListener("dragenter", over);
  zone.addEventListener("dragover", over);
  zone.addEventListener("dragleave", () => delete zone.dataset.over);
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    delete zone.dataset.over;
    dropped(event.dataTransfer).then(index, (error) => fail(error.message));
  });
  return zone;
}
