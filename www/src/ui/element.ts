/**
 * `<findling-search>`: the search box of a site. The README lists its attributes, properties,
 * events, parts and CSS variables.
 */

import { beginOpening } from "../begin-opening";
import type { FindlingIndex } from "../client";
import type { Mode, Order } from "../engine-types";
import type { OpenOptions, PageResult, SectionResult } from "../types";
import { h, icon, MAGNIFIER } from "./dom";
import { LABELS, type Labels } from "./labels";
import { followPage } from "./page-theme";
import { Panel } from "./panel";
import css from "./styles.css";
import { knowsFragments } from "./text-fragment";

/** The detail of `findling-select`. */
export interface Selection {
  href: string;
  page: PageResult;
  section: SectionResult | undefined;
}

/** Devices whose shortcuts use Cmd. */
const apple = /Mac|iP(hone|ad|od)/.test(navigator.platform);
let sheet: CSSStyleSheet | undefined;

export class FindlingSearch extends HTMLElement {
  static readonly observedAttributes = ["placeholder", "inline", "shortcut", "theme"];

  readonly #root = this.attachShadow({ mode: "open", delegatesFocus: true });
  #labels: Labels = LABELS;
  #panel: Panel | undefined;
  #dialog: HTMLDialogElement | undefined;
  #index: Promise<FindlingIndex> | undefined;
  #options: OpenOptions = {};
  #unfollow: (() => void) | undefined;
  /** The page's address when the element came into it. A router may change it later. */
  #base = document.baseURI;

  /** The texts of the element. Set only those to replace. */
  get labels(): Labels {
    return this.#labels;
  }
  set labels(labels: Partial<Labels>) {
    this.#labels = { ...LABELS, ...labels };
    if (this.#panel) this.#draw();
  }

  /** Options for `open()` that have no attribute, such as `encode`. Set before the first search. */
  get options(): OpenOptions {
    return this.#options;
  }
  set options(options: OpenOptions) {
    this.#options = options;
  }

  /** The open index. Opens it if necessary. */
  get index(): Promise<FindlingIndex> {
    return this.#open();
  }

  /** Opens the dialog, or focuses the box of an inline element; searches if there is a query. */
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

  /** Closes the dialog. The focus returns to where it was. */
  hide(): void {
    this.#dialog?.close();
  }

  connectedCallback(): void {
    this.#base = document.baseURI;
    if (!this.#panel) this.#draw();
    document.addEventListener("keydown", this.#shortcut);
    this.#follow();
  }

  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.#shortcut);
    this.#unfollow?.();
    this.#index?.then(
      (index) => index.close(),
      () => {},
    );
    this.#index = undefined;
    this.#panel = undefined;
  }

  attributeChangedCallback(name: string): void {
    if (!this.#panel) return;
    if (name === "theme") this.#follow();
    else if (name === "placeholder") this.#panel.relabel();
    else this.#draw();
  }

  /** With `theme="page"`, notes the page's theme where the style sheet looks for it. */
  #follow(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    delete this.dataset["page"];
    if (this.getAttribute("theme") === "page")
      this.#unfollow = followPage((theme) => {
        if (this.dataset["page"] !== theme) this.dataset["page"] = theme;
      });
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
      select: (hit, href, passage) => this.#select({ href, ...hit }, passage),
      passages: () => this.hasAttribute("highlight") || knowsFragments(),
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
    const dialog = h("dialog", { part: "dialog", "aria-label": this.#labels.search });
    dialog.append(panel.element);
    this.#dialog = dialog;
    // A click on the backdrop has the dialog itself as its target.
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    const slot = h("slot", { name: "trigger" }, this.#trigger());
    slot.addEventListener("click", () => this.show());
    // A reader who points at the button will probably search.
    slot.addEventListener("pointerenter", () => void panel.warm(), { once: true });
    this.#root.replaceChildren(slot, dialog);
  }

  /** The built-in button that opens the dialog. */
  #trigger(): HTMLButtonElement {
    const key = this.#key()?.toUpperCase();
    const trigger = h("button", {
      type: "button",
      class: "trigger",
      part: "trigger",
      "aria-haspopup": "dialog",
      "aria-keyshortcuts": key && `${apple ? "Meta" : "Control"}+${key}`,
    });
    trigger.append(icon(MAGNIFIER, 16), h("span", {}, this.#labels.search));
    const keys = apple ? `\u2318${key}` : `Ctrl ${key}`;
    if (key) trigger.append(h("kbd", { "aria-hidden": "true" }, keys));
    return trigger;
  }

  #style(): void {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
    }
    this.#root.adoptedStyleSheets = [sheet];
  }

  /** Opens the bundle. The client is fetched only now, not with the page. */
  #open(): Promise<FindlingIndex> {
    this.#index ??= this.#begin().catch((thrown: unknown) => {
      this.#index = undefined;
      throw thrown;
    });
    return this.#index;
  }

  async #begin(): Promise<FindlingIndex> {
    const site = this.getAttribute("site");
    const script = import.meta.url;
    const bundle = this.getAttribute("bundle");
    const address = bundle === null ? new URL(".", script) : new URL(bundle, this.#base);
    const options: OpenOptions = {
      ...(site === null ? {} : { site: new URL(site, this.#base).href }),
      encoder: this.#oneOf("encoder", ["auto", "static", "transformer", "none"] as const),
      ...this.#options,
    };
    // What the client will ask for is asked for at once, with the client itself.
    const begun = beginOpening(address, script, options);
    try {
      return await (await import("../client")).openBegun(address, options, begun);
    } catch (thrown) {
      begun.worker?.worker.terminate();
      throw thrown;
    }
  }

  #select(selection: Selection, passage: string): boolean {
    const go = this.dispatchEvent(
      new CustomEvent("findling-select", {
        detail: selection,
        cancelable: true,
        bubbles: true,
        composed: true,
      }),
    );
    this.hide();
    if (go) follow(selection.href, passage);
    return false;
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

  /** The keys that open the search without Ctrl or Cmd. */
  #plainKeys(): string[] {
    return ["/", ...(this.getAttribute("keys") ?? "").split(",").map((key) => key.trim())];
  }

  #oneOf<const T extends readonly string[]>(name: string, values: T): T[number] {
    const value = this.getAttribute(name);
    return values.find((known) => known === value) ?? values[0]!;
  }

  readonly #shortcut = (event: KeyboardEvent): void => {
    const key = this.#key();
    if (key === undefined || event.defaultPrevented || event.isComposing) return;
    // A page may have one for wide screens and one for narrow ones.
    if (this.getClientRects().length === 0) return;
    const combined =
      (event.ctrlKey || event.metaKey) &&
      !event.altKey &&
      !event.shiftKey &&
      event.key.toLowerCase() === key;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !writes(event);
    if (!combined && !(plain && this.#plainKeys().includes(event.key))) return;
    event.preventDefault();
    // A page that had a search before may still listen.
    event.stopImmediatePropagation();
    if (combined && this.#dialog?.open) this.hide();
    else this.show();
  };
}

/**
 * Goes to an address by a click on a link of the page, which routers of sites notice. They do not
 * see the links in a shadow root. Where none takes the click, the browser goes to the passage, an
 * address that routers would take for an anchor.
 */
function follow(href: string, passage: string): void {
  const link = h("a", { href, hidden: true });
  const last = (event: Event) => {
    if (!event.defaultPrevented) link.href = passage;
  };
  addEventListener("click", last, { once: true });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Whether a key is typed into a text field. */
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
