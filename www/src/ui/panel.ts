/**
 * The search box with its filters, results and states. It draws; where it is drawn is the element's
 * affair.
 */

import type { FindlingIndex } from "../client";
import type { Mode, Order, Suggestion } from "../engine-types";
import type { FindlingError } from "../errors";
import type { PageResult, SearchOptions, SearchResponse } from "../types";
import { CROSS, h, icon, MAGNIFIER } from "./dom";
import { Facets } from "./facets";
import type { Labels } from "./labels";
import { type Hit, pageGroup } from "./results";

/** What the element decides. */
export interface PanelOptions {
  labels: () => Labels;
  /** Opens the bundle; called again after a failure. */
  open: () => Promise<FindlingIndex>;
  mode: () => Mode;
  order: () => Order;
  limit: () => number;
  facets: () => string[];
  placeholder: () => string;
  /** A result was chosen. `false`: the site takes it from here. */
  select: (hit: Hit, href: string) => boolean;
  /** A search was answered. */
  answered: (response: SearchResponse) => void;
  dismiss: () => void;
}

/**
 * Meaning is asked for once the reader pauses: embedding a query costs more than looking up words.
 */
const PAUSE_MS = 160;

/**
 * Notices that are no news to a reader; while the encoder loads, the meter says so, and where
 * nothing is found, buttons.
 */
const FOR_THE_SITE: ReadonlySet<string> = new Set([
  "encoder-missing",
  "encoder-loading",
  "vectors-missing",
  "not-semantic",
  "removed-all",
  "unknown-words",
]);

export class Panel {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #options: PanelOptions;
  readonly #close: HTMLButtonElement;
  readonly #facets: Facets;
  readonly #scroll: HTMLElement;
  readonly #list: HTMLElement;
  readonly #state: HTMLElement;
  readonly #more: HTMLButtonElement;
  readonly #notices: HTMLElement;
  readonly #corrected: HTMLElement;
  /** The query whose words are to be taken as they are spelt. */
  #verbatim = "";
  readonly #summary: HTMLElement;
  readonly #status: HTMLElement;
  #index: FindlingIndex | undefined;
  #hits = new Map<HTMLElement, Hit>();
  #shown: PageResult[] = [];
  #active: HTMLElement | undefined;
  #touched = false;
  /** The search whose answer is shown. */
  #answered: AbortSignal | undefined;
  #asked = new AbortController();
  #pause: ReturnType<typeof setTimeout> | undefined;
  #announcing: ReturnType<typeof setTimeout> | undefined;
  #nextId = 0;

