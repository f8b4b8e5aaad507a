/**
 * The search panel: the box, the filters, the results and the notices. The element decides where
 * the panel is shown.
 */

import type { FindlingIndex } from "../client";
import type { Mode, Suggestion } from "../engine-types";
import type { FindlingError } from "../errors";
import type { Filter, SearchOptions, SearchResponse } from "../types";
import { h } from "./dom";
import { Facets } from "./facets";
import { countOf, fill } from "./labels";
import { Notices } from "./notices";
import { assemble, closeButton, showMeter } from "./panel-frame";
import type { PanelOptions } from "./panel-options";
import { ResultList } from "./result-list";
import { tagsOf } from "./rows";
import { comboBox } from "./search-box";
import { Stage } from "./stage";
import { StateView, type Suggested } from "./state-view";
import { type Verdict, verdictOn } from "./verdict";

/**
 * Milliseconds without a key before a search by meaning: embedding a query costs more than looking
 * up its words.
 */
const TYPING_PAUSE = 160;

/**
 * Number of pages in the first answer by words: about as many as are in view. The texts of each
 * page need requests.
 */
const FIRST_PAGES = 5;

/** Longest wait for a frame in milliseconds: a page that is not in view does not paint. */
const LONGEST_FRAME = 500;

/** Milliseconds after which a running search is indicated. */
const SLOW = 300;

/**
 * Milliseconds after the first rows of an answer in which nobody has read them yet, so that a
 * better order may still replace them. After that rows stay where they are.
 */
const UNREAD = 400;

/** Milliseconds before a count is announced, so that not every letter announces one. */
const ANNOUNCEMENT_DELAY = 400;

