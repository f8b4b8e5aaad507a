/**
 * The search panel: the box, the filters, the results and the notices. The element decides where
 * the panel is shown.
 */

import type { FindlingIndex } from "../client";
import type { Mode, Notice, Order, Suggestion } from "../engine-types";
import type { FindlingError } from "../errors";
import type { SearchOptions, SearchResponse } from "../types";
import { CROSS, h, icon, MAGNIFIER } from "./dom";
import { Facets } from "./facets";
import { countOf, fill, type Labels } from "./labels";
import { ResultList } from "./result-list";
import { tagsOf } from "./rows";
import { StateView } from "./state-view";
import { type Hit, type Verdict, verdictOn } from "./verdict";

/** The values of an element's attributes. */
export interface PanelSearch {
  mode: Mode;
  order: Order;
  limit: number;
  /** The attributes that are shown as filters; `*` for all facets of the bundle. */
  facets: string[];
  placeholder: string;
}

/** What the element provides for the panel. */
export interface PanelOptions {
  labels: () => Labels;
  /** Opens the bundle; called again after a failure. */
  open: () => Promise<FindlingIndex>;
  asked: () => PanelSearch;
  /** A result was chosen: go to `passage`, or to `href` in a site that navigates by itself. */
  select: (hit: Hit, href: string, passage: string) => void;
  /** Whether links name the passage that they lead to. */
  passages: () => boolean;
  /** The address of a page with all results of a query, if there is one. */
  all: (query: string) => string | undefined;
  /** A search was answered; `isWhole`: not by a first part of the answer. */
  answered: (response: SearchResponse, isWhole: boolean) => void;
  dismiss: () => void;
}

/**
 * Milliseconds without a key before a search by meaning: embedding a query costs more than looking
 * up its words.
 */
const TYPING_PAUSE = 160;

/**
 * Pages of the answer by words that comes before the whole answer: about as many as are in view.
 * The texts of each take requests.
 */
const FIRST_PAGES = 5;

/** Milliseconds after which a frame is not waited for: a page that is not in view paints none. */
const LONGEST_FRAME = 500;

/** Milliseconds before a count is announced, so that not every letter announces one. */
const ANNOUNCEMENT_DELAY = 400;

/**
 * Notices that are not shown: they are for the site's owner, or the panel shows the same by its
 * meter or by its suggestions.
 */
const HIDDEN_NOTICES: ReadonlySet<string> = new Set([
  "encoder-missing",
  "encoder-loading",
  "vectors-missing",
  "not-semantic",
  "removed-all",
  "unknown-words",
]);

/** How many rows each key moves by. */
const STEPS: Partial<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -5,
  PageDown: 5,
  Home: -Infinity,
  End: Infinity,
};

/** How complete an answer is. A less complete answer never replaces a more complete one. */
const Stage = {
  /** The results of the query's own words, while a correction is looked for. */
  OWN_WORDS: 0,
  /** The results by words, corrected. */
  WORDS: 1,
  /** The results in the panel's mode. */
  WHOLE: 2,
} as const;
type Stage = (typeof Stage)[keyof typeof Stage];

export class Panel {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  /** Shown below the hint while nothing is typed. */
  readonly idle = h("div");
  readonly #options: PanelOptions;
  readonly #close: HTMLButtonElement;
  readonly #facets: Facets;
  readonly #list: ResultList;
  readonly #state: StateView;
  readonly #scroll: HTMLElement;
  readonly #more: HTMLButtonElement;
  readonly #notices = h("ul", { class: "notices", hidden: true });
  readonly #corrected = h("div", { class: "corrected", hidden: true });
  readonly #all = h("a", { class: "all", hidden: true });
  readonly #summary = h("span", { class: "summary", dir: "auto" });
  readonly #status = h("div", { class: "sr", role: "status", "aria-live": "polite" });
  /** The query that must not be corrected. */
  #verbatim = "";
  #index: FindlingIndex | undefined;
  /** The answer that is shown: its search and its stage. */
  #answered: { signal: AbortSignal; stage: Stage } | undefined;
  #asked = new AbortController();
  #pause: ReturnType<typeof setTimeout> | undefined;
  #announcing: ReturnType<typeof setTimeout> | undefined;
  /** Whether the arrow keys have moved in the list: Home and End then do too. */
  #moves = false;

