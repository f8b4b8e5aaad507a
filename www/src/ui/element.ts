/**
 * `<findling-search>`: the search box of a site. The README lists its attributes, properties,
 * events, parts and CSS variables.
 */

import { COMMON, define, FindlingElement } from "./base-element";
import { h, icon, MAGNIFIER } from "./dom";
import { LABELS, type Labels } from "./labels";
import { Panel } from "./panel";
import { onBackdropPress } from "./press";
import { scopeSwitch } from "./scopes";
import { lockScroll, unlockScroll } from "./scroll-lock";
import { choose, type Selection, tell } from "./selection";
import { SettledSearches } from "./settled";

export * from "./common";
export type { Labels, Plural } from "./labels";
export type { FindlingEvents, Selection, Settled } from "./selection";

/** Devices whose shortcuts use Cmd. */
const apple = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? "");

/** The element whose dialog is open. A page shows one at a time. */
let opened: FindlingSearch | undefined;

export class FindlingSearch extends FindlingElement<Labels> {
  static readonly observedAttributes = [
    ...COMMON,
    "placeholder",
    "inline",
    "shortcut",
    "filter",
    "facets",
    "scopes",
    "suggestions",
  ];

  #panel: Panel | undefined;
  #dialog: HTMLDialogElement | undefined;
  readonly #settled = new SettledSearches(this);
  /** Whether the query in the page's address was searched for. */
  #isAddressed = false;
  /** A call of `show()` that waits until there is something to show. */
  #awaited: (() => void) | undefined;

  constructor() {
    super(LABELS);
  }

  /** Opens the dialog, or focuses the box of an inline element; searches if there is a query. */
  show(query?: string): void {
    if (!this.#panel) {
      this.#awaited = () => this.show(query);
      return;
    }
    if (this.#dialog && !this.#dialog.open) this.#openDialog(this.#dialog);
    this.#panel.input.focus();
    this.#panel.input.select();
    this.#warm();
    if (query !== undefined) {
      this.#panel.input.value = query;
      this.#panel.input.dispatchEvent(new Event("input"));
    }
  }

  /** Closes the dialog. The focus returns to where it was. */
  hide(): void {
    this.#awaited = undefined;
    this.#dialog?.close();
    this.#closed();
  }

  #openDialog(dialog: HTMLDialogElement): void {
    opened?.hide();
    opened = this;
    lockScroll();
    // The page around the element may be zoomed. The dialog is relative to the window.
    const { currentCSSZoom: zoom = 1 } = this as { currentCSSZoom?: number };
    dialog.style.zoom = zoom === 1 ? "" : String(1 / zoom);
    dialog.showModal();
  }

