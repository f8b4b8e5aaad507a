/**
 * Favourites, pages opened before, and earlier searches, below the empty box. Loaded when the
 * search is opened.
 */

import { scriptDirectory } from "../../script-address";
import { CROSS, fill, follow, h, icon, isModified, sheetOf } from "../common";
import type { Labels } from "../labels";
import { PAGE_LABELS } from "../page-labels";
import type { Panel } from "../panel";
import type { Selection } from "../selection";
import { type Opened, type Records, Store } from "./store";
import css from "./styles.css";

const STAR = "M10 2.8l2.2 4.6 5 .7-3.6 3.5.9 5L10 14.2l-4.5 2.4.9-5L2.8 8.1l5-.7Z";
const CLOCK = "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM10 6.5V10l2.5 1.5";

/** The element with the history. */
interface Host extends HTMLElement {
  labels: Labels;
  show(query?: string): void;
  hide(): void;
}

const histories = new WeakMap<Host, History>();

/** Shows the history of an element in its panel. */
export function attach(element: Host, panel: Panel): void {
  let history = histories.get(element);
  if (!history) {
    history = new History(element);
    histories.set(element, history);
  }
  history.showIn(panel);
}

class History {
  readonly #element: Host;
  readonly #store = new Store(`findling-history ${scriptDirectory()?.pathname ?? "/findling/"}`);
  #panel!: Panel;

  constructor(element: Host) {
    this.#element = element;
    element.shadowRoot!.adoptedStyleSheets.push(sheetOf(css));
    element.addEventListener("findling-select", ({ detail }) => this.#record(detail));
  }

  get #labels() {
    return { ...PAGE_LABELS, ...this.#element.labels };
  }

  showIn(panel: Panel): void {
    // The same object is used as long as there is no history.
    if (this.#panel !== panel) {
      this.#panel = panel;
      panel.idle.classList.add("history");
      panel.element.addEventListener("keydown", (event) => this.#key(event));
    }
    this.#draw();
  }

  /** The chosen page, and the query that led to it. */
  #record({ href, page, section }: Selection): void {
    const query = this.#panel.input.value.trim();
    const heading = section?.headingPath.at(-1);
    const title = [page.title || page.url, heading].filter(
      (text, i, all) => text && text !== all[i - 1],
    );
    const opened: Opened = { href, title: title.join(" \u203A ") };
    this.#change((records) => {
      if (query !== "")
        records.searches = [query, ...records.searches.filter((other) => other !== query)];
      records.opened = [opened, ...without(records.opened, href)];
    });
  }

  #change(change: (records: Records) => void): void {
    const records = this.#store.read();
    change(records);
    this.#store.write(records);
    this.#draw();
  }

  #draw(): void {
    const labels = this.#labels;
    const { searches, opened, favourites } = this.#store.read();
    const isKept = ({ href }: Opened) => favourites.some((kept) => kept.href === href);
    const pages = (list: Opened[]) => list.map((page) => this.#pageRow(page, isKept(page)));
    const parts = [
      ...list(labels.favourites, pages(favourites)),
      ...list(labels.opened, pages(opened.filter((page) => !isKept(page)))),
      ...list(
        labels.recent,
        searches.map((query) => this.#searchRow(query)),
      ),
    ];
    if (searches.length + opened.length > 0) {
      const clear = h("button", { type: "button", class: "button" }, labels.forgetAll);
      clear.addEventListener("click", () => {
        this.#change((records) => Object.assign(records, { searches: [], opened: [] }));
        this.#panel.input.focus();
      });
      parts.push(clear);
    }
    this.#panel.idle.replaceChildren(...parts);
  }

  #pageRow(page: Opened, isKept: boolean): HTMLElement {
    const labels = this.#labels;
    const { href, title } = page;
    const link = h("a", { class: "hit", href }, h("span", { dir: "auto" }, title));
    link.addEventListener("click", (event) => {
      if (isModified(event)) return;
      event.preventDefault();
      this.#element.hide();
      follow(href, href);
    });
    const star = this.#button(STAR, isKept ? labels.unkeep : labels.keep, title, () =>
      this.#change((records) => {
        const others = without(records.favourites, href);
        records.favourites = isKept ? others : [page, ...others];
        if (isKept) records.opened = [page, ...without(records.opened, href)];
      }),
    );
    const buttons = [star];
    if (!isKept)
      buttons.push(
        this.#button(CROSS, labels.forget, title, () =>
          this.#change((records) => {
            records.opened = without(records.opened, href);
          }),
        ),
      );
    return h("li", {}, link, ...buttons);
  }

  #searchRow(query: string): HTMLElement {
    const labels = this.#labels;
    const again = h(
      "button",
      { type: "button", class: "hit" },
      icon(CLOCK, 16),
      h("span", { dir: "auto" }, query),
    );
    again.addEventListener("click", () => this.#element.show(query));
    const forget = this.#button(CROSS, labels.forget, query, () =>
      this.#change((records) => {
        records.searches = records.searches.filter((other) => other !== query);
      }),
    );
    return h("li", {}, again, forget);
  }

  /** A button in a row. Its action may remove the row. */
  #button(path: string, label: string, title: string, click: () => void): HTMLButtonElement {
    const name = fill(label, { title });
    const button = h("button", { type: "button", class: "act", "aria-label": name, title: name });
    button.append(icon(path, 16));
    button.addEventListener("click", () => {
      click();
      this.#panel.input.focus();
    });
    return button;
  }

  /** The arrow keys, Home and End move between the box and the rows. */
  #key(event: KeyboardEvent): void {
    const { idle, input } = this.#panel;
    if (idle.hidden || event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = [...idle.querySelectorAll<HTMLElement>(".hit")];
    const at = rows.indexOf(this.#element.shadowRoot!.activeElement as HTMLElement);
    const isInBox = this.#element.shadowRoot!.activeElement === input;
    if (at < 0 && !isInBox) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined || (isInBox && event.key !== "ArrowDown")) return;
    event.preventDefault();
    (to < 0 ? input : rows[Math.min(to, rows.length - 1)])?.focus();
  }
}

const without = (pages: Opened[], href: string) => pages.filter((page) => page.href !== href);

/** A list under its title; `undefined` if it is empty. */
function list(title: string, rows: HTMLElement[]): HTMLElement[] {
  if (rows.length === 0) return [];
  return [h("h2", {}, title), h("ul", { "aria-label": title }, ...rows)];
}
