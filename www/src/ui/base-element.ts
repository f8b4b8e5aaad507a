/** The common part of all elements: texts, theme, style, and the bundle that they open. */

import { parseBundleAddress } from "../bundle-address";
import type { FindlingIndex } from "../client";
import { scriptDirectory } from "../script-address";
import type { Filter, OpenOptions, SearchOptions } from "../types";
import type { Labels } from "./labels";
import { loadLocale, localeFor } from "./locale";
import { type Lease, lease } from "./open-bundle";
import { followPage } from "./page-theme";
import type { PanelSearch } from "./panel-options";
import { presetFilter } from "./preset";
import css from "./styles.css";
import { knowsFragments } from "./text-fragment";

const sheets = new Map<string, CSSStyleSheet>();

/** The style sheet of a text; one for all elements of a page. */
export function sheetOf(text: string): CSSStyleSheet {
  let sheet = sheets.get(text);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.set(text, sheet);
  }
  return sheet;
}

/** The attributes that every element observes: all except the theme decide what is opened. */
export const COMMON = ["theme", "bundle", "site", "encoder"];

/** A server that renders a page imports the elements, and has no DOM. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** Defines an element, unless the page has another one of its name or there is no page. */
export function define(name: string, element: CustomElementConstructor): void {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}

export abstract class FindlingElement<T extends Labels> extends Base {
  protected readonly root = this.attachShadow({ mode: "open", delegatesFocus: true });
  /**
   * The theme unless an attribute sets another; `undefined` for the theme of the reader's system.
   */
  protected readonly ownTheme?: "page";
  readonly #english: T;
  #labels: T;
  #replaced: Partial<T> = {};
  #locale: Partial<T> = {};
  #options: OpenOptions = {};
  #lease: Lease | undefined;
  #unfollow: (() => void) | undefined;
  /** The number of times that the element was added to a page or removed. */
  #moves = 0;
  #isDrawn = false;
  /** Names in the element's attributes that the bundle does not have. */
  #unknown = new Set<string>();
  /** The page's address when the element was added. A router may change it later. */
  #base = document.baseURI;

  /** `english` are its texts, `style` is its addition to the style of all elements. */
  constructor(english: T, style?: string) {
    super();
    this.#english = english;
    this.#labels = english;
    this.root.adoptedStyleSheets = (style ? [css, style] : [css]).map(sheetOf);
    // Properties that were set before the element was defined are own properties, and hide the
    // accessors.
    const own = this as unknown as Record<string, unknown>;
    for (const name of ["labels", "options"]) {
      if (!Object.hasOwn(own, name)) continue;
      const value = own[name];
      delete own[name];
      own[name] = value;
    }
  }

  /** The texts of the element. Set only those to replace. */
  get labels(): T {
    return this.#labels;
  }
  set labels(labels: Partial<T>) {
    this.#replaced = labels;
    this.#relabel();
    this.redraw();
  }

  /**
   * Options for `open()` that have no attribute, such as `encode`. Setting them opens the bundle
   * again.
   */
  get options(): OpenOptions {
    return this.#options;
  }
  set options(options: OpenOptions) {
    this.#options = options;
    this.#reopen();
  }