  /** Called when the dialog was closed in any way, or was removed. */
  #closed(): void {
    this.#panel?.leave();
    this.#settled.settle("close");
    if (opened !== this) return;
    opened = undefined;
    unlockScroll();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("keydown", this.#shortcut);
    addEventListener("hashchange", this.#linked);
    if (("modelContext" in document || "modelContext" in navigator) && this.#allows("assistants"))
      import("./assistant").then(({ register }) => register(this), ignore);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this.#shortcut);
    removeEventListener("hashchange", this.#linked);
    this.#closed();
    this.#panel = undefined;
    this.#awaited = undefined;
  }

  override attributeChangedCallback(name: string): void {
    if (name === "placeholder") this.#panel?.relabel();
    else super.attributeChangedCallback(name);
  }

  protected draw(): void {
    this.#assemble();
    this.#awaited?.();
    this.#awaited = undefined;
    if (!this.#isAddressed) this.#showAddressed(location.search, location.hash);
    this.#isAddressed = true;
  }

  /** Opens with the query in the page's address, `?q=kiln` or `#q=kiln`, if the site wants that. */
  #showAddressed(...parts: string[]): void {
    const name = this.getAttribute("parameter");
    if (name === null) return;
    const queries = parts.map((part) => new URLSearchParams(part.slice(1)).get(name));
    const query = queries.find((query) => query);
    if (query) this.show(query);
  }

  /** A reader followed a link to `#q=kiln`, or changed the address. */
  readonly #linked = () => this.#showAddressed(location.hash);

  #assemble(): void {
    this.#closed();
    this.#dialog = undefined;
    const scopes = this.getAttribute("scopes");
    const scope = scopes ? scopeSwitch(scopes, this.labels.filters) : undefined;
    const panel = new Panel({
      labels: () => this.labels,
      open: () => this.index,
      asked: () => this.asked(),
      preset: (index) => this.preset(index, scope?.value),
      scope,
      select: (hit, href, passage, position) => this.#select({ href, ...hit, position }, passage),
      typed: () => this.#settled.typed(),
      passages: () => this.passages(),
      all: (query) => this.#all(query),
      answered: (response, isWhole) => {
        if (isWhole) this.#settled.answered(response);
        tell(this, response, isWhole);
      },
      dismiss: () => this.#dismiss(),
    });
    this.#panel = panel;
    if (this.hasAttribute("inline")) {
      this.root.replaceChildren(panel.element);
      panel.input.addEventListener("focus", () => this.#warm(), { once: true });
      return;
    }
    const dialog = h("dialog", { part: "dialog", "aria-label": this.labels.search });
    dialog.append(panel.element);
    this.#dialog = dialog;
    onBackdropPress(dialog, () => this.hide());
    dialog.addEventListener(
      "close",
      () => dialog === this.#dialog && !dialog.open && this.#closed(),
    );
    const slot = h("slot", { name: "trigger" }, this.#trigger());
    slot.addEventListener("click", () => this.show());
    // A reader who points at the button will probably search.
    slot.addEventListener("pointerenter", () => void panel.warm(), { once: true });
    this.root.replaceChildren(slot, dialog);
  }

  /** Opens the bundle, and loads the history for readers who have not typed yet. */
  #warm(): void {
    const panel = this.#panel!;
    void panel.warm();
    if (panel.idle.childElementCount === 0 && this.#allows("history"))
      import("./history/history").then(({ attach }) => attach(this, panel), ignore);
  }

  /** Whether the site has not turned something off. */
  #allows(name: "assistants" | "history"): boolean {
    return this.getAttribute(name) !== "none";
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
    trigger.append(icon(MAGNIFIER, 16), h("span", {}, this.labels.search));
    const keys = apple ? `\u2318${key}` : `Ctrl ${key}`;
    if (key) trigger.append(h("kbd", { "aria-hidden": "true" }, keys));
    return trigger;
  }

  #select(selection: Selection, passage: string): void {
    this.#settled.chosen(selection);
    this.hide();
    choose(this, selection, passage);
  }

  /** The address of the page with all results of a query, if the site has one. */
  #all(query: string): string | undefined {
    const page = this.getAttribute("results");
    if (page === null) return undefined;
    const address = new URL(page, document.baseURI);
    address.searchParams.set("q", query);
    return address.href;
  }

  #dismiss(): void {
    if (this.#dialog) {
      this.hide();
      return;
    }
    const { input } = this.#panel!;
    input.value = "";
    input.dispatchEvent(new Event("input"));
  }

  #key(): string | undefined {
    const key = this.getAttribute("shortcut") ?? "k";
    return key === "none" ? undefined : key.toLowerCase();
  }

  readonly #shortcut = (event: KeyboardEvent): void => {
    const key = this.#key();
    if (key === undefined || event.defaultPrevented || event.isComposing) return;
    // The keys apply to the open dialog.
    if (opened && opened !== this) return;
    // A page may have one element for wide screens and one for narrow ones.
    if (this.getClientRects().length === 0) return;
    // A keyboard of another script has other letters on the same keys.
    const typed = event.key > "\x7f" ? event.code.replace("Key", "").toLowerCase() : event.key;
    const combined =
      (event.ctrlKey || event.metaKey) &&
      !event.altKey &&
      !event.shiftKey &&
      typed.toLowerCase() === key;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !writes(event);
    if (!combined && !(plain && ["/", ...this.namesIn("keys")].includes(typed))) return;
    event.preventDefault();
    // A page that had a search before may still listen.
    event.stopImmediatePropagation();
    if (combined && this.#dialog?.open) this.hide();
    else this.show();
  };
}

/** Handles errors of optional features: the search works without these. */
const ignore = () => {};

/** The types of inputs that are not text fields. */
const TAKES_NO_TEXT = /^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/;

/** Whether a key is typed into a text field. */
function writes(event: Event): boolean {
  const target = event.composedPath()[0];
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
      (target instanceof HTMLInputElement && !TAKES_NO_TEXT.test(target.type)))
  );
}

define("findling-search", FindlingSearch);

declare global {
  interface HTMLElementTagNameMap {
    "findling-search": FindlingSearch;
  }
}
