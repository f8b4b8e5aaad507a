/**
 * `<findling-search>`: a site's whole integration is this element and one script.
 *
 * Attributes: `bundle` (address of the bundle; default: the directory of the script), `placeholder`, `shortcut` (the
 * letter that opens with Ctrl or Cmd, `k` unless told, `none` for no keys at all), `inline` (no dialog: the box stands in
 * the page), `theme` (`light`, `dark`; default: the reader's), `mode` (`hybrid`, `lexical`, `semantic`), `encoder` (`auto`,
 * `transformer`, `none`), `limit` (pages at a time, 10), `facets` (names separated by commas; default: all that were
 * marked as filters; `none`), `site` (what page addresses are relative to).
 *
 * Events: `findling-select`, cancelable, when a result is chosen, with `{ href, page, section }` as its detail;
 * `findling-search` when a search was answered, with the response.
 *
 * Slot `trigger`: another button in place of the built-in one. Parts: `trigger`, `panel`, `input`, `filters`, `chip`,
 * `results`. Colours and fonts are CSS variables (see styles.css).
 */
import type { FindlingIndex } from "../client";
import type { OpenOptions, PageResult, SectionResult } from "../types";
import { type Labels } from "./labels";
/** The detail of `findling-select`. */
export interface Selection {
    href: string;
    page: PageResult;
    section: SectionResult | undefined;
}
export declare class FindlingSearch extends HTMLElement {
    #private;
    static readonly observedAttributes: string[];
    /** The words of the element; give only those to be changed. */
    get labels(): Labels;
    set labels(labels: Partial<Labels>);
    /** What the client is opened with, for what attributes cannot say, such as `encode`. To be set before the first search. */
    get options(): OpenOptions;
    set options(options: OpenOptions);
    /** The index, opened if it is not yet. */
    get index(): Promise<FindlingIndex>;
    /** Opens the dialog, or moves the keyboard to the box where it stands in the page. */
    show(query?: string): void;
    /** Closes the dialog; the keyboard returns to where it was. */
    hide(): void;
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(name: string): void;
}
declare global {
    interface HTMLElementTagNameMap {
        "findling-search": FindlingSearch;
    }
}
