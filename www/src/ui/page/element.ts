/**
 * `<findling-results>`: a page of search results with filters, orders and pages of results. Its
 * state is in the address. The README lists its attributes, events and parts.
 */

import type { FindlingIndex } from "../../client";
import type { FindlingError } from "../../errors";
import type { Filter, SearchOptions, SearchResponse } from "../../types";
import {
  address,
  COMMON,
  choose,
  countOf,
  define,
  FindlingElement,
  fill,
  type Hit,
  isModified,
  LABELS,
  Notices,
  SettledSearches,
  StateView,
  tell,
  verdictOn,
} from "../common";
import type { Locale } from "../locale";
import { PAGE_LABELS } from "../page-labels";
import { chips } from "./chips";
import { FilterControls } from "./filter-controls";
import { conditionOn, controlOf } from "./filters";
import { Frame } from "./frame";
import { addressOf, type PageState, readState, wordsOf } from "./page-state";
import { pagination } from "./pagination";
import { ResultView } from "./result-view";
import { type Orders, orderOptions, ordersOf } from "./sorts";
import css from "./styles.css";

/** Milliseconds without a key before a search, so that not every letter searches. */
const TYPING_PAUSE = 160;

/** Number of sections of a page, if they are shown under it, and if each is shown separately. */
const SECTIONS = { page: 3, section: 10 };

/** The key under which the browser's history stores the scroll position. */
const PLACE = "findlingPlace";

/** The way in which a new state is added to the browser's history. */
type Step = "push" | "replace";

export class FindlingResults extends FindlingElement<Locale> {
  static readonly observedAttributes = [
    ...COMMON,
    "placeholder",
    "facets",
    "filter",
    "hierarchies",
    "limit",
    "mode",
    "order",
    "paging",
    "sorts",
    "suggestions",
  ];

  #frame!: Frame;
  #view!: ResultView;
  #filters!: FilterControls;
  #stateView!: StateView;
  #notices!: Notices;
  readonly #settled = new SettledSearches(this);
  #preset: Filter | undefined;
  /** The page's title without a query. */
  #title = "";
  /** The reader's position on the page before leaving it. */
  #scrolled: number | undefined;
  #state: PageState = readState(new URLSearchParams());
  #opened: FindlingIndex | undefined;
  /** All values of those attributes with levels in which something was chosen. */
  readonly #values = new Map<string, string[]>();
  #asked = new AbortController();
  /** The search whose list was extended: a better answer would replace the added pages. */
  #extended: AbortSignal | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** The theme of the page, because the element has no background of its own. */
  protected override readonly ownTheme = "page";

