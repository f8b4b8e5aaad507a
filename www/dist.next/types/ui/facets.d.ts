/** Filter chips with counts. Values of one attribute widen each other, attributes narrow each other. */
import type { Facet } from "../engine-types";
import type { Labels } from "./labels";
/** What is chosen, and the chips that show it. */
export declare class Facets {
    #private;
    readonly element: HTMLElement;
    constructor(labels: () => Labels, changed: () => void);
    /** Attributes with values chosen. */
    get chosen(): string[];
    /** The filter that the chips stand for, leaving one attribute out if told; `undefined` where it is no filter. */
    filter(without?: string): Record<string, string[]> | undefined;
    clear(): void;
    /** Shows new counts, keeping the keyboard where it is. */
    show(facets: Facet[]): void;
}
