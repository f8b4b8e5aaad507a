/**
 * `<findling-search>`: a site's whole integration is this element and one script.
 *
 * Attributes: `bundle` (address of the bundle; default: the directory of the script),
 * `placeholder`, `shortcut` (the letter that opens with Ctrl or Cmd, `k` unless told, `none` for no
 * keys at all), `inline` (no dialog: the box stands in the page), `theme` (`light`, `dark`;
 * default: the reader's), `mode` (`hybrid`, `lexical`, `semantic`), `order` (`relevance`, `recent`,
 * `balanced`), `encoder` (`auto`, `static`, `transformer`, `none`), `limit` (pages at a time, 10),
 * `facets` (names separated by commas; default: all that were marked as filters; `none`), `site`
 * (what page addresses are relative to).
 *
 * Events: `findling-select`, cancelable, when a result is chosen, with `{ href, page, section }` as
 * its detail; `findling-search` when a search was answered, with the response.
 *
 * Slot `trigger`: another button in place of the built-in one. Parts: `trigger`, `panel`, `input`,
 * `filters`, `chip`, `results`. Colours and fonts are CSS variables (see styles.css).
 */

import type { FindlingIndex } from "../client";
import type { Mode, Order } from "../engine-types";
import type { OpenOptions, PageResult, SectionResult } from "../types";
import { h, icon, MAGNIFIER } from "./dom";
import { LABELS, type Labels } from "./labels";
import { Panel } from "./panel";
import css from "./styles.css";

/** The detail of `findling-select`. */
export interface Selection {
  href: string;
  page: PageResult;
  section: SectionResult | undefined;
}

const apple = /Mac|iP(hone|ad|od)/.test(navigator.platform);
let sheet: CSSStyleSheet | undefined;

export class FindlingSearch extends HTMLElement {
  static readonly observedAttributes = ["placeholder", "inline", "shortcut"];

  readonly #root = this.attachShadow({ mode: "open", delegatesFocus: true });
  #labels: Labels = LABELS;
  #panel: Panel | undefined;
  #dialog: HTMLDialogElement | undefined;
  #index: Promise<FindlingIndex> | undefined;
  #options: OpenOptions = {};

