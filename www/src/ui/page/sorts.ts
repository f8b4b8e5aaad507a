/** The orders that a results page offers. */

import type { Order } from "../../engine-types";
import type { Description, SearchOptions } from "../../types";
import { fill, nameText } from "../common";
import type { Locale } from "../locale";

/** The orders by key, with their names. The order of the site has the key `""`. */
export type Orders = [name: string, label: string][];

/** The highest first. */
const DESCENDING = ":desc";
const RELEVANCE = "relevance";
const NEWEST = "newest";

/**
 * The orders that a reader can choose from, beginning with the site's order. `named`: attributes,
 * some with `:desc`. `order`: the site's order; `balanced` is shown as relevance.
 */
export function ordersOf(named: string[], order: Order, info: Description, labels: Locale): Orders {
  const has = (name: string) => info.attributes.some((attribute) => attribute.name === name);
  const hasDate = info.attributes.some(({ kind }) => kind === "date");
  const isNewest = hasDate && order === "recent";
  const attributes = named.map((name): [string, string] => {
    const attribute = attributeOf(name);
    const label = name.endsWith(DESCENDING) ? labels.descending : labels.ascending;
    return [name, fill(label, { attribute: nameText(attribute, labels) })];
  });
  const newest: Orders = hasDate ? [[isNewest ? "" : NEWEST, labels.newest]] : [];
  const relevance: Orders = [[isNewest ? RELEVANCE : "", labels.relevance]];
  return [
    ...(isNewest ? [...newest, ...relevance] : [...relevance, ...newest]),
    ...attributes.filter(([name]) => has(attributeOf(name))),
  ];
}

/** The options of a search in an order. The site's order is used for one that is not offered. */
export function orderOptions(sort: string, offered: Orders): SearchOptions {
  if (sort === "" || !offered.some(([name]) => name === sort)) return {};
  if (sort === NEWEST) return { order: "recent" };
  if (sort === RELEVANCE) return { order: "relevance" };
  return { sort: { by: attributeOf(sort), descending: sort.endsWith(DESCENDING) } };
}

const attributeOf = (name: string) => name.replace(/:(asc|desc)$/, "");
