// From markers in crates/engine/src. To write it anew: cargo xtask types

import type { Request } from "./engine-types";

/**
 * Request fields that the first part of the engine handles. A field with a list of values is
 * handled with these values only.
 */
export const FIRST_PART_FIELDS: ReadonlyMap<string, readonly string[] | undefined> = new Map<
  keyof Request,
  readonly string[] | undefined
>([
  ["query", undefined],
  ["mode", ["hybrid", "lexical", "semantic"]],
  ["limit", undefined],
  ["offset", undefined],
  ["encoder", ["auto", "static", "none"]],
  ["prefix", undefined],
  ["singleLetter", undefined],
  ["verbatim", undefined],
  ["suggest", undefined],
  ["order", ["relevance", "match"]],
  ["copies", undefined],
  ["facets", undefined],
  ["facetsOf", ["pages", "sections"]],
  ["facetsInstead", undefined],
  ["sectionsPerPage", undefined],
]);

/** Queries that call deferred functions. All other queries are words and nothing else. */
export const DEFERRED_SYNTAX =
  /^\s*$|"[^"]*"|[“”„][^“”"]*[“”"]|«[^»]*»|「[^」]*」|(^|\s)-([^\s-]\S|[^\s0-9A-Za-z-])|(^|\s)[^\s:]+:([^\s:/]|\/([^/]|$))/u;