  constructor(options: PanelOptions) {
    this.#options = options;
    const labels = options.labels();
    this.input = searchBox(options.asked().placeholder, labels.search);
    this.#close = h(
      "button",
      { type: "button", class: "close" },
      h("span", { class: "sr" }, `${labels.close} `),
      h("kbd", {}, "Esc"),
      icon(CROSS),
    );
    this.#facets = new Facets(options.labels, () => this.#search(false));
    this.#list = new ResultList({
      labels: options.labels,
      tags: (page) => tagsOf(page, this.#index?.info, options.labels()),
      activated: (option) => {
        if (option) this.input.setAttribute("aria-activedescendant", option.id);
        else this.input.removeAttribute("aria-activedescendant");
      },
      select: options.select,
      passages: options.passages,
    });
    this.#state = new StateView({
      labels: options.labels,
      retry: () => this.#search(false),
      clearFilters: () => this.#facets.clear(),
      suggest: (suggestion) => this.#take(suggestion),
      focus: () => this.input.focus(),
    });
    this.#more = h("button", { type: "button", class: "more-results", hidden: true }, labels.more);
    this.#scroll = h("div", { class: "scroll" });
    this.#scroll.append(this.#corrected, this.#list.element, this.#more);
    this.#scroll.append(this.#state.element, this.idle);
    this.element = this.#assemble(labels);
    this.#listen();
    this.#showIdle();
  }

  /** Called when the panel comes into view: opens the bundle before the first key. */
  async warm(): Promise<void> {
    try {
      await this.#opened();
      if (this.input.value === "") this.#showIdle();
    } catch {
      // The first search reports the error.
    }
  }

  /** Takes a new placeholder from the options. */
  relabel(): void {
    this.input.placeholder = this.#options.asked().placeholder;
  }

  // ---- searching

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

  /** Searches for the text in the box: by words at once, by meaning when the reader pauses. */
  #search(typing: boolean): void {
    const before = this.#asked;
    const controller = new AbortController();
    this.#asked = controller;
    clearTimeout(this.#pause);
    this.#list.touched = this.#moves = false;
    const query = this.input.value.trim();
    if (query === "") {
      before.abort();
      this.#setBusy(false);
      this.#facets.show([]);
      this.#showIdle();
      return;
    }
    const mode = this.#options.asked().mode;
    const { signal } = controller;
    this.#setBusy(true);
    const words = mode === "semantic" ? Promise.resolve() : this.#ask(query, "lexical", signal);
    // Aborted only now, so that files that both searches need are not fetched twice.
    before.abort();
    const settle = () => {
      if (this.#asked === controller) this.#setBusy(false);
    };
    if (mode === "lexical") {
      void words.finally(settle);
      return;
    }
    // While the bundle opens, files for meaning would come between those of the first results, and
    // searching by meaning would delay the paint.
    const isFirst = this.#index === undefined;
    const whole = async () => {
      if (isFirst) await words.then(painted);
      if (!signal.aborted) await Promise.all([words, this.#ask(query, mode, signal)]);
    };
    this.#pause = setTimeout(() => void whole().finally(settle), typing ? TYPING_PAUSE : 0);
  }

  async #ask(query: string, mode: Mode, signal: AbortSignal): Promise<void> {
    const asked = this.#options.asked();
    const inPart = mode === "lexical" && asked.mode !== "lexical";
    const stage = inPart ? Stage.WORDS : Stage.WHOLE;
    const answer = (response: SearchResponse) => {
      if (signal.aborted) return;
      this.#options.answered(response, !inPart);
      this.#show(response, stage, signal);
    };
    try {
      const index = await this.#opened();
      if (signal.aborted) return;
      const response = await index.search(query, {
        ...this.#request(),
        ...(inPart && { limit: Math.min(FIRST_PAGES, asked.limit), ahead: asked.mode }),
        mode,
        // The whole answer makes the suggestions.
        suggest: !inPart,
        signal,
        onUpgrade: answer,
        ...(mode === "lexical" && { onWords: (response) => this.#showOwnWords(response, signal) }),
      });
      answer(response);
    } catch (thrown) {
      const error = thrown as FindlingError;
      if (!signal.aborted && error.code !== "aborted") this.#fail(error);
    }
  }

  #request(): SearchOptions {
    const filter = this.#facets.filter();
    const { limit, order, facets } = this.#options.asked();
    return {
      limit,
      order,
      prefix: true,
      verbatim: this.#verbatim === this.input.value.trim(),
      facets,
      facetsInstead: true,
      ...(filter ? { filter } : {}),
    };
  }

  async #nextPage(): Promise<void> {
    const { signal } = this.#asked;
    this.#more.disabled = true;
    try {
      const index = await this.#opened();
      const { results, total } = await index.search(this.input.value.trim(), {
        ...this.#request(),
        offset: this.#list.length,
        facets: [],
        mode: this.#options.asked().mode,
        signal,
      });
      if (signal.aborted) return;
      this.#list.append(results);
      this.#more.hidden = this.#list.length >= total.pages || results.length === 0;
    } catch (thrown) {
      if (!signal.aborted) this.#fail(thrown as FindlingError);
    } finally {
      this.#more.disabled = false;
    }
  }

  /** Searches with a suggestion in place of the query. */
  #take({ kind, what, query, verbatim }: Suggestion): void {
    this.input.value = query;
    this.#verbatim = verbatim ? query : "";
    // Clearing filters searches as well.
    if (kind === "filter" || kind === "everything") this.#facets.clear();
    else if (kind === "part") this.#facets.clear(what);
    else this.#search(false);
  }

  // ---- showing answers

  #setBusy(busy: boolean): void {
    this.element.setAttribute("aria-busy", String(busy));
  }

  /**
   * Shows the results of the query's own words while the search waits for a correction. Without
   * results there is nothing to show yet.
   */
  #showOwnWords(response: SearchResponse, signal: AbortSignal): void {
    if (response.results.length > 0) this.#show(response, Stage.OWN_WORDS, signal);
  }

  /** Shows an answer, unless a more complete one of the same search is shown. */
  #show(response: SearchResponse, stage: Stage, signal: AbortSignal): void {
    if (signal.aborted) return;
    const shown = this.#answered?.signal === signal ? this.#answered.stage : undefined;
    if (shown !== undefined && shown > stage) return;
    this.#answered = { signal, stage };
    this.#facets.show(response.facets, response.total.atLeast);
    // Results by words alone are not enough for a verdict.
    const verdict = stage === Stage.WHOLE ? verdictOn(response) : undefined;
    if (shown === undefined) {
      this.#replace(response, verdict);
    } else if (
      shown === Stage.WORDS &&
      response.mode === "lexical" &&
      response.results.length <= this.#list.length
    ) {
      // The whole answer is by words as well, so it adds only notices, suggestions, the verdict.
      if (!this.#list.touched) this.#list.lead(verdict);
      this.#showNotices(response);
      if (this.#list.length === 0) this.#showNone(response.suggestions);
    } else {
      this.#join(response, shown, verdict);
    }
  }

  /** Replaces the results. */
  #replace(response: SearchResponse, verdict?: Verdict): void {
    this.#scroll.scrollTop = 0;
    this.#list.replace(response.results, verdict);
    this.#conclude(response);
    if (response.results.length === 0) this.#showNone(response.suggestions);
    else this.#showResults();
  }

  /** Adds results to those shown. Rows that the reader has touched stay where they are. */
  #join(response: SearchResponse, shown: Stage, verdict: Verdict): void {
    const labels = this.#options.labels();
    if (this.#list.touched && this.#list.length > 0) {
      // A whole answer by words alone goes on with the first pages by words.
      const byMeaning = response.mode === "lexical" ? undefined : labels.also;
      const title = shown === Stage.OWN_WORDS ? labels.alsoCorrected : byMeaning;
      this.#list.appendNew(response.results, title);
      this.#conclude(response);
    } else if (response.results.length === 0) {
      this.#replace(response);
    } else {
      this.#showResults();
      this.#scroll.scrollTop = 0;
      this.#list.glideTo(response.results, verdict);
      this.#conclude(response);
    }
  }

  /** Shows the counts and notices of an answer, and announces the count. */
  #conclude(response: SearchResponse): void {
    const labels = this.#options.labels();
    const { pages } = response.total;
    const count = countOf(labels, response.total);
    const how = { lexical: labels.byWords, semantic: labels.byMeaning, hybrid: labels.byBoth };
    this.#summary.textContent = pages > 0 ? `${count} \u00B7 ${how[response.mode]}` : "";
    this.element.dataset["mode"] = response.mode;
    this.#more.hidden = this.#list.length >= pages;
    const all = this.#options.all(this.input.value.trim());
    this.#all.hidden = all === undefined || pages === 0;
    this.#all.href = all ?? "";
    this.#all.textContent = labels.all;
    this.#showNotices(response);
    clearTimeout(this.#announcing);
    this.#announcing = setTimeout(() => {
      this.#status.textContent =
        pages > 0 ? count : fill(labels.none, { query: this.input.value.trim() });
    }, ANNOUNCEMENT_DELAY);
  }

  #showNotices(response: SearchResponse): void {
    this.#showCorrections(response);
    const items = response.notices
      .filter(({ code }) => !HIDDEN_NOTICES.has(code))
      .map((notice) => this.#notice(notice));
    this.#notices.replaceChildren(...items);
    this.#notices.hidden = items.length === 0;
    this.#showProgress();
  }

  /** A notice; one about a postponed encoder is a button that loads it. */
  #notice({ code, message }: Notice): HTMLElement {
    const index = this.#index;
    if (code !== "encoder-postponed" || !index) return h("li", { "data-code": code }, message);
    const megabytes = (index.encoderBytes / 1e6).toFixed(0);
    const label = fill(this.#options.labels().loadMeaning, { megabytes });
    const load = h("button", { type: "button" }, label);
    const item = h("li", { "data-code": code }, load);
    load.addEventListener("click", () => {
      void index.ready("semantic").then(
        () => this.#search(false),
        ({ advice }: FindlingError) => item.replaceChildren(advice),
      );
    });
    return item;
  }

  /** Shows what words were corrected to, and a button that searches for them as written. */
  #showCorrections({ corrections }: SearchResponse): void {
    const labels = this.#options.labels();
    const query = this.input.value.trim();
    const words = corrections.flatMap(({ replacement }, i) => [
      i > 0 ? ", " : " ",
      h("strong", {}, replacement),
    ]);
    const asWritten = h("button", { type: "button" }, fill(labels.verbatim, { query }));
    asWritten.addEventListener("click", () => {
      this.#verbatim = query;
      this.#search(false);
      this.input.focus();
    });
    const text = h("span", { dir: "auto" }, labels.corrected, ...words);
    this.#corrected.replaceChildren(text, asWritten);
    this.#corrected.hidden = corrections.length === 0;
  }

  /** Shows how much of the encoder has loaded, while it loads. */
  #showProgress(share?: number): void {
    const old = this.#summary.parentElement?.querySelector<HTMLElement>(".loading");
    if (this.#index?.semantic !== "loading") {
      old?.remove();
      return;
    }
    const bar = old?.querySelector("i") ?? h("i");
    if (share !== undefined || !old) bar.style.transform = `scaleX(${share ?? 0})`;
    if (old) return;
    const label = this.#options.labels().loadingMeaning;
    const meter = h("span", { class: "meter" }, bar);
    this.#summary.after(h("span", { class: "loading" }, label, meter));
  }

  #showResults(): void {
    this.#setExpanded(true);
    this.#state.hide();
  }

  #showNone(suggestions: Suggestion[]): void {
    this.#setExpanded(false);
    const filtered = this.#facets.filter() !== undefined;
    this.#state.showNone(this.input.value.trim(), filtered, suggestions);
  }

  #showIdle(): void {
    this.#clear();
    this.#status.textContent = "";
    this.#answered = undefined;
    this.#state.showHint(this.#index?.info.pages);
    this.idle.hidden = false;
  }

  #fail(error: FindlingError): void {
    this.#clear();
    this.#state.showError(error);
    this.#status.textContent = `${this.#options.labels().failed}. ${error.message}`;
  }

  /** Hides everything that belongs to an answer. */
  #clear(): void {
    this.#setExpanded(false);
    this.#summary.textContent = "";
    this.#notices.hidden = true;
    this.#corrected.hidden = true;
  }

  /** Shows or hides the list of results. */
  #setExpanded(expanded: boolean): void {
    this.input.setAttribute("aria-expanded", String(expanded));
    this.#list.element.hidden = !expanded;
    this.idle.hidden = true;
    if (expanded) return;
    this.#all.hidden = true;
    this.#list.activate(undefined, false);
    this.#more.hidden = true;
  }

  // ---- structure and input

  #assemble(labels: Labels): HTMLElement {
    const key = (keys: string[], label: string) =>
      h("span", {}, ...keys.map((name) => h("kbd", {}, name)), label);
    const busy = h("div", { class: "busy" });
    return h(
      "div",
      { class: "panel", part: "panel", role: "search", "aria-label": labels.search },
      h("div", { class: "bar" }, icon(MAGNIFIER, 20), this.input, this.#close, busy),
      this.#facets.element,
      this.#scroll,
      this.#notices,
      h(
        "div",
        { class: "foot" },
        this.#summary,
        this.#all,
        h(
          "span",
          { class: "keys", "aria-hidden": "true" },
          key(["\u2191", "\u2193"], labels.move),
          key(["\u21B5"], labels.select),
        ),
      ),
      this.#status,
    );
  }

  #listen(): void {
    this.input.addEventListener("input", () => this.#search(true));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.#close.addEventListener("click", () => this.#options.dismiss());
    this.#more.addEventListener("click", () => {
      this.#list.touched = true;
      void this.#nextPage();
      this.input.focus();
    });
    const touch = () => {
      this.#list.touched = true;
    };
    for (const type of ["wheel", "touchmove", "pointerdown"])
      this.#scroll.addEventListener(type, touch, { passive: true });
  }

  #key(event: KeyboardEvent): void {
    // Some browsers end a composition before its last key is told.
    if (event.isComposing || event.keyCode === 229) return;
    const { key } = event;
    const inBox = (this.element.getRootNode() as ShadowRoot).activeElement === this.input;
    // Hidden, the list has the results of another search.
    const inList = inBox && !this.#list.element.hidden;
    if (key === "Escape") {
      this.#options.dismiss();
    } else if (inList && key === "Enter" && this.#list.active) {
      this.#enter(this.#list.active, event);
    } else if (inList && key in STEPS) {
      const steps = STEPS[key]!;
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      // Before the arrow keys they move in the text.
      if (Math.abs(steps) === Infinity && (!this.#moves || event.shiftKey)) return;
      this.#list.step(steps);
      this.#moves = true;
    } else {
      return;
    }
    event.preventDefault();
  }

  #enter(option: HTMLAnchorElement, event: KeyboardEvent): void {
    if (!option.href) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey)
      window.open(option.href, "_blank", "noopener");
    else option.click();
  }
}

/** Resolves when what is shown now has been painted. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, LONGEST_FRAME);
  });
}

function searchBox(placeholder: string, label: string): HTMLInputElement {
  return h("input", {
    type: "search",
    part: "input",
    role: "combobox",
    placeholder,
    "aria-label": label,
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
}