  /** The words of the element; give only those to be changed. */
  get labels(): Labels {
    return this.#labels;
  }
  set labels(labels: Partial<Labels>) {
    this.#labels = { ...LABELS, ...labels };
    if (this.#panel) this.#draw();
  }

  /**
   * What the client is opened with, for what attributes cannot say, such as `encode`. To be set
   * before the first search.
   */
  get options(): OpenOptions {
    return this.#options;
  }
  set options(options: OpenOptions) {
    this.#options = options;
  }

  /** The index, opened if it is not yet. */
  get index(): Promise<FindlingIndex> {
    return this.#open();
  }

  /** Opens the dialog, or moves the keyboard to the box where it stands in the page. */
  show(query?: string): void {
    if (!this.#panel) return;
    if (this.#dialog && !this.#dialog.open) this.#dialog.showModal();
    this.#panel.input.focus();
    this.#panel.input.select();
    void this.#panel.warm();
    if (query !== undefined) {
      this.#panel.input.value = query;
      this.#panel.input.dispatchEvent(new Event("input"));
    }
  }

  /** Closes the dialog; the keyboard returns to where it was. */
  hide(): void {
    this.#dialog?.close();
  }

  connectedCallback(): void {
    if (!this.#panel) this.#draw();
    document.addEventListener("keydown", this.#shortcut);
  }

  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.#shortcut);
    this.#index?.then(
      (index) => index.close(),
      () => {},
    );
    this.#index = undefined;
    this.#panel = undefined;
  }

  attributeChangedCallback(name: string): void {
    if (!this.#panel) return;
    if (name === "placeholder") this.#panel.relabel();
    else this.#draw();
  }

  #draw(): void {
    this.#dialog = undefined;
    this.#style();
    const panel = new Panel({
      labels: () => this.#labels,
      open: () => this.#open(),
      mode: () => this.#oneOf("mode", ["hybrid", "lexical", "semantic"] as const) satisfies Mode,
      order: () =>
        this.#oneOf("order", ["relevance", "recent", "balanced"] as const) satisfies Order,
      limit: () => Math.max(1, Math.min(100, Number(this.getAttribute("limit")) || 10)),
      facets: () => this.#facets(),
      placeholder: () => this.getAttribute("placeholder") ?? this.#labels.placeholder,
      select: (hit, href) => this.#select({ href, ...hit }),
      answered: (detail) =>
        this.dispatchEvent(
          new CustomEvent("findling-search", { detail, bubbles: true, composed: true }),
        ),
      dismiss: () => this.#dismiss(),
    });
    this.#panel = panel;
    if (this.hasAttribute("inline")) {
      this.#root.replaceChildren(panel.element);
      panel.input.addEventListener("focus", () => void panel.warm(), { once: true });
      return;
    }
    const dialog = h(
      "dialog",
      { part: "dialog", "aria-label": this.#labels.search },
      panel.element,
    );
    this.#dialog = dialog;
    // A click on the backdrop lands on the dialog itself.
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    const key = this.#key();
    const trigger = h(
      "button",
      {
        type: "button",
        class: "trigger",
        part: "trigger",
        "aria-haspopup": "dialog",
        "aria-keyshortcuts": key && `${apple ? "Meta" : "Control"}+${key.toUpperCase()}`,
      },
      icon(MAGNIFIER, 16),
      h("span", {}, this.#labels.search),
      ...(key
        ? [
            h(
              "kbd",
              { "aria-hidden": "true" },
              apple ? `\u2318${key.toUpperCase()}` : `Ctrl ${key.toUpperCase()}`,
            ),
          ]
        : []),
    );
    const slot = h("slot", { name: "trigger" }, trigger);
    slot.addEventListener("click", () => this.show());
    // What points at search will probably search.
    slot.addEventListener("pointerenter", () => void panel.warm(), { once: true });
    this.#root.replaceChildren(slot, dialog);
  }

  #style(): void {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
    }
    this.#root.adoptedStyleSheets = [sheet];
  }

  /** The client is fetched with the first sign of interest, not with the page. */
  #open(): Promise<FindlingIndex> {
    this.#index ??= import("../client")
      .then(({ open }) => {
        const site = this.getAttribute("site");
        return open(this.getAttribute("bundle") ?? new URL(".", import.meta.url), {
          ...(site === null ? {} : { site }),
          encoder: this.#oneOf("encoder", ["auto", "static", "transformer", "none"] as const),
          ...this.#options,
        });
      })
      .catch((thrown: unknown) => {
        this.#index = undefined;
        throw thrown;
      });
    return this.#index;
  }

  #select(selection: Selection): boolean {
    const go = this.dispatchEvent(
      new CustomEvent("findling-select", {
        detail: selection,
        cancelable: true,
        bubbles: true,
        composed: true,
      }),
    );
    this.hide();
    return go;
  }

  #dismiss(): void {
    if (this.#dialog) {
      this.#dialog.close();
      return;
    }
    const { input } = this.#panel!;
    input.value = "";
    input.dispatchEvent(new Event("input"));
  }

  #facets(): string[] {
    const names = this.getAttribute("facets");
    if (names === null) return ["*"];
    return names === "none"
      ? []
      : names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "");
  }

  #key(): string | undefined {
    const key = this.getAttribute("shortcut") ?? "k";
    return key === "none" ? undefined : key.toLowerCase();
  }

  #oneOf<const T extends readonly string[]>(name: string, values: T): T[number] {
    const value = this.getAttribute(name);
    return values.find((known) => known === value) ?? values[0]!;
  }

  readonly #shortcut = (event: KeyboardEvent): void => {
    const key = this.#key();
    if (key === undefined || event.defaultPrevented || event.isComposing) return;
    const combined =
      (event.ctrlKey || event.metaKey) &&
      !event.altKey &&
      !event.shiftKey &&
      event.key.toLowerCase() === key;
    const slash =
      event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !writes(event);
    if (!combined && !slash) return;
    event.preventDefault();
    if (combined && this.#dialog?.open) this.hide();
    else this.show();
  };
}

/** Whether a key goes into text somewhere. */
function writes(event: Event): boolean {
  const target = event.composedPath()[0];
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

if (!customElements.get("findling-search"))
  customElements.define("findling-search", FindlingSearch);

declare global {
  interface HTMLElementTagNameMap {
    "findling-search": FindlingSearch;
  }
}
