/** Results as DOM: a group for each page, an option for each section. */
import type { PageResult, SectionResult } from "../types";
/** What an option stands for. */
export interface Hit {
    page: PageResult;
    section: SectionResult | undefined;
}
/** A page's group. `register` is told of every option and gives it its id. */
export declare function pageGroup(page: PageResult, tag: string | undefined, register: (option: HTMLElement, hit: Hit) => void): HTMLElement;
