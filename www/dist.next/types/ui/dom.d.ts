/** Building DOM without ever parsing text as markup. */
type Attributes = Record<string, string | number | boolean | null | undefined>;
/** An element with attributes and children; strings become text nodes. */
export declare function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes?: Attributes, ...children: (Node | string)[]): HTMLElementTagNameMap[K];
/** A line icon on a 20 by 20 grid. */
export declare function icon(path: string, size?: number): SVGSVGElement;
export declare const MAGNIFIER = "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm4.3-1.7L17 17";
export declare const CROSS = "M5 5l10 10M15 5 5 15";
export {};
