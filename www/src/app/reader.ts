/** The reader: a page of a collection, with the query's words marked. */

import { h } from "../ui/dom";
import { fill } from "../ui/labels";
import type { Page } from "./answers";
import { ask } from "./api";
import { body } from "./body";
import { details } from "./details";
import { say, texts } from "./language";
import { MatchBar } from "./match-bar";
import { nodesOf, textOf } from "./pieces";

/** The parts of the address of an application page. */
export interface Place {
  in: string;
  page: string;
  q: string;
}

export class Reader {
  readonly element = h("div", { class: "reader", "aria-busy": "true" });
  readonly #place: Place;
  #page: Page | undefined;

  constructor(place: Place) {
    this.#place = place;
    this.element.append(h("p", { class: "muted" }, "\u2026"));
    addEventListener("hashchange", () => this.#reach());
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.#page = await ask<Page>("read", { ...this.#place, anchor: anchor() });
    } catch (thrown) {
      this.element.replaceChildren(
        h("h1", {}, texts().cannotShow),
        h("p", { class: "error", dir: "auto" }, (thrown as Error).message),
      );
      this.element.ariaBusy = "false";
      return;
    }
    const page = this.#page;
    document.title = `${textOf(page.title) || page.id} · Findling`;
    const text = body(page);
    const marks = new MatchBar(text);
    this.element.replaceChildren(
      h(
        "article",
        { class: page.kind, lang: page.language || null },
        this.#head(page),
        marks.element,
        text,
      ),
      this.#side(page),
    );
    this.element.ariaBusy = "false";
    if (anchor() === "") marks.first();
    else this.#reach();
  }

  #head(page: Page): HTMLElement {
    const search = new URLSearchParams({ q: this.#place.q });
    const filter = new URLSearchParams({ "f.collection": page.collection });
    const back =
      this.#place.q === ""
        ? h("a", { href: `/search?${filter}` }, page.collection)
        : h("a", { href: `/search?${search}` }, say("resultsFor", { query: this.#place.q }));
    const head = h(
      "header",
      {},
      h("p", { class: "where" }, back),
      h("h1", { dir: "auto" }, ...nodesOf(page.title)),
    );
    const links: HTMLElement[] = [];
    const out = { target: "_blank", rel: "noopener" };
    if (page.web !== undefined)
      links.push(h("a", { href: page.web, ...out, class: "button" }, texts().openWeb));
    if (page.pdf !== undefined) {
      const at = /^page=\d+$/.exec(anchor());
      const href = at ? `${page.pdf}#${at[0]}` : page.pdf;
      links.push(h("a", { href, ...out, class: "button pdf" }, pdfLabel(at?.[0])));
    }
    if (links.length > 0) head.append(h("p", { class: "links" }, ...links));
    if (page.isKeptText) head.append(h("p", { class: "note", role: "note" }, texts().keptText));
    return head;
  }

  #side(page: Page): HTMLElement {
    const side = h("aside", { "aria-label": texts().file }, ...details(page));
    if (page.outline.length > 1) {
      const entries = page.outline.map(({ level, heading, anchor }) =>
        h(
          "li",
          { class: `level-${Math.min(4, Math.max(1, level))}` },
          h("a", { href: `#${encodeURIComponent(anchor)}`, dir: "auto" }, heading),
        ),
      );
      side.append(
        h(
          "nav",
          { "aria-label": texts().contents },
          h("h2", {}, texts().contents),
          h("ol", {}, ...entries),
        ),
      );
    }
    return side;
  }

  /** Shows the section that the address names. On a long page it may have to be fetched. */
  #reach(): void {
    const name = anchor();
    const page = this.#page;
    if (name === "" || !page) return;
    for (const old of this.element.querySelectorAll(".target")) old.classList.remove("target");
    const found = page.source ? this.#lines(name) : this.#section(name);
    const first = found[0];
    if (!first) {
      if (page.outline.some((entry) => entry.anchor === name) || page.before + page.after > 0)
        void this.#loadAgain(name);
      return;
    }
    for (const element of found) element.classList.add("target");
    const link = this.element.querySelector<HTMLAnchorElement>("a.pdf");
    if (link && page.pdf !== undefined && /^page=\d+$/.test(name)) {
      link.href = `${page.pdf}#${name}`;
      link.textContent = pdfLabel(name);
    }
    first.scrollIntoView({ block: page.source ? "center" : "start" });
    first.focus({ preventScroll: true });
  }

  /** Asks for the part of the page that has an anchor, once for each. */
  async #loadAgain(name: string): Promise<void> {
    if (this.element.dataset["asked"] === name) return;
    this.element.dataset["asked"] = name;
    await this.#load();
  }

  #section(name: string): HTMLElement[] {
    // Parts of a long section have its anchor.
    const all = [...this.element.querySelectorAll<HTMLElement>("[data-anchor]")];
    return all.filter((element) => element.dataset["anchor"] === name);
  }

  /** The lines that an anchor such as `L12-L30` names. */
  #lines(name: string): HTMLElement[] {
    const [, first, last] = /^L(\d+)(?:-L(\d+))?$/.exec(name) ?? [];
    if (first === undefined) return [];
    const lines = [...this.element.querySelectorAll<HTMLElement>(".line")];
    return lines.slice(Number(first) - 1, Number(last ?? first));
  }
}

/** Returns the text of a link to the PDF; `place` is an anchor such as `page=3`. */
function pdfLabel(place?: string): string {
  if (place === undefined) return texts().openPdf;
  return `${texts().openPdf}: ${fill(texts().pageNumber, { n: place.slice(5) })}`;
}

/** The anchor in the address. */
function anchor(): string {
  const name = location.hash.slice(1).split(":~:")[0] ?? "";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
