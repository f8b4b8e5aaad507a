/** Answers of one bundle, or of several as one. */

import { bothFilters } from "../both-filters";
import type { PageHit, Response, Request as SearchRequest } from "../engine-types";
import { FindlingError } from "../errors";
import {
  type BundleFailure,
  extentOf,
  facetsOf,
  joinResponses,
  type Part,
} from "../join-responses";
import type { Answerer } from "./answerer";
import type { Metered } from "./budget";
import type { Opened } from "./library";
import type { Env } from "./options";
import { askTogether, type Placed, type Reply } from "./together";

export type { Placed } from "./together";

/** An answer. */
export interface MadeAnswer {
  json: string;
  /** Whether the answer is complete: no file, no encoder and no bundle was missing. */
  whole: boolean;
  /** The builds that answered. */
  revision: string;
}

/** The builds of bundles; `undefined` unless all are open. */
export function revisionsOf(answerer: Answerer, members: readonly Placed[]): string | undefined {
  const revisions = members.map(({ place }) => answerer.revisionOf(place));
  return revisions.includes(undefined) ? undefined : revisions.join("+");
}

/** Queries one bundle, or several as one. */
export async function askMembers(
  answerer: Answerer,
  members: readonly Placed[],
  query: SearchRequest,
  env: Env,
  cost: Metered,
): Promise<MadeAnswer> {
  const ask = (member: Placed, request: SearchRequest) =>
    askOne(answerer, member, request, env, cost, members.length > 1);
  const [first, ...others] = members;
  if (others.length === 0) return ask(first!, query);
  if (query.read !== undefined || query.similarTo !== undefined)
    return askWhoKnows(members, (member) => ask(member, query));
  const extent = extentOf(query);
  const { offset: _, ...all } = { ...query, limit: extent.offset + extent.limit };
  const requestOf = (member: Placed, opened: Opened) => asked(member, opened, all);
  const shared = await askTogether(answerer, members, all, requestOf, env, cost);
  const answers = shared ?? (await Promise.all(members.map((member) => reply(member, ask, all))));
  const parts: Part<PageHit>[] = [];
  const failures: BundleFailure[] = [];
  for (const { member, answer, error } of answers) {
    if (answer) parts.push(partOf(member, JSON.parse(answer.json) as Response));
    else if (error) failures.push(failureOf(member, error));
  }
  if (parts.length === 0) throw answers[0]!.error!;
  const joined = joinResponses(parts, failures, { ...extent, isShared: shared !== undefined });
  return {
    json: JSON.stringify(joined),
    whole: answers.every(({ answer }) => answer?.whole),
    revision: answers.map(({ answer }) => answer?.revision ?? "").join("+"),
  };
}

/** The answer of one bundle with its own statistics, or the reason why there is none. */
async function reply(
  member: Placed,
  ask: (member: Placed, request: SearchRequest) => Promise<MadeAnswer>,
  request: SearchRequest,
): Promise<Reply> {
  try {
    return { member, answer: await ask(member, request) };
  } catch (thrown) {
    return { member, error: FindlingError.from(thrown) };
  }
}

function askOne(
  answerer: Answerer,
  member: Placed,
  query: SearchRequest,
  env: Env,
  cost: Metered,
  isOneOfSeveral: boolean,
): Promise<MadeAnswer> {
  const { place } = member;
  return answerer.use(place, env, cost, async (opened) => {
    const request = asked(member, isOneOfSeveral ? opened : undefined, query);
    const answer = await answerer.answer(request, opened, place, cost);
    return { ...answer, revision: opened.bundle.revision };
  });
}

/**
 * Returns the request to one bundle. If there are several bundles, each counts the facets that it
 * has.
 */
function asked(
  { filter }: Placed,
  opened: Opened | undefined,
  query: SearchRequest,
): SearchRequest {
  const both = bothFilters(filter, query.filter);
  const request = { ...query, ...(both === undefined ? {} : { filter: both }) };
  if (opened && query.facets)
    request.facets = facetsOf(query.facets, opened.description.attributes);
  return request;
}

/** The answer of the first bundle that knows the page. */
async function askWhoKnows(
  members: readonly Placed[],
  ask: (member: Placed) => Promise<MadeAnswer>,
): Promise<MadeAnswer> {
  let unknown: unknown;
  for (const member of members) {
    try {
      return await ask(member);
    } catch (thrown) {
      unknown ??= thrown;
      if (FindlingError.from(thrown).code !== "no-such-page") throw thrown;
    }
  }
  throw unknown;
}

/** If there are several sites, pages have absolute addresses. */
function partOf({ name, weight, place }: Placed, response: Response): Part<PageHit> {
  const absolute = (url: string) => URL.parse(url.replace(/^\/+/, ""), place.site)?.href ?? url;
  const results = response.results.map((page) => ({
    ...page,
    url: absolute(page.url),
    sections: page.sections.map((section) => ({ ...section, url: absolute(section.url) })),
  }));
  return { bundle: name, weight, response: { ...response, results } };
}

function failureOf({ name }: Placed, { code, message, remedy }: FindlingError): BundleFailure {
  return { bundle: name, code, message, ...(remedy ? { remedy } : {}) };
}
