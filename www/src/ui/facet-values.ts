/**
 * The values of an attribute in the form in which a reader chooses them: texts, yes and no, ranges,
 * periods.
 */

import type { Facet } from "../engine-types";
import type { Description, Filter } from "../types";
import type { Labels } from "./labels";

type Attribute = Description["attributes"][number];

/** A value, or a range of values, that can be chosen. */
export interface Choice {
  /** The key: a value, the beginning of a date, or `from..to`. */
  key: string;
  label: string;
  count: number;
}

/** Different numbers that are shown one by one; more become ranges. */
const MAX_NUMBERS = 6;
/** Ranges that numbers are divided into, at most. */
const MAX_RANGES = 5;
/** Between the bounds of a range: the first belongs to it, the second does not. */
const TO = "..";

/** The division of an attribute's values. It stays the same while a reader narrows the results. */
export interface Division {
  /** Bounds between ranges of numbers. Without any, each number is shown. */
  bounds: number[];
  /** The part of dates that is shown: of `2024-05-17`, a year has 4 characters, a month 7. */
  length: number;
}

/** The name of an attribute in words. */
export function nameText(name: string, labels: Labels): string {
  const words = name.replace(/[_-]+/g, " ").replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return labels.attributes?.[name] ?? (words.trim() || name);
}

/** The name of a value in words. */
export function valueText(value: string, attribute: Attribute, labels: Labels): string {
  const { name, kind } = attribute;
  const given = labels.values?.[name]?.[value];
  if (given !== undefined) return given;
  if (kind === "bool") return value === "true" ? labels.yes : labels.no;
  if (kind === "number") return numberText(value, labels);
  if (kind === "date") return dateText(value, labels);
  return value.trim() || "\u2014";
}

/** Returns the division of a facet's values. */
export function divide({ kind }: Attribute, values: Facet["values"]): Division {
  if (kind === "date") {
    const lengths = [4, 7, 10];
    const several = (length: number) => new Set(values.map(([v]) => v.slice(0, length))).size > 1;
    return { bounds: [], length: lengths.find(several) ?? 10 };
  }
  const bounds = new Set<number>();
  const sorted = sortedNumbers(values);
  const [least = 0, most = 0] = [sorted[0]?.[0], sorted.at(-1)?.[0]];
  if (kind === "number" && values.length > MAX_NUMBERS) {
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    let below = 0;
    for (const [number, count] of sorted) {
      // A round number near the value below which a share of the pages lies.
      const shares = () => Math.floor((below * MAX_RANGES) / total);
      const before = shares();
      below += count;
      if (shares() > before && shares() < MAX_RANGES) bounds.add(rounded(number, most - least));
    }
  }
  return { bounds: [...bounds].filter((bound) => bound > least).sort((a, b) => a - b), length: 0 };
}

/** Returns the values of a facet that can be chosen, those in `chosen` first. */
export function choicesOf(
  attribute: Attribute,
  values: Facet["values"],
  division: Division,
  chosen: ReadonlySet<string>,
  labels: Labels,
): Choice[] {
  const counts = new Map<string, number>();
  const { kind } = attribute;
  const add = (key: string, count: number) => counts.set(key, (counts.get(key) ?? 0) + count);
  if (kind === "number" && division.bounds.length > 0) {
    for (const [value, count] of sortedNumbers(values)) add(rangeOf(value, division.bounds), count);
  } else if (kind === "number") {
    for (const [value, count] of sortedNumbers(values)) add(String(value), count);
  } else if (kind === "date") {
    const newestFirst = [...values].sort(([a], [b]) => (a < b ? 1 : -1));
    for (const [value, count] of newestFirst) add(value.slice(0, division.length), count);
  } else {
    for (const [value, count] of values) add(value, count);
  }
  for (const key of chosen) if (!counts.has(key)) counts.set(key, 0);
  const all = [...counts].map(([key, count]) => ({
    key,
    label: keyText(key, attribute, labels),
    count,
  }));
  if (kind === "bool") all.sort((a, b) => (a.key > b.key ? -1 : 1));
  return [
    ...all.filter(({ key }) => chosen.has(key)),
    ...all.filter(({ key }) => !chosen.has(key)),
  ];
}

/** Names with a special meaning in filters. */
const RESERVED = /^(must|should|must_not|match|any|range|text)$/;

/** The filter for the chosen values: a page needs one of the values of each attribute. */
export function filterOf(
  chosen: ReadonlyMap<string, ReadonlySet<string>>,
  kindOf: (name: string) => string,
): Filter | undefined {
  const plain: Record<string, string[]> = {};
  const must: Filter[] = [];
  for (const [name, keys] of chosen) {
    const isRange = kindOf(name) === "number" && [...keys].some((key) => key.includes(TO));
    if (!isRange && !RESERVED.test(name)) plain[name] = [...keys];
    else must.push({ should: [...keys].map((key) => conditionOf(name, key, isRange)) });
  }
  if (must.length === 0) return chosen.size > 0 ? plain : undefined;
  return { must: [...must, plain] };
}

function conditionOf(name: string, key: string, isRange: boolean): Filter {
  const [from, to] = key.split(TO);
  if (!isRange || to === undefined) return { match: { [name]: key } };
  const range = { ...(from ? { gte: Number(from) } : {}), ...(to ? { lt: Number(to) } : {}) };
  return { range: { [name]: range } };
}

function keyText(key: string, attribute: Attribute, labels: Labels): string {
  const [from = "", to] = key.split(TO);
  if (attribute.kind !== "number" || to === undefined) return valueText(key, attribute, labels);
  const text = (bound: string) => valueText(bound, attribute, labels);
  if (from === "") return `< ${text(to)}`;
  return to === "" ? `\u2265 ${text(from)}` : `${text(from)} \u2013 ${text(to)}`;
}

function rangeOf(value: number, bounds: number[]): string {
  const at = bounds.filter((bound) => bound <= value).length;
  return `${bounds[at - 1] ?? ""}${TO}${bounds[at] ?? ""}`;
}

const sortedNumbers = (values: Facet["values"]) =>
  values.map(([value, count]) => [Number(value), count] as const).sort(([a], [b]) => a - b);

/** A number near this one that is short to read. `spread` is the distance between all numbers. */
function rounded(number: number, spread: number): number {
  if (number === 0) return 0;
  const unit = (size: number) => 10 ** Math.floor(Math.log10(size));
  // Years are far from zero and near each other.
  const step = Math.min(unit(Math.abs(number)) / 2, unit(spread / MAX_RANGES));
  // Fractions of the step are not exact, their texts are.
  return Number((Math.round(number / step) * step).toPrecision(12));
}

function numberText(value: string, { language }: Labels): string {
  const number = Number(value);
  // Years and other numbers of four digits are written without a separator.
  return number.toLocaleString(language, {
    useGrouping: Math.abs(number) >= 1e4,
    maximumFractionDigits: 6,
  });
}

function dateText(value: string, { language }: Labels): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return value;
  const parts: Intl.DateTimeFormatOptions = { timeZone: "UTC", year: "numeric" };
  if (value.length >= 7) parts.month = "short";
  if (value.length >= 10) parts.day = "numeric";
  return date.toLocaleDateString(language, parts);
}
