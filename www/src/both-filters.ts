/**
 * The filter that holds where two filters hold: that of a bundle and that of a search. In text,
 * pairs of one key are alternatives (`kind=guide,kind=reference`), so two texts cannot be joined to
 * one: each becomes an object, as which the engine reads it in the same way.
 */

import { FindlingError } from "./errors";

type Condition = Record<string, unknown>;
type Filter = string | Condition;

/** The filter that holds where both hold: that of a bundle, and that of a search. */
export function bothFilters(
  own: Filter | undefined,
  asked: Filter | undefined,
): Filter | undefined {
  const given = [own, asked].filter((filter) => filter !== undefined && !isEmpty(filter));
  return given.length < 2 ? given[0] : { must: given.map((filter) => asObject(filter!)) };
}

const isEmpty = (filter: Filter) => typeof filter === "string" && filter.trim() === "";

function asObject(filter: Filter): Condition {
  if (typeof filter !== "string") return filter;
  if (!filter.trimStart().startsWith("{")) return new Terms(filter).all();
  try {
    return JSON.parse(filter) as Condition;
  } catch (cause) {
    const { message } = cause as Error;
    throw new FindlingError("filter", `Expected a filter in JSON, found ${filter}: ${message}`);
  }
}

/** A value in quotes, in which a backslash stands before a quote or another backslash. */
const QUOTED = /\s*(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|'((?:[^'\\]|\\['\\]|\\(?!['\\]))*)')\s*/y;
const RANGES = ["gt", "gte", "lt", "lte"];

/** Forwards through a filter as text (`crates/engine/src/filter/text.rs`). */
class Terms {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  all(): Condition {
    const must: Condition[] = [];
    const pairs = new Map<string, string[]>();
    do {
      const key = this.#word("=:,");
      if (this.#take("=")) {
        const any = pairs.get(key) ?? [];
        if (any.length === 0) must.push({ key, any });
        pairs.set(key, any);
        any.push(this.#word(","));
      } else must.push(this.#operator(key));
    } while (this.#take(","));
    if (this.#at < this.#text.length) this.#fail("a comma or the end");
    return { must };
  }

  #operator(key: string): Condition {
    const name = this.#take(":") ? this.#word(":,") : "";
    if (!this.#take(":")) this.#fail(`\`${key}=value\` or \`${key}:operator:value\``);
    if (name === "in") {
      const any: string[] = [];
      do any.push(this.#word(",|"));
      while (this.#take("|"));
      return { key, any };
    }
    const value = this.#word(",");
    if (RANGES.includes(name)) return { key, range: { [name]: value } };
    if (name === "eq") return { key, any: [value] };
    if (name === "ne") return { must_not: [{ key, any: [value] }] };
    if (name === "contains") return { key, text: value };
    return this.#fail("eq, ne, in, gt, gte, lt, lte or contains");
  }

  /** A quoted or bare word up to one of the characters, not empty unless quoted. */
  #word(end: string): string {
    QUOTED.lastIndex = this.#at;
    const [whole, double, single] = QUOTED.exec(this.#text) ?? [];
    if (whole !== undefined) {
      this.#at += whole.length;
      const mark = double === undefined ? /\\(['\\])/g : /\\(["\\])/g;
      return (double ?? single)!.replace(mark, "$1");
    }
    const rest = this.#text.slice(this.#at);
    const length = [...end].reduce((least, mark) => {
      const at = rest.indexOf(mark);
      return at < 0 ? least : Math.min(least, at);
    }, rest.length);
    const word = rest.slice(0, length).trim();
    if (/^(?:["']|$)/.test(word)) this.#fail("a word, or one in quotes");
    this.#at += length;
    return word;
  }

  #take(mark: string): boolean {
    const isThere = this.#text.startsWith(mark, this.#at);
    if (isThere) this.#at += mark.length;
    return isThere;
  }

  #fail(expected: string): never {
    const rest = this.#text.slice(this.#at) || "nothing";
    throw new FindlingError(
      "filter",
      `Expected ${expected} at character ${this.#at + 1} of the filter ${this.#text}, ` +
        `found ${rest}.`,
    );
  }
}