/** Number of rows by which each key moves. */
const STEPS: Partial<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -5,
  PageDown: 5,
  Home: -Infinity,
  End: Infinity,
};

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
  readonly #notices: Notices;
  /** A button that shows a better order, which arrived when the rows had already been read. */
  readonly #better: HTMLButtonElement;
  readonly #all = h("a", { class: "all", hidden: true });
  readonly #summary = h("span", { class: "summary", dir: "auto" });
  readonly #status = h("div", { class: "sr", role: "status", "aria-live": "polite" });
  /** The query that must not be corrected. */
  #verbatim = "";
  #index: FindlingIndex | undefined;
  #opening: Promise<FindlingIndex> | undefined;
  /** The answer that is shown: its search, its stage, and the time of its first rows. */
  #answered: { signal: AbortSignal; stage: Stage; since: number } | undefined;
  #asked = new AbortController();
  /** Number of pages of the whole answer that are shown. */
  #reached = 0;
  /** Enter, pressed before the answer to the text in the box has arrived. */
  #entered: { signal: AbortSignal; event: KeyboardEvent } | undefined;
  #isComposing = false;
  #preset: Filter | undefined;
  #slow: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #announcing: ReturnType<typeof setTimeout> | undefined;
  /** Whether the arrow keys have moved in the list: Home and End then do too. */
  #moves = false;
  /** Whether the rows may be scrolled: asking for the position would lay out the page. */
  #isScrolled = false;

  constructor(options: PanelOptions) {
    this.#options = options;
    const labels = options.labels();
    this.input = comboBox(options.asked().placeholder, labels);
    this.#close = closeButton(labels);
    this.#facets = new Facets({
      labels: options.labels,
      info: () => this.#index?.info,
      changed: () => this.#search(false),
    });
    this.#notices = new Notices({
      labels: options.labels,
      index: () => this.#index,
      again: () => this.#search(false),
      verbatim: () => {
        this.#verbatim = this.query;
        this.#search(false);
        this.input.focus();
      },
    });
    this.#better = h("button", { type: "button", class: "better", hidden: true }, labels.better);
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
    this.#scroll.append(this.#notices.corrected, this.#list.element, this.#more);
    this.#scroll.append(this.#state.element, this.idle);
    this.element = assemble(labels, {
      input: this.input,
      close: this.#close,
      scope: options.scope,
      filters: this.#facets.element,
      scroll: this.#scroll,
      notices: this.#notices.element,
      summary: this.#summary,
      foot: [this.#better, this.#all],
      status: this.#status,
    });
    this.#listen();
    this.#showIdle();
  }

  /** The text in the box. */
  get query(): string {
    return this.input.value.trim();
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

  /** Called when the reader leaves the panel: an early Enter then no longer opens a result. */
  leave(): void {
    this.#entered = undefined;
  }

  /** Takes a new placeholder from the options. */
  relabel(): void {
    this.input.placeholder = this.#options.asked().placeholder;
  }

  // ---- searching

  #opened(): Promise<FindlingIndex> {
    this.#opening ??= this.#open().catch((thrown) => {
      this.#opening = undefined;
      throw thrown;
    });
    return this.#opening;
  }

  async #open(): Promise<FindlingIndex> {
    const index = await this.#options.open();
    this.#preset = await this.#options.preset(index);
    if (this.#index === index) return index;
    this.#index = index;
    index.on("semantic", () => this.#showProgress());
    index.on("progress", ({ loaded, total }) => this.#showProgress(total ? loaded / total : 0));
    return index;
  }

  /** Searches for the text in the box: by words at once, by meaning when the reader pauses. */
  #search(typing: boolean): void {
    const before = this.#asked;
    const controller = new AbortController();
    this.#asked = controller;
    clearTimeout(this.#pause);
    this.#list.touched = this.#moves = false;
    this.#entered = undefined;
    const { query } = this;
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
    // The earlier search is aborted only now, so that files that both need are not fetched twice.
    before.abort();
    const settle = () => {
      if (this.#asked === controller) this.#setBusy(false);
    };
    if (mode === "lexical") {
      void words.finally(settle);
      return;
    }
    // While the bundle opens, files for meaning would delay the files of the first results, and
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
      // A word that is being composed has no results yet.
      if (!this.#isComposing || response.results.length > 0) {
        this.#options.answered(response, !inPart);
        this.#show(response, stage, signal);
      }
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
    const postFilter = this.#facets.filter();
    const { limit, order, facets, options } = this.#options.asked();
    return {
      ...options,
      limit,
      order,
      prefix: true,
      verbatim: this.#verbatim === this.query,
      facets,
      ...(this.#preset ? { filter: this.#preset } : {}),
      ...(postFilter ? { postFilter } : {}),
    };
  }

  async #nextPage(): Promise<void> {
    const { signal } = this.#asked;
    this.#more.disabled = true;
    try {
      const index = await this.#opened();
      const { results, total } = await index.search(this.query, {
        ...this.#request(),
        offset: this.#reached,
        facets: [],
        mode: this.#options.asked().mode,
        signal,
      });
      if (signal.aborted) return;
      this.#reached += results.length;
      this.#list.appendNew(results, undefined);
      this.#more.hidden = this.#reached >= total.pages || results.length === 0;
    } catch (thrown) {
      if (!signal.aborted) this.#fail(thrown as FindlingError);
    } finally {
      this.#more.disabled = false;
    }
  }

  /** Searches with a suggestion instead of the query. */
  #take({ kind, what, query, verbatim }: Suggested): void {
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
    clearTimeout(this.#slow);
    if (busy) this.#slow = setTimeout(() => this.#showSlow(), SLOW);
    else this.element.classList.remove("slow", "waiting");
  }

  /** Indicates that the search takes a while, unless rows of its answer are shown. */
  #showSlow(): void {
    this.element.classList.add("waiting");
    if (this.#answered?.signal === this.#asked.signal) return;
    const { searching } = this.#options.labels();
    this.element.classList.add("slow");
    this.#status.textContent = this.#summary.textContent = searching;
    if (!this.#list.element.hidden) return;
    this.idle.hidden = true;
    this.#state.showSearching();
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
    if (stage === Stage.WHOLE) this.#reached = response.results.length;
    const since = shown === undefined ? performance.now() : this.#answered!.since;
    this.#answered = { signal, stage, since };
    this.element.classList.remove("slow");
    // Results by words only are not enough for a verdict.
    const verdict = stage === Stage.WHOLE ? verdictOn(response) : undefined;
    const isRead = shown !== undefined && this.#list.length > 0 && this.#isRead(since);
    this.#facets.hold(isRead);
    const isNothing = verdict === "nothing" && !isRead;
    this.#facets.show(isNothing ? [] : response.facets, response.total.atLeast);
    if (shown === undefined) {
      this.#replace(response, verdict);
    } else if (
      shown === Stage.WORDS &&
      response.mode === "lexical" &&
      response.results.length <= this.#list.length
    ) {
      // The whole answer is also by words, so it only adds notices, suggestions and the verdict.
      if (!isRead) this.#list.lead(verdict);
      if (verdict === "nothing") this.#conclude(response, verdict);
      else this.#showNotices(response);
      if (this.#list.length === 0) this.#showNone(response.suggestions);
    } else {
      this.#join(response, shown, verdict, isRead);
    }
    if (stage === Stage.WHOLE) this.#openEntered(signal);
  }

  /** Whether the rows must stay where they are. */
  #isRead(since: number): boolean {
    return this.#list.touched || performance.now() - since > UNREAD;
  }

  /** Replaces the results. */
  #replace(response: SearchResponse, verdict?: Verdict): void {
    this.#toTop();
    this.#list.replace(response.results, verdict);
    this.#conclude(response, verdict);
    if (response.results.length === 0) this.#showNone(response.suggestions);
    else this.#showResults();
  }

  /** Scrolls to the first row. */
  #toTop(): void {
    if (this.#isScrolled) this.#scroll.scrollTop = 0;
    this.#isScrolled = false;
  }

  /**
   * Adds results to those shown. Rows stay where they are after they have been read. Before that
   * they also stay, unless another page is clearly better than the first or a word was corrected.
   */
  #join(response: SearchResponse, shown: Stage, verdict: Verdict, isRead: boolean): void {
    const labels = this.#options.labels();
    const { results } = response;
    const show = () => {
      this.#showResults();
      this.#toTop();
      this.#list.glideTo(results, verdict);
      this.#conclude(response, verdict);
    };
    const isBehind = this.#list.isBehind(results);
    const isNew = shown === Stage.OWN_WORDS || this.#list.length === 0 || isBehind;
    if (results.length === 0) {
      if (!isRead) this.#replace(response);
    } else if (!isRead && isNew) {
      show();
    } else {
      // A complete answer by words only continues the first pages by words.
      const byMeaning = response.mode === "lexical" ? undefined : labels.also;
      const title = shown === Stage.OWN_WORDS ? labels.alsoCorrected : byMeaning;
      this.#list.appendNew(results, isRead ? title : undefined);
      if (!isRead) this.#list.lead(verdict);
      this.#conclude(response, verdict);
      this.#better.hidden = !isBehind;
      this.#better.onclick = () => {
        show();
        this.input.focus();
      };
    }
  }

  /** Shows the counts and notices of an answer, and announces the count. */
  #conclude(response: SearchResponse, verdict?: Verdict): void {
    const labels = this.#options.labels();
    const { pages } = response.total;
    const isNothing = verdict === "nothing";
    const count = isNothing ? labels.unanswered : countOf(labels, response.total);
    const how = { lexical: labels.byWords, semantic: labels.byMeaning, hybrid: labels.byBoth };
    // The notice above the rows already says it, unless the rows had to stay.
    const unanswered = this.#list.isUnanswered ? "" : count;
    const found = isNothing ? unanswered : `${count} \u00B7 ${how[response.mode]}`;
    this.#summary.textContent = pages > 0 ? found : "";
    this.#better.hidden = true;
    this.element.dataset["mode"] = response.mode;
    this.#more.hidden = this.#list.length >= pages;
    const all = this.#options.all(this.query);
    this.#all.hidden = all === undefined || pages === 0;
    this.#all.href = all ?? "";
    this.#all.textContent = labels.all;
    this.#showNotices(response);
    clearTimeout(this.#announcing);
    this.#announcing = setTimeout(() => {
      this.#status.textContent = pages > 0 ? count : fill(labels.none, { query: this.query });
    }, ANNOUNCEMENT_DELAY);
  }

  #showNotices(response: SearchResponse): void {
    this.#notices.show(response, this.query);
    this.#showProgress();
  }

  /** Shows how much of the encoder has loaded, while it loads. */
  #showProgress(share?: number): void {
    const label = this.#options.labels().loadingMeaning;
    showMeter(this.#summary, this.#index?.semantic === "loading" ? label : undefined, share);
  }

  #showResults(): void {
    this.#setExpanded(true);
    this.#state.hide();
  }

  #showNone(suggestions: Suggestion[]): void {
    this.#setExpanded(false);
    const filtered = this.#facets.filter() !== undefined;
    // A reader cannot remove the site's filter.
    const own = suggestions.filter(
      ({ kind }) => !this.#preset || !/^(part|filter|everything)$/.test(kind),
    );
    this.#state.showNone(this.query, filtered, own);
  }

  #showIdle(): void {
    this.#clear();
    this.#status.textContent = "";
    this.#answered = undefined;
    this.#state.showHint(this.#index?.info.pages, this.#options.asked().suggestions);
    this.idle.hidden = false;
  }

  #fail(error: FindlingError): void {
    // The other search of the query may go on, but it does not take the place of the error.
    clearTimeout(this.#slow);
    this.#clear();
    this.leave();
    // The counts are those of another answer; chosen values stay.
    this.#facets.show([]);
    const reason = this.#state.showError(error, this.#facets.filter() !== undefined);
    this.#status.textContent = `${this.#options.labels().failed}. ${reason}`;
  }

  /** Hides everything that belongs to an answer. */
  #clear(): void {
    this.#setExpanded(false);
    this.#summary.textContent = "";
    this.#notices.hide();
    this.#better.hidden = true;
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

  #listen(): void {
    this.input.addEventListener("input", (event) => {
      this.#isComposing = (event as InputEvent).isComposing;
      this.#options.typed();
      this.#search(true);
    });
    this.input.addEventListener("compositionend", () => {
      this.#isComposing = false;
      this.#search(true);
    });
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.#close.addEventListener("click", () => this.#options.dismiss());
    this.#options.scope?.addEventListener("change", () => {
      this.#opening = undefined;
      this.#search(false);
    });
    this.#more.addEventListener("click", () => {
      this.#list.touched = true;
      void this.#nextPage();
      this.input.focus();
    });
    this.#scroll.addEventListener("scroll", () => {
      this.#isScrolled = true;
    });
    const touch = () => {
      this.#list.touched = true;
    };
    for (const type of ["wheel", "touchmove", "pointerdown"])
      this.#scroll.addEventListener(type, touch, { passive: true });
  }

  #key(event: KeyboardEvent): void {
    // Some browsers end a composition before they report its last key.
    if (event.isComposing || event.keyCode === 229) return;
    const { key } = event;
    const inBox = (this.element.getRootNode() as ShadowRoot).activeElement === this.input;
    // If the list is hidden, it has the results of another search.
    const inList = inBox && !this.#list.element.hidden;
    if (key === "Escape") {
      this.leave();
      this.#options.dismiss();
    } else if (inBox && key === "Enter" && this.query !== "") {
      this.#enter(event);
    } else if (inList && key in STEPS) {
      const steps = STEPS[key]!;
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      // Before an arrow key was used, they move in the text.
      if (Math.abs(steps) === Infinity && (!this.#moves || event.shiftKey)) return;
      this.#list.step(steps);
      this.#entered = undefined;
      this.#moves = true;
    } else {
      return;
    }
    event.preventDefault();
  }

  /**
   * Opens the active row if it belongs to the text in the box. Otherwise the first row opens when
   * the answer arrives, unless the reader continues typing.
   */
  #enter(event: KeyboardEvent): void {
    const { signal } = this.#asked;
    const shown = this.#answered?.signal === signal ? this.#answered.stage : -1;
    // While a word is being corrected, the rows belong to the other words.
    const isThere = shown >= Stage.WORDS && this.#list.length > 0;
    if (this.#moves || isThere || shown === Stage.WHOLE) this.#openActive(event);
    else this.#entered = { signal, event };
  }

  #openEntered(signal: AbortSignal): void {
    const entered = this.#entered;
    if (entered?.signal !== signal) return;
    this.#entered = undefined;
    this.#openActive(entered.event);
  }

  #openActive(event: KeyboardEvent): void {
    const option = this.#list.active;
    if (this.#list.element.hidden || !option?.href) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey)
      window.open(option.href, "_blank", "noopener");
    else option.click();
  }
}

/** Resolves when the current content has been painted. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, LONGEST_FRAME);
  });
}
