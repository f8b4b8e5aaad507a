/** Snippets as DOM nodes: text, with what matched marked and what is code set as code. */
import type { Snippet } from "../engine-types";
/** The stretches between all borders of both kinds of range, each with what it is. */
export declare function stretches({ text, ranges, code }: Snippet): {
    text: string;
    mark: boolean;
    code: boolean;
}[];
/** A snippet's nodes. */
export declare function snippetNodes(snippet: Snippet): (Node | string)[];