  constructor() {
    super({ ...LABELS, ...PAGE_LABELS }, css);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener("popstate", this.#restore);
    removeEventListener("pagehide", this.#keepPlace);
    if (this.#title) document.title = this.#title;
    this.#title = "";
    clearTimeout(this.#pause);
    this.#asked.abort();
    this.#opened = undefined;
  }

  protected draw(): void {
    const labels = () => this.labels;
    this.#values.clear();
    this.#filters = new FilterControls({
      labels,
      chosen: (attribute) => this.#state.choices.get(attribute) ?? [],
      choose: (attribute, values) => this.#choose(attribute, values),
      trees: () => this.#trees(),
    });
    this.#view = new ResultView({
      labels,
      info: () => this.#opened?.info,
      bySection: () => this.#state.bySection,
      passages: () => this.passages(),
      select: (hit, event, passage, position) => this.#select(hit, event, passage, position),
    });
    this.#stateView = new StateView({
      labels,
      retry: () => void this.#search(),
      clearFilters: () => this.#go({ choices: new Map() }),
      suggest: ({ kind, what, query }) => {
        const choices = new Map(
          kind === "filter" || kind === "everything" ? [] : this.#state.choices,
        );
        if (kind === "part") choices.delete(what!);
        this.#go({ query, choices });
      },
      focus: () => this.#frame.input.focus(),
    });
    this.#notices = new Notices({
      labels,
      index: () => this.#opened,
      again: () => void this.#search(),
      verbatim: () => {
        this.#go({ verbatim: true });
        this.#frame.input.focus();
      },
    });
    this.#frame = new Frame(this.labels, this.asked().placeholder, {
      filters: this.#filters.element,
      results: this.#view.element,
      state: this.#stateView.element,
      corrected: this.#notices.corrected,
      notices: this.#notices.element,
      typed: () => this.#typed(),
      submitted: () => this.#go({ query: this.#frame.input.value.trim() }),
      sorted: (sort) => this.#go({ sort }),
      grouped: (bySection) => this.#go({ bySection }),
      more: () => void this.#more(),
    });
    this.#frame.element.classList.toggle("plain", this.asked().facets.length === 0);
    this.root.replaceChildren(this.#frame.element);
    addEventListener("popstate", this.#restore);
    addEventListener("pagehide", this.#keepPlace);
    this.#title ||= document.title;
    this.#restore();
  }

  // ---- state

  /** Shows the state in the address. */
  readonly #restore = (): void => {
    this.#scrolled = (history.state as { [PLACE]?: number } | null)?.[PLACE];
    this.#state = readState(new URLSearchParams(location.search));
    if (this.hasAttribute("missing") && this.#state.query === "")
      this.#state.query = wordsOf(location.pathname);
    this.#frame.input.value = this.#state.query;
    this.#filters.refresh();
    void this.#search();
  };

  /**
   * Stores the scroll position in the history: the browser would restore it before the results are
   * there.
   */
  readonly #keepPlace = (): void => {
    history.replaceState({ ...history.state, [PLACE]: scrollY }, "");
  };

  /** Shows another state, beginning with its first page. */
  #go(change: Partial<PageState>, step: Step = "push"): void {
    clearTimeout(this.#pause);
    // Another query is corrected again.
    const isSame = change.query === undefined || change.query === this.#state.query;
    const verbatim = isSame && this.#state.verbatim;
    this.#state = { ...this.#state, page: 1, verbatim, ...change };
    if (this.#frame.input.value.trim() !== this.#state.query)
      this.#frame.input.value = this.#state.query;
    this.#scrolled = undefined;
    const href = addressOf(this.#state, location.href);
    const isNew = step === "push" && href !== location.href;
    if (isNew) this.#keepPlace();
    const state = { ...history.state, [PLACE]: undefined };
    if (isNew) history.pushState(state, "", href);
    else history.replaceState(state, "", href);
    this.#filters.refresh();
    void this.#search();
  }

  /** Letters typed in a row belong to one step of the history. */
  #typed(): void {
    this.#settled.typed();
    clearTimeout(this.#pause);
    this.#pause = setTimeout(
      () => this.#go({ query: this.#frame.input.value.trim() }, "replace"),
      TYPING_PAUSE,
    );
  }

  #choose(attribute: string, values: string[]): void {
    const choices = new Map(this.#state.choices);
    if (values.length > 0) choices.set(attribute, values);
    else choices.delete(attribute);
    this.#go({ choices });
  }

  // ---- searching

  async #search(): Promise<void> {
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    const state = this.#state;
    this.#frame.setBusy(true);
    document.title = state.query === "" ? this.#title : `${state.query} \u2013 ${this.#title}`;
    try {
      const index = await this.index;
      if (index !== this.#opened) this.#preset = await this.preset(index);
      if (signal.aborted) return;
      this.#opened = index;
      this.#showOrders();
      await this.#learnValues(index, signal);
      const isPaged = this.#isPaged();
      const { limit, facets } = this.asked();
      // Without a query and a filter there are no pages to list, but filters to choose from.
      const isIdle = state.query === "" && state.choices.size === 0;
      const response = await index.search(state.query, {
        ...this.#request(),
        limit: isIdle ? 0 : isPaged ? limit : Math.min(100, state.page * limit),
        offset: isPaged ? (state.page - 1) * limit : 0,
        facets,
        signal,
        onUpgrade: (response) => {
          if (!signal.aborted && this.#extended !== signal) this.#show(response, isIdle);
        },
      });
      if (!signal.aborted) this.#show(response, isIdle);
    } catch (thrown) {
      if (!signal.aborted) this.#fail(thrown as FindlingError);
    }
  }

  /** The options that all searches of the current state share. */
  #request(): SearchOptions {
    const { bySection, sort, verbatim } = this.#state;
    const postFilter = this.#filter();
    const { mode, order, options } = this.asked();
    return {
      ...options,
      mode,
      order,
      verbatim,
      prefix: true,
      sectionsPerPage: bySection ? SECTIONS.section : SECTIONS.page,
      ...(this.#preset && { filter: this.#preset }),
      ...(postFilter && { postFilter }),
      ...orderOptions(sort, this.#orders()),
    };
  }

  /** The orders that the reader can choose from. */
  #orders(): Orders {
    const { order } = this.asked();
    return ordersOf(this.namesIn("sorts"), order, this.#opened!.info, this.labels);
  }

  #filter(): Filter | undefined {
    const conditions = [...this.#state.choices].map(([name, chosen]) => {
      const control = this.#control(name) ?? { type: "values" };
      return [name, conditionOn(control, chosen, this.#values.get(name) ?? [])] as const;
    });
    const known = conditions.filter(([, condition]) => condition !== undefined);
    return known.length > 0 ? Object.fromEntries(known) : undefined;
  }

  #control(name: string) {
    const attribute = this.#opened?.info.attributes.find((known) => known.name === name);
    return attribute && controlOf(attribute, this.#trees());
  }

  /**
   * Loads the values of trees in the address, even those that the query does not find: a branch is
   * searched by the values below it.
   */
  async #learnValues(index: FindlingIndex, signal: AbortSignal): Promise<void> {
    const unknown = [...this.#trees().keys()].filter(
      (name) => this.#state.choices.has(name) && !this.#values.has(name),
    );
    if (unknown.length === 0) return;
    const { facets } = await index.search("", { limit: 0, facets: unknown, signal });
    if (signal.aborted) return;
    for (const { name, values } of facets)
      this.#values.set(
        name,
        values.map(([value]) => value),
      );
  }

  async #more(): Promise<void> {
    const { signal } = this.#asked;
    const { more } = this.#frame;
    this.#extended = signal;
    more.disabled = true;
    this.#frame.setBusy(true);
    try {
      const { results, total } = await this.#opened!.search(this.#state.query, {
        ...this.#request(),
        limit: this.asked().limit,
        offset: this.#view.length,
        signal,
      });
      if (signal.aborted) return;
      this.#state.page++;
      history.replaceState(history.state, "", addressOf(this.#state, location.href));
      this.#view.append(results)?.focus();
      this.#stateView.hide();
      more.hidden = results.length === 0 || this.#view.length >= total.pages;
      this.#frame.setBusy(false);
    } catch (thrown) {
      if (signal.aborted) return;
      this.#stateView.showError(thrown as FindlingError, this.#state.choices.size > 0);
      this.#frame.setBusy(false);
    } finally {
      more.disabled = false;
    }
  }

  // ---- showing

  #show(response: SearchResponse, isIdle: boolean): void {
    const { labels } = this;
    const { pages, atLeast } = response.total;
    if (this.#frame.isComposing && pages === 0) {
      this.#frame.setBusy(false);
      return;
    }
    const info = this.#opened!.info;
    const isFirst = !this.#isPaged() || this.#state.page === 1;
    const { order, sort } = this.#request();
    const isRelevant = order === "relevance" && !sort;
    const verdict = isFirst && isRelevant ? verdictOn(response) : undefined;
    this.#filters.show(response.facets, info, atLeast ? "+" : "");
    this.#view.replace(response.results, verdict);
    const found =
      pages > 0 ? countOf(labels, response.total) : fill(labels.none, { query: response.query });
    const isSaid = isIdle || verdict === "nothing";
    this.#frame.setSummary(isSaid ? "" : found, pages > 0 && !isSaid);
    this.#showChoices();
    this.#notices.show(response, response.query);
    if (isIdle) this.#stateView.showHint(info.pages, this.asked().suggestions);
    else if (pages === 0)
      this.#stateView.showNone(response.query, this.#state.choices.size > 0, response.suggestions);
    else this.#stateView.hide();
    const left = this.#view.length < pages && response.results.length > 0;
    this.#frame.more.hidden = this.#isPaged() || !left;
    this.#showPages(Math.ceil(pages / this.asked().limit));
    this.#frame.setBusy(false);
    if (this.#scrolled !== undefined) scrollTo({ top: this.#scrolled, behavior: "instant" });
    this.#scrolled = undefined;
    if (isIdle) return;
    this.#settled.answered(response);
    tell(this, response, true);
  }

  /** Shows an error instead of an answer, and the chosen values, which may have caused it. */
  #fail(error: FindlingError): void {
    this.#view.replace([], undefined);
    const reason = this.#stateView.showError(error, this.#state.choices.size > 0);
    this.#frame.setSummary(`${this.labels.failed}. ${reason}`, false);
    this.#showChoices();
    this.#notices.hide();
    this.#frame.more.hidden = true;
    this.#showPages(0);
    this.#frame.setBusy(false);
  }

  #showOrders(): void {
    this.#frame.setOrders(this.#orders(), this.#state.sort);
    this.#frame.setGroup(this.#state.bySection);
  }

  #showChoices(): void {
    const choices = [...this.#state.choices].flatMap(([attribute, values]) =>
      values.map((value) => ({ attribute, value, control: this.#control(attribute) })),
    );
    const shown = chips(
      choices,
      this.labels,
      ({ attribute, value }) => {
        const others = this.#state.choices.get(attribute)?.filter((other) => other !== value);
        this.#choose(attribute, others ?? []);
        this.#frame.focus();
      },
      () => {
        this.#go({ choices: new Map() });
        this.#frame.focus();
      },
    );
    this.#frame.chips.replaceChildren(...shown);
  }

  #showPages(last: number): void {
    const links = this.#isPaged()
      ? pagination(
          this.#state.page,
          last,
          this.labels,
          (page) => addressOf({ ...this.#state, page }, location.href),
          (page, event) => {
            if (isModified(event)) return;
            event.preventDefault();
            this.#go({ page });
            this.#frame.summary.focus();
            this.scrollIntoView({ block: "start" });
          },
        )
      : [];
    this.#frame.pages.replaceChildren(...links);
    this.#frame.pages.hidden = links.length === 0;
  }

  #select(hit: Hit, event: MouseEvent, passage: string, position: number): void {
    if (isModified(event) || passage === "") return;
    event.preventDefault();
    const selection = { href: address(hit, false) ?? passage, ...hit, position };
    this.#settled.chosen(selection);
    choose(this, selection, passage);
  }

  // ---- attributes

  #isPaged(): boolean {
    return this.oneOf("paging", ["more", "pages"]) === "pages";
  }

  /** Attributes whose values are paths, with their separators: `topic, area:/`. */
  #trees(): Map<string, string> {
    return new Map(
      this.namesIn("hierarchies").map((text) => {
        const [name = "", separator = " > "] = text.split(":");
        return [name, separator];
      }),
    );
  }
}

define("findling-results", FindlingResults);

declare global {
  interface HTMLElementTagNameMap {
    "findling-results": FindlingResults;
  }
}
