/**
 * Pagefind's filters as conditions of the engine.
 *
 * A filter's name maps to a value, to a list of values, or to an object of `any`, `all`, `none` and
 * `not`, which may also contain names and may be nested. Conditions side by side must all hold,
 * unless they are in `any`.
 */

import type { FilterNode } from "./types";

/** A condition of the engine, or a result that is known without the engine. */
export type Condition = boolean | { [key: string]: unknown };

type Operator = "any" | "all" | "none" | "not";

const OPERATORS: ReadonlySet<string> = new Set<Operator>(["any", "all", "none", "not"]);

/**
 * The condition that `filters` asks for. `test` decides about one value of one filter: whether the
 * engine has to test it, or the result is known because the bundle has no such filter.
 */
export function conditionOf(
  filters: FilterNode | undefined,
  test: (name: string, value: string) => Condition,
): Condition {
  const read = (node: FilterNode, name: string | null, operator: Operator): Condition => {
    const parts: Condition[] = [];
    if (Array.isArray(node)) {
      for (const item of node) parts.push(read(item, name, "all"));
    } else if (typeof node === "object" && node !== null) {
      for (const [key, below] of Object.entries(node)) {
        parts.push(
          OPERATORS.has(key) ? read(below, name, key as Operator) : read(below, key, "all"),
        );
      }
    } else if (node !== undefined && node !== null && name !== null) {
      parts.push(test(name, String(node)));
    }
    // A filter without values is not a condition.
    if (parts.length === 0) return true;
    if (operator === "all") return both(parts);
    return operator === "any" ? either(parts) : negated(either(parts));
  };
  return filters === undefined ? true : read(filters, null, "all");
}

/** All of the conditions. */
export function both(parts: Condition[]): Condition {
  if (parts.includes(false)) return false;
  const asked = parts.filter((part) => part !== true);
  return asked.length === 0 ? true : asked.length === 1 ? asked[0]! : { must: asked };
}

function either(parts: Condition[]): Condition {
  if (parts.includes(true)) return true;
  const asked = parts.filter((part) => part !== false);
  return asked.length === 0 ? false : asked.length === 1 ? asked[0]! : { should: asked };
}

function negated(part: Condition): Condition {
  return typeof part === "boolean" ? !part : { must_not: [part] };
}

/** The names and values of a filter that all pages of a bundle have. */
export function fixedValues(filter: FilterNode | undefined): Map<string, string[]> {
  const fixed = new Map<string, string[]>();
  if (typeof filter !== "object" || Array.isArray(filter)) return fixed;
  for (const [name, values] of Object.entries(filter)) {
    const list = Array.isArray(values) ? values : [values];
    fixed.set(
      name,
      list.filter((value) => typeof value === "string"),
    );
  }
  return fixed;
}
