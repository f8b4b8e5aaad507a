/** The orders that a results page offers. */

import type { Description, SearchOptions } from "../../types";
import { fill } from "../common";
import type { Locale } from "../locale";

/** The highest first. */
const DESCENDING = ":desc";
const NEWEST = "newest";

/** The orders by name, with what each is called. `named`: attributes, some with `:desc`. */
export function orders(named: string[], info: Description, labels: Locale): [string, string][] {
  const has = (name: string) => info.attributes.some((attribute) => attribute.name === name);
  const hasDate = info.attributes.some(({ kind }) => kind === "date");
  const attributes = named.map((name): [string, string] => {
    const attribute = attributeOf(name);
    const label = name.endsWith(DESCENDING) ? labels.descending : labels.ascending;
    return [name, fill(label, { attribute })];
  });
  return [
    ["", labels.relevance],
    ...(hasDate ? [[NEWEST, labels.newest] as [string, string]] : []),
    ...attributes.filter(([name]) => has(attributeOf(name))),
  ];
}

/** The options of a search in an order. An unknown one is that by relevance. */
export function orderOptions(sort: string, known: string[]): SearchOptions {
  if (sort === NEWEST) return { order: "recent" };
  if (!known.includes(sort)) return {};
  return { sort: { by: attributeOf(sort), descending: sort.endsWith(DESCENDING) } };
}

const attributeOf = (name: string) => name.replace(/:(asc|desc)$/, "");
