/** Conversion of a reader's choices to a filter of the client. */

import type { Condition, Description } from "../../types";
import type { Locale } from "../locale";

/** The kind of control for an attribute. */
export type Control =
  /**
   * Values; a page must have one of the chosen ones. `isTruth`: the values are `true` and `false`.
   */
  | { type: "values"; isTruth?: boolean }
  /** Values whose parts are levels: a value stands for all below it. */
  | { type: "tree"; separator: string }
  /** Bounds of a number or a date. */
  | { type: "range"; input: "number" | "date" };

type Attribute = Description["attributes"][number];

/** Between the bounds of a range. */
const TO = "..";

/** The control of an attribute. `trees`: the separators of attributes with levels. */
export function controlOf({ name, kind }: Attribute, trees: Map<string, string>): Control {
  const separator = trees.get(name);
  if (separator !== undefined) return { type: "tree", separator };
  if (kind === "number" || kind === "date") return { type: "range", input: kind };
  return { type: "values", isTruth: kind === "bool" };
}

/** The label of a value. */
export function valueName(
  attribute: string,
  value: string,
  control: Control | undefined,
  labels: Locale,
): string {
  const given = labels.values?.[attribute]?.[value];
  if (given !== undefined) return given;
  if (control?.type === "range") {
    const [from, to] = bounds([value]);
    if (to === "") return `\u2265 ${from}`;
    return from === "" ? `\u2264 ${to}` : `${from} \u2013 ${to}`;
  }
  if (control?.type !== "values" || !control.isTruth) return value.trim() || "\u2014";
  return value === "true" ? labels.yes : labels.no;
}

/** The bounds of a range; empty if there is none. */
export function bounds([range = ""]: string[]): [from: string, to: string] {
  const [from = "", to = ""] = range.split(TO);
  return [from, to];
}

/** A range as it is written in an address; empty without bounds. */
export function rangeOf(from: string, to: string): string[] {
  return from === "" && to === "" ? [] : [from + TO + to];
}

/** Whether a value is `branch` or below it. */
export const isBelow = (value: string, branch: string, separator: string): boolean =>
  value === branch || value.startsWith(branch + separator);

/**
 * The condition on an attribute; `undefined` for a range without bounds. `known` are all values of
 * an attribute with levels, among which are those below a chosen branch.
 */
export function conditionOn(
  control: Control,
  chosen: string[],
  known: string[],
): Condition | undefined {
  if (control.type === "values") return chosen;
  if (control.type === "tree") {
    const { separator } = control;
    const below = known.filter((value) =>
      chosen.some((branch) => isBelow(value, branch, separator)),
    );
    return below.length > 0 ? below : chosen;
  }
  const bound = (text: string) => (control.input === "number" ? Number(text) : text);
  const [from, to] = bounds(chosen);
  if (from + to === "") return undefined;
  return { ...(from !== "" && { gte: bound(from) }), ...(to !== "" && { lte: bound(to) }) };
}