  /** The open index. Opens it if necessary. */
  get index(): Promise<FindlingIndex> {
    this.#lease ??= this.lease();
    const asked = this.#lease;
    return asked.index.catch((thrown: unknown) => {
      // Another bundle may have been requested in the meantime.
      if (this.#lease === asked) this.#lease = undefined;
      throw thrown;
    });
  }

  connectedCallback(): void {
    this.#base = document.baseURI;
    this.#follow();
    const language = this.closest<HTMLElement>("[lang]")?.lang;
    const locale = language ? localeFor(language) : undefined;
    if (locale === undefined) {
      this.#start({});
      return;
    }
    const moves = ++this.#moves;
    void loadLocale(locale, this.#assets()).then((texts) => {
      if (this.#moves === moves) this.#start(texts as Partial<T>);
    });
  }

  disconnectedCallback(): void {
    this.#unfollow?.();
    this.#moves++;
    this.#isDrawn = false;
    this.#reopen();
  }

  attributeChangedCallback(name: string): void {
    if (name === "theme") this.#follow();
    else if (COMMON.includes(name)) this.#reopen();
    else this.redraw();
  }

  /** Draws the element, in the language of the page. */
  protected abstract draw(): void;

  /** Opens the bundle that is searched. */
  protected lease(): Lease {
    return lease(this.#address(), this.#openOptions());
  }

  /** Draws the element again, if it is drawn. */
  protected redraw(): void {
    if (this.#isDrawn) this.draw();
  }

  /** The value of an attribute if it is one of the given ones, otherwise the first of these. */
  protected oneOf<const V extends readonly string[]>(name: string, values: V): V[number] {
    const value = this.getAttribute(name);
    return values.find((known) => known === value) ?? values[0]!;
  }

  /** The names in an attribute, separated by commas. */
  protected namesIn(name: string): string[] {
    const names = (this.getAttribute(name) ?? "").split(",").map((name) => name.trim());
    return names.filter((name) => name !== "");
  }

  /**
   * The values of the attributes. There is no method for each: frameworks set an attribute as a
   * property if the element has a property of its name.
   */
  protected asked(limit = 10): PanelSearch {
    const facets = this.namesIn("facets").map((text) => text.split("=")[0]!.trim());
    const known = facets.filter((name) => !this.#unknown.has(name));
    return {
      mode: this.oneOf("mode", ["hybrid", "lexical", "semantic"]),
      order: this.oneOf("order", ["relevance", "recent", "balanced"]),
      limit: Math.max(1, Math.min(100, Number(this.getAttribute("limit")) || limit)),
      facets: facets[0] === "none" ? [] : facets.length > 0 ? known : ["*"],
      // The style sheet recognises an empty box by its placeholder.
      placeholder: this.getAttribute("placeholder") ?? this.labels.placeholder,
      suggestions: this.namesIn("suggestions"),
      options: this.#searchOptions(),
    };
  }

  /**
   * The filter that the site sets: that of the attribute, and the page's declarations. Names in
   * other attributes that the bundle lacks are left out from now on, so that the search works.
   */
  protected preset(
    index: FindlingIndex,
    filter = this.getAttribute("filter"),
  ): Promise<Filter | undefined> {
    const names = index.info.attributes.map(({ name }) => name);
    this.#unknown.clear();
    const { facets, options } = this.asked();
    for (const name of [...facets, options.spread, options.sort?.by]) {
      if (!name || name === "*" || names.includes(name)) continue;
      this.#unknown.add(name);
      const expected = `expected one of ${names.join(", ") || "none"}, found ${name}`;
      console.warn(`findling: ${expected} in the attributes of <${this.localName}>`);
    }
    return presetFilter(index, filter, this.closest<HTMLElement>("[lang]"));
  }

  #searchOptions(): SearchOptions {
    const [spread, sort] = [this.getAttribute("spread"), this.getAttribute("sort")];
    const [by, direction] = (sort ?? "").split(":");
    return {
      ...(spread && !this.#unknown.has(spread) && { spread }),
      ...(by && !this.#unknown.has(by) && { sort: { by, descending: direction === "desc" } }),
    };
  }

  /** Whether links name the passage that they lead to. */
  protected passages(): boolean {
    return this.hasAttribute("highlight") || knowsFragments();
  }

  #start(locale: Partial<T>): void {
    this.#locale = locale;
    this.#relabel();
    this.#isDrawn = true;
    this.draw();
  }

  #relabel(): void {
    // A facet may have a name for readers: `in_stock=In stock`.
    const named = this.namesIn("facets").flatMap((text) => {
      const [name, label] = text.split("=").map((part) => part.trim());
      return name && label ? [[name, label] as const] : [];
    });
    const labels = { ...this.#english, ...this.#locale, ...this.#replaced };
    const attributes = { ...Object.fromEntries(named), ...labels.attributes };
    this.#labels = { ...labels, attributes };
  }

  /** Releases the open bundle; if the element is drawn, opens the bundle that it now needs. */
  #reopen(): void {
    this.#lease?.end();
    this.#lease = undefined;
    this.redraw();
  }

  #address(): URL {
    const bundle = this.getAttribute("bundle");
    if (bundle === null) return scriptDirectory() ?? new URL("/findling/", this.#base);
    return new URL(bundle, this.#base);
  }

  /** The directory of the client's files. */
  #assets(): URL {
    const { assets } = this.#options;
    if (assets !== undefined) return new URL(assets, this.#base);
    return scriptDirectory() ?? parseBundleAddress(this.#address()).base;
  }

  #openOptions(): OpenOptions {
    let site = this.getAttribute("site");
    const { origin, protocol } = this.#address();
    // A page in a sandboxed frame has no origin; its address has one.
    const own = location.origin === "null" ? new URL(this.#base).origin : location.origin;
    if (site === null && !this.#options.site && /^http/.test(protocol) && origin !== own) {
      // The address of the bundle does not show where the pages are.
      site = "/";
      console.warn(
        `findling: the bundle is at ${origin}, the page at ${own}: expected the ` +
          `attribute site, such as site="/docs/"; results lead to ${own}/`,
      );
    }
    return {
      ...(site === null ? {} : { site: new URL(site, this.#base).href }),
      encoder: this.oneOf("encoder", ["auto", "static", "transformer", "none"]),
      ...this.#options,
    };
  }

  /** With the theme `page`, records the page's theme where the style sheet looks for it. */
  #follow(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    delete this.dataset["page"];
    if ((this.getAttribute("theme") ?? this.ownTheme) === "page" && this.isConnected)
      this.#unfollow = followPage((theme) => {
        if (this.dataset["page"] !== theme) this.dataset["page"] = theme;
      });
  }
}
