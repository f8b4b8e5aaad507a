/** The search box with its filters, results and states. It draws; where it is drawn is the element's affair. */
import type { FindlingIndex } from "../client";
import type { Mode } from "../engine-types";
import type { SearchResponse } from "../types";
import type { Labels } from "./labels";
import { type Hit } from "./results";
/** What the element decides. */
export interface PanelOptions {
    labels: () => Labels;
    /** Opens the bundle; called again after a failure. */
    open: () => Promise<FindlingIndex>;
    mode: () => Mode;
    limit: () => number;
    facets: () => string[];
    placeholder: () => string;
    /** A result was chosen. `false`: the site takes it from here. */
    select: (hit: Hit, href: string) => boolean;
    /** A search was answered. */
    answered: (response: SearchResponse) => void;
    dismiss: () => void;
}
export declare class Panel {
    #private;
    readonly element: HTMLElement;
    readonly input: HTMLInputElement;
    constructor(options: PanelOptions);
    /** Called when the panel comes into view: has everything ready for the first key. */
    warm(): Promise<void>;
    /** The words of another language. */
    relabel(): void;
}
