// The cases of the directories beside this file. This module reads them, returns the requests for
// each case, and checks the answers. `build/tests/ranking.rs` does the same natively; README.md has
// the keys.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(fileURLToPath(import.meta.url));

const EXPECTATIONS = [
  "first",
  "order",
  "only",
  "absent",
  "none",
  "snippet",
  "marked",
  "corrections",
  "facets",
  "copies",
  "notice",
  "suggests",
  "same",
  "paged",
];
const KEYS = ["query", "request", "typed", "why", "source", "open", ...EXPECTATIONS];
const REQUEST = [
  "prefix",
  "filter",
  "sort",
  "limit",
  "offset",
  "sectionsPerPage",
  "prefer",
  "order",
  "verbatim",
  "spread",
  "copies",
  "facets",
  "facetsOf",
  "facetsInstead",
];

/** Number of requested pages if a case does not give one. No topic has so many. */
const LIMIT = 100;

/**
 * All topics: `{ name, directory, about, build, cases, pages }`. Throws if a file has a key that
 * this runner does not know.
 */
export function topics() {
  const wrong = [];
  const found = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const directory = join(root, name);
      const {
        about,
        build = [],
        cases,
        ...unknown
      } = JSON.parse(readFileSync(join(directory, "cases.json"), "utf8"));
      const pages = readdirSync(join(directory, "pages"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) =>
          relative(join(directory, "pages"), join(entry.parentPath ?? entry.path, entry.name)),
        );
      if (!about) wrong.push(`${name}: "about" is missing`);
      for (const key of Object.keys(unknown)) wrong.push(`${name}: unknown key "${key}"`);
      for (const one of cases)
        wrong.push(
          ...mistakes(one, pages).map(
            (mistake) => `${name}: ${JSON.stringify(one.query)}: ${mistake}`,
          ),
        );
      return { name, directory, about, build, cases, pages };
    });
  if (wrong.length) throw new Error(wrong.join("\n"));
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function mistakes(one, pages) {
  const wrong = [];
  const has = (key) => one[key] !== undefined;
  if (typeof one.query !== "string") wrong.push("there is no query");
  if (!one.why) wrong.push("nothing says why");
  for (const key of Object.keys(one)) if (!KEYS.includes(key)) wrong.push(`unknown key "${key}"`);
  for (const key of Object.keys(one.request ?? {}))
    if (!REQUEST.includes(key)) wrong.push(`unknown key "${key}" of the request`);
  if (!EXPECTATIONS.some(has)) wrong.push("it expects nothing");
  const named = [
    one.first?.split("#")[0],
    ...(one.order ?? []),
    ...(one.only ?? []),
    ...(one.absent ?? []),
  ];
  for (const page of named)
    if (page !== undefined && !pages.includes(page)) wrong.push(`there is no page ${page}`);
  if (has("order") && one.order.length < 2) wrong.push("an order is of two pages at least");
  if (one.none === false) wrong.push('"none" is true or not there');
  if (one.none && ["first", "order", "only", "snippet", "marked"].some(has))
    wrong.push("it expects pages and none");
  if (has("paged") && (one.request?.limit !== undefined || one.request?.offset !== undefined))
    wrong.push('"paged" sets limit and offset itself');
  return wrong;
}

/**
 * The requests for a case, in order: the query, or each of its beginnings; other spellings; the
 * query in steps of a few pages.
 */
export function requests(one, pages) {
  const request = { limit: LIMIT, ...one.request };
  const characters = [...one.query];
  const asked =
    one.typed === undefined
      ? [{ query: one.query, ...request }]
      : characters.slice(one.typed - 1).map((_, i) => ({
          query: characters.slice(0, one.typed + i).join(""),
          ...request,
          prefix: true,
        }));
  for (const query of one.same ?? []) asked.push({ query, ...request });
  for (let offset = 0; one.paged && offset <= pages.length; offset += one.paged)
    asked.push({ query: one.query, ...request, limit: one.paged, offset });
  return asked;
}

const ids = (response) => response.results.map((page) => page.id);

/**
 * The faults in the answers to `requests(one, pages)`, each a response or `{ error }`; empty if
 * there is none.
 */
