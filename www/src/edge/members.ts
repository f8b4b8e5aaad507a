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
import type { Answerer, Place } from "./answerer";
import type { Metered } from "./budget";
import type { Member } from "./mounts";
import type { Env } from "./options";

/** A member, and where its bundle is. */
export interface Placed extends Member {
  place: Place;
}

/** An answer. */
export interface MadeAnswer {
  json: string;
  /** Whether no file, no encoder and no bundle was missing. */
  whole: boolean;
  /** The builds that answered. */
  revision: string;
}

/** The builds of bundles; `undefined` unless all are open. */
export function revisionsOf(answerer: Answerer, members: readonly Placed[]): string | undefined {
  const revisions = members.map(({ place }) => answerer.revisionOf(place));
  return revisions.includes(undefined) ? undefined : revisions.join("+");
}

/** Asks one bundle, or several as one. */
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
  const answers = await Promise.all(
    members.map(async (member) => {
      try {
        return { member, answer: await ask(member, all) };
      } catch (thrown) {
        return { member, error: FindlingError.from(thrown) };
      }
    }),
  );
  const parts: Part<PageHit>[] = [];
  const failures: BundleFailure[] = [];
  for (const { member, answer, error } of answers) {
    if (answer) parts.push(partOf(member, JSON.parse(answer.json) as Response));
    else if (error) failures.push(failureOf(member, error));
  }
  if (parts.length === 0) throw answers[0]!.error!;
  const joined = joinResponses(parts, failures, extent);
  return {
    json: JSON.stringify(joined),
    whole: answers.every(({ answer }) => answer?.whole),
    revision: answers.map(({ answer }) => answer?.revision ?? "").join("+"),
  };
}

function askOne(
  answerer: Answerer,
  { place, filter }: Placed,
  query: SearchRequest,
  env: Env,
  cost: Metered,
  isOneOfSeveral: boolean,
): Promise<MadeAnswer> {
  const both = bothFilters(filter, query.filter);
  return answerer.use(place, env, cost, async (opened) => {
    const request = { ...query, ...(both === undefined ? {} : { filter: both }) };
    if (isOneOfSeveral && query.facets)
      request.facets = facetsOf(query.facets, opened.description.attributes);
    const answer = await answerer.answer(request, opened, place, cost);
    return { ...answer, revision: opened.bundle.revision };
  });
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

/** Pages of several sites have absolute addresses. */
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