  constructor(options: PanelOptions) {
    this.#options = options;
    const labels = options.labels();
    this.input = h("input", {
      type: "search",
      part: "input",
      role: "combobox",
      placeholder: options.placeholder(),
      "aria-label": labels.search,
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": "list",
      "aria-haspopup": "listbox",
      autocomplete: "off",
      autocapitalize: "off",
      autocorrect: "off",
      spellcheck: "false",
      enterkeyhint: "go",
      maxlength: 1000,
    });
    this.#close = h(
      "button",
      { type: "button", class: "close" },
      h("span", { class: "sr" }, `${labels.close} `),
      h("kbd", {}, "Esc"),
      icon(CROSS),
    );
    this.#facets = new Facets(options.labels, () => this.#search(false));
    this.#list = h("div", {
      id: "list",
      role: "listbox",
      part: "results",
      "aria-label": labels.results,
    });
    this.#state = h("div", { class: "state" });
    this.#more = h("button", { type: "button", class: "more-results", hidden: true }, labels.more);
    this.#corrected = h("div", { class: "corrected", hidden: true });
    this.#scroll = h(
      "div",
      { class: "scroll" },
      this.#corrected,
      this.#list,
      this.#more,
      this.#state,
    );
    this.#notices = h("ul", { class: "notices", hidden: true });
    this.#summary = h("span", { class: "summary", dir: "auto" });
    this.#status = h("div", { class: "sr", role: "status", "aria-live": "polite" });
    const key = (keys: string[], label: string) =>
      h("span", {}, ...keys.map((name) => h("kbd", {}, name)), label);
    this.element = h(
      "div",
      { class: "panel", part: "panel", role: "search", "aria-label": labels.search },
      h(
        "div",
        { class: "bar" },
        icon(MAGNIFIER, 20),
        this.input,
        this.#close,
        h("div", { class: "busy" }),
      ),
      this.#facets.element,
      this.#scroll,
      this.#notices,
      h(
        "div",
        { class: "foot" },
        this.#summary,
        h(
          "span",
          { class: "keys", "aria-hidden": "true" },
          key(["\u2191", "\u2193"], labels.move),
          key(["\u21B5"], labels.select),
        ),
      ),
      this.#status,
    );
    this.#listen();
    this.#show("idle");
  }

  /** Called when the panel comes into view: has everything ready for the first key. */
  async warm(): Promise<void> {
    try {
      await this.#opened();
      if (this.input.value === "") this.#show("idle");
    } catch {
      // Said when the reader searches; until then nothing is missed.
    }
  }

  /** The words of another language. */
  relabel(): void {
    this.input.placeholder = this.#options.placeholder();
  }

  // ---- asking

  async #opened(): Promise<FindlingIndex> {
    if (!this.#index) {
      this.#index = await this.#options.open();
      this.#index.on("semantic", () => this.#showProgress());
      this.#index.on("progress", ({ loaded, total }) =>
        this.#showProgress(total ? loaded / total : 0),
      );
    }
    return this.#index;
  }

  /** Asks for what the box and the chips say: words at once, meaning when the reader pauses. */
  #search(typing: boolean): void {
    const before = this.#asked;
    const controller = new AbortController();
    this.#asked = controller;
    clearTimeout(this.#pause);
    this.#touched = false;
    const query = this.input.value.trim();
    if (query === "") {
      before.abort();
      this.#busy(false);
      this.#facets.show([]);
      this.#show("idle");
      return;
    }
    const mode = this.#options.mode();
    this.#busy(true);
    const words =
      mode === "semantic" ? Promise.resolve() : this.#ask(query, "lexical", controller.signal);
    // Only now, so that what both need is not fetched twice.
    before.abort();
    if (mode === "lexical") {
      void words.finally(() => this.#settle(controller));
      return;
    }
    this.#pause = setTimeout(
      () => {
        void Promise.all([words, this.#ask(query, mode, controller.signal)]).finally(() =>
          this.#settle(controller),
        );
      },
      typing ? PAUSE_MS : 0,
    );
  }

  async #ask(query: string, mode: Mode, signal: AbortSignal): Promise<void> {
    try {
      const index = await this.#opened();
      if (signal.aborted) return;
      const upgrade = (response: SearchResponse) => {
        if (signal.aborted) return;
        this.#options.answered(response);
        this.#join(response);
      };
      // Words are the first half of an answer: what else to ask is said with the whole.
      const suggest = mode !== "lexical" || this.#options.mode() === "lexical";
      const response = await index.search(query, {
        ...this.#request(),
        mode,
        suggest,
        signal,
        onUpgrade: upgrade,
      });
      if (signal.aborted) return;
      this.#options.answered(response);
      this.#facets.show(response.facets, response.total.atLeast);
      // Words have been shown, and maybe looked at; an answer that has nothing to add only brings
      // its notices.
      if (mode === "lexical") {
        if (this.#answered !== signal) this.#replace(response);
      } else if (response.mode === "lexical" && this.#answered === signal) {
        this.#showNotices(response);
        if (this.#shown.length === 0) this.#show("none", response.suggestions);
      } else if (this.#answered === signal) {
        this.#join(response);
      } else {
        this.#replace(response);
      }
      this.#answered = signal;
    } catch (thrown) {
      const error = thrown as FindlingError;
      if (!signal.aborted && error.code !== "aborted") this.#fail(error);
    }
  }

  #request(): SearchOptions {
    const filter = this.#facets.filter();
    // An attribute's counts are those without its own filter: what choosing another value would
    // give.
    return {
      limit: this.#options.limit(),
      order: this.#options.order(),
      ...this.#reading(),
      facets: this.#options.facets(),
      facetsInstead: true,
      ...(filter ? { filter } : {}),
    };
  }

  /** How the text in the box is to be read. */
  #reading(): SearchOptions {
    return { prefix: true, verbatim: this.#verbatim === this.input.value.trim() };
  }

  async #nextPage(): Promise<void> {
    const { signal } = this.#asked;
    try {
      const index = await this.#opened();
      const options: SearchOptions = {
        ...this.#request(),
        offset: this.#shown.length,
        facets: [],
        mode: this.#options.mode(),
        signal,
      };
      const response = await index.search(this.input.value.trim(), options);
      if (signal.aborted) return;
      this.#append(response.results);
      this.#more.hidden =
        this.#shown.length >= response.total.pages || response.results.length === 0;
    } catch (thrown) {
      if (!signal.aborted) this.#fail(thrown as FindlingError);
    }
  }

  #settle(controller: AbortController): void {
    if (this.#asked === controller) this.#busy(false);
  }

  // ---- drawing

  #busy(on: boolean): void {
    this.element.setAttribute("aria-busy", String(on));
  }

  /** New results in place of the old. */
  #replace(response: SearchResponse): void {
    this.#hits.clear();
    this.#shown = [];
    this.#active = undefined;
    this.#list.replaceChildren();
    this.#scroll.scrollTop = 0;
    this.#append(response.results);
    this.#conclude(response);
    if (response.results.length === 0) {
      this.#show("none", response.suggestions);
      return;
    }
    this.#show("results");
    this.#activate(this.#list.querySelector<HTMLElement>("[role=option]") ?? undefined, false);
  }

  /**
   * Results by meaning as well. Rows that the reader is at do not move: what is new goes below
   * them.
   */
  #join(response: SearchResponse): void {
    if (!this.#touched) {
      const places = this.#places();
      this.#replace(response);
      this.#glide(places);
      return;
    }
    const known = new Set(this.#shown.map((page) => page.id));
    const added = response.results.filter((page) => !known.has(page.id));
    if (added.length > 0) {
      const first = this.#append(added);
      first?.classList.add("also");
      first?.before(
        h("div", { class: "also-title", role: "presentation" }, this.#options.labels().also),
      );
    }
    this.#conclude(response);
  }

  #append(pages: PageResult[]): HTMLElement | undefined {
    const groups = pages.map((page) => {
      const copies = page.copies ? this.#options.labels().copies(page.copies) : undefined;
      const group = pageGroup(page, [this.#tag(page), copies], (option, hit) => {
        option.id = `option-${this.#nextId++}`;
        this.#hits.set(option, hit);
      });
      group.dataset["page"] = page.id;
      return group;
    });
    this.#list.append(...groups);
    this.#shown.push(...pages);
    return groups[0];
  }

  /** The first attribute marked as a filter, as a quiet word beside the title. */
  #tag(page: PageResult): string | undefined {
    const facet = this.#index?.info.attributes.find(
      ({ facet, kind }) => facet && kind === "string",
    );
    const value = facet && page.attributes[facet.name];
    return typeof value === "string" ? value : undefined;
  }

  #places(): Map<string, number> {
    return new Map(
      [...this.#list.querySelectorAll<HTMLElement>(".page")].map((group) => [
        group.dataset["page"]!,
        group.offsetTop,
      ]),
    );
  }

  /** Moves rows from where they were to where they are now, so that the eye can follow. */
  #glide(places: Map<string, number>): void {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const group of this.#list.querySelectorAll<HTMLElement>(".page")) {
      const before = places.get(group.dataset["page"]!);
      const keyframes =
        before === undefined
          ? [{ opacity: 0 }, { opacity: 1 }]
          : [{ transform: `translateY(${before - group.offsetTop}px)` }, { transform: "none" }];
      group.animate(keyframes, { duration: 220, easing: "cubic-bezier(.2, .8, .3, 1)" });
    }
  }

  #conclude(response: SearchResponse): void {
    const labels = this.#options.labels();
    const { pages, sections, atLeast } = response.total;
    const count = labels.counting(pages, sections, atLeast ? "+" : "");
    const how =
      response.mode === "lexical"
        ? labels.byWords
        : response.mode === "semantic"
          ? labels.byMeaning
          : labels.byBoth;
    this.#summary.textContent = pages > 0 ? `${count} \u00B7 ${how}` : "";
    this.#more.hidden = this.#shown.length === 0 || this.#shown.length >= pages;
    this.#showNotices(response);
    // Not every letter's count: what stands after a pause.
    clearTimeout(this.#announcing);
    this.#announcing = setTimeout(() => {
      this.#status.textContent = pages > 0 ? count : labels.none(this.input.value.trim());
    }, 400);
  }

  /** What was searched for in place of words that the site does not have, and the way back. */
  #showCorrections({ corrections }: SearchResponse): void {
    const labels = this.#options.labels();
    const query = this.input.value.trim();
    const words = corrections.flatMap(({ replacement }, i) => [
      i > 0 ? ", " : " ",
      h("strong", {}, replacement),
    ]);
    const back = h("button", { type: "button" }, labels.verbatim(query));
    back.addEventListener("click", () => {
      this.#verbatim = query;
      this.#search(false);
      this.input.focus();
    });
    this.#corrected.replaceChildren(h("span", { dir: "auto" }, labels.corrected, ...words), back);
    this.#corrected.hidden = corrections.length === 0;
  }

  #showNotices(response: SearchResponse): void {
    const labels = this.#options.labels();
    this.#showCorrections(response);
    const items = response.notices
      .filter(({ code }) => !FOR_THE_SITE.has(code))
      .map(({ code, message }) => {
        if (code !== "encoder-postponed" || !this.#index) return h("li", {}, message);
        const load = h(
          "button",
          { type: "button" },
          labels.loadMeaning((this.#index.encoderBytes / 1e6).toFixed(0)),
        );
        load.addEventListener("click", () => {
          void this.#index?.ready("semantic").then(
            () => this.#search(false),
            () => this.#search(false),
          );
        });
        return h("li", {}, load);
      });
    this.#notices.replaceChildren(...items);
    this.#notices.hidden = items.length === 0;
    this.#showProgress();
  }

  #showProgress(share?: number): void {
    const loading = this.#index?.semantic === "loading";
    const old = this.#summary.parentElement?.querySelector<HTMLElement>(".loading");
    if (!loading) {
      old?.remove();
      return;
    }
    const bar = old?.querySelector("i") ?? h("i");
    if (share !== undefined || !old) bar.style.transform = `scaleX(${share ?? 0})`;
    if (!old)
      this.#summary.after(
        h(
          "span",
          { class: "loading" },
          this.#options.labels().loadingMeaning,
          h("span", { class: "meter" }, bar),
        ),
      );
  }

  #show(what: "idle" | "results" | "none", suggestions: Suggestion[] = []): void {
    const labels = this.#options.labels();
    this.#state.className = "state";
    this.#state.hidden = what === "results";
    this.input.setAttribute("aria-expanded", String(what === "results"));
    this.#list.hidden = what !== "results";
    if (what === "results") return;
    this.#activate(undefined, false);
    this.#more.hidden = true;
    if (what === "idle") {
      this.#summary.textContent = "";
      this.#status.textContent = "";
      this.#notices.hidden = this.#corrected.hidden = true;
      this.#answered = undefined;
      const pages = this.#index?.info.pages;
      this.#state.replaceChildren(
        h("h2", {}, pages === undefined ? labels.search : labels.idle(pages)),
        h("p", {}, labels.idleHint),
      );
      return;
    }
    const filtered = this.#facets.filter() !== undefined;
    this.#state.replaceChildren(h("h2", {}, labels.none(this.input.value.trim())));
    const others = suggestions.filter(({ kind }) => !filtered || kind !== "filter");
    if (others.length > 0) {
      this.#state.append(
        h("p", {}, labels.suggested),
        h(
          "div",
          { class: "suggestions" },
          ...others.map((suggestion) => this.#suggestion(suggestion)),
        ),
      );
    } else {
      this.#state.append(h("p", {}, filtered ? labels.noneFiltered : labels.noneHint));
    }
    if (filtered) this.#state.append(this.#button(labels.clear, () => this.#facets.clear()));
  }

  /** Another request that finds something, to be asked at a click. */
  #suggestion({ kind, what, query, verbatim, pages }: Suggestion): HTMLButtonElement {
    const { without, found } = this.#options.labels();
    const known = kind in without ? without[kind as keyof typeof without] : undefined;
    const label = typeof known === "function" ? known(what) : (known ?? query);
    const button = this.#button(label, () => {
      this.input.value = query;
      this.#verbatim = verbatim ? query : "";
      // What goes of the filter goes of the chips; this asks as well.
      if (kind === "filter" || kind === "everything") this.#facets.clear();
      else if (kind === "part") this.#facets.clear(what);
      else this.#search(false);
    });
    button.append(" ", h("small", {}, found(pages)));
    return button;
  }

  #fail({ message, remedy }: FindlingError): void {
    const labels = this.#options.labels();
    this.#show("none");
    // Corrections and notices were of an answer that is no longer shown.
    this.#notices.hidden = this.#corrected.hidden = true;
    this.#summary.textContent = "";
    this.#state.className = "state error";
    this.#state.replaceChildren(
      h("h2", {}, labels.failed),
      h("p", {}, message),
      ...(remedy ? [h("p", {}, remedy)] : []),
      this.#button(labels.retry, () => this.#search(false)),
    );
    this.#status.textContent = `${labels.failed}. ${message}`;
  }

  #button(label: string, click: () => void): HTMLButtonElement {
    const button = h("button", { type: "button", class: "button" }, label);
    button.addEventListener("click", () => {
      click();
      this.input.focus();
    });
    return button;
  }

  // ---- the reader's hands

  #listen(): void {
    this.input.addEventListener("input", () => this.#search(true));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.#close.addEventListener("click", () => this.#options.dismiss());
    this.#more.addEventListener("click", () => {
      this.#touched = true;
      void this.#nextPage();
      this.input.focus();
    });
    this.#list.addEventListener("pointermove", (event) => {
      // A list that moves under a resting pointer is not a reader who points.
      if (event.movementX === 0 && event.movementY === 0) return;
      this.#touched = true;
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option && event.pointerType === "mouse") this.#activate(option, false);
    });
    for (const type of ["wheel", "touchmove"])
      this.#scroll.addEventListener(type, () => (this.#touched = true), { passive: true });
    this.#list.addEventListener("click", (event) => {
      const option = (event.target as Element).closest<HTMLAnchorElement>("a[role=option]");
      const hit = option && this.#hits.get(option);
      if (!hit || !option.href || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
        return;
      if (!this.#options.select(hit, option.href)) event.preventDefault();
    });
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const inBox = (this.element.getRootNode() as ShadowRoot).activeElement === this.input;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
      case "PageDown":
      case "PageUp":
        if (!inBox || this.#hits.size === 0 || event.altKey || event.ctrlKey || event.metaKey)
          return;
        this.#step((event.key.startsWith("Page") ? 5 : 1) * (event.key.endsWith("Down") ? 1 : -1));
        break;
      case "Enter":
        if (!inBox || !this.#active) return;
        this.#enter(this.#active as HTMLAnchorElement, event);
        break;
      case "Escape":
        this.#options.dismiss();
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  #step(by: number): void {
    const options = [...this.#hits.keys()];
    const at = this.#active ? options.indexOf(this.#active) : -1;
    const next =
      Math.abs(by) === 1
        ? (at + by + options.length) % options.length
        : Math.max(0, Math.min(options.length - 1, at + by));
    this.#touched = true;
    this.#activate(options[next], true);
  }

  #enter(option: HTMLAnchorElement, event: KeyboardEvent): void {
    if (!option.href) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey)
      window.open(option.href, "_blank", "noopener");
    else option.click();
  }

  #activate(option: HTMLElement | undefined, scroll: boolean): void {
    this.#active?.setAttribute("aria-selected", "false");
    this.#active = option;
    option?.setAttribute("aria-selected", "true");
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    if (scroll) option?.scrollIntoView({ block: "nearest" });
  }
}