export function failures(one, asked, answers) {
  const wrong = [];
  const say = (request, expected, response) =>
    wrong.push(
      `${JSON.stringify(request.query)}: expected ${expected}\n      found ${shown(response)}`,
    );
  answers.forEach((response, i) => {
    if (response.error) say(asked[i], "an answer", response);
  });
  if (wrong.length) return wrong;
  const n = one.typed === undefined ? 1 : [...one.query].length - one.typed + 1;
  for (let i = 0; i < n; i++)
    expect(one, answers[i], (expected) => say(asked[i], expected, answers[i]));
  const list = ids(answers[n - 1]);
  const others = answers.slice(n, n + (one.same?.length ?? 0));
  others.forEach((response, i) => {
    if (!equal(ids(response), list))
      say(
        asked[n + i],
        `the same pages as for ${JSON.stringify(one.query)}: ${shown(answers[n - 1])}`,
        response,
      );
  });
  if (one.paged) {
    const parts = answers.slice(n + others.length);
    const together = parts.flatMap(ids);
    if (!equal(together, list))
      wrong.push(
        `${JSON.stringify(one.query)}: expected each page once, in order, by ${one.paged}: ` +
          `${list.join(" ")}\n      found ${together.join(" ")}`,
      );
  }
  return wrong;
}

function expect(one, response, say) {
  const list = ids(response);
  const best = response.results[0];
  if (one.first !== undefined) {
    const [page, anchor] = one.first.split("#");
    if (list[0] !== page) say(`${page} first`);
    else if (anchor !== undefined && best.sections[0]?.anchor !== anchor)
      say(`section #${anchor} of ${page}, not #${best.sections[0]?.anchor}`);
  }
  if (one.order) {
    const places = one.order.map((page) => list.indexOf(page));
    if (places.includes(-1) || places.some((place, i) => i > 0 && place < places[i - 1]))
      say(`in this order: ${one.order.join(" ")}`);
  }
  if (one.only && !equal(list, one.only)) say(`only ${one.only.join(" ")}`);
  for (const page of one.absent ?? []) if (list.includes(page)) say(`no ${page}`);
  if (one.none && list.length) say("nothing");
  const snippet = best?.sections[0]?.snippet;
  if (one.snippet !== undefined && !snippet?.text.includes(one.snippet))
    say(`a snippet with ${JSON.stringify(one.snippet)}, not ${JSON.stringify(snippet?.text)}`);
  if (one.marked) {
    const marked = (snippet?.ranges ?? []).map(([start, end]) => snippet.text.slice(start, end));
    if (!equal(marked, one.marked))
      say(
        `marked ${JSON.stringify(one.marked)}, not ${JSON.stringify(marked)} ` +
          `in ${JSON.stringify(snippet?.text)}`,
      );
  }
  if (one.copies !== undefined && (best?.copies ?? 0) !== one.copies)
    say(`${one.copies} copies of the first page, not ${best?.copies ?? 0}`);
  if (one.facets) {
    const counted = Object.fromEntries(
      response.facets.map(({ name, values }) => [name, Object.fromEntries(values)]),
    );
    if (sorted(counted) !== sorted(one.facets))
      say(`counts ${sorted(one.facets)}, not ${sorted(counted)}`);
  }
  if (
    one.notice !== undefined &&
    !response.notices.some(({ message }) => message.includes(one.notice))
  ) {
    say(`a notice with ${JSON.stringify(one.notice)}, not ${JSON.stringify(response.notices)}`);
  }
  if (one.suggests) {
    const made = (response.suggestions ?? []).map(({ query }) => query);
    if (!equal(made, one.suggests))
      say(`suggestions ${JSON.stringify(one.suggests)}, not ${JSON.stringify(made)}`);
  }
  if (one.corrections) {
    const made = (response.corrections ?? []).map(({ word, replacement }) => ({
      word,
      replacement,
    }));
    if (JSON.stringify(made) !== JSON.stringify(one.corrections))
      say(`corrections ${JSON.stringify(one.corrections)}, not ${JSON.stringify(made)}`);
  }
}

const equal = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

/** Counts as JSON, in the order of their names. */
const sorted = (counts) =>
  JSON.stringify(counts, (_, value) =>
    value && typeof value === "object" ? Object.fromEntries(Object.entries(value).sort()) : value,
  );

/** Pages with their best sections and scores, for people. */
function shown(response) {
  if (response.error) return `an error: ${response.error}`;
  if (!response.results.length) return "nothing";
  return response.results
    .map(
      (page) =>
        page.id +
        (page.sections[0]?.anchor ? `#${page.sections[0].anchor}` : "") +
        ` (${page.score.toFixed(3)})`,
    )
    .join(", ");
}

/** A case that failed, for people. */
export function report(one, wrong) {
  return [
    `  ${JSON.stringify(one.query)}: ${one.why}${one.source ? ` [${one.source}]` : ""}`,
    ...wrong.map((line) => `    ${line}`),
  ].join("\n");
}
