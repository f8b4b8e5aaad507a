/**
 * Several bundles searched as one: all bundles use the statistics of all, so that their scores can
 * be compared. Each bundle returns its statistics for the query. The statistics of all are part of
 * every later request, and each engine adds them up (`crates/engine/src/api/request/shared.rs`).
 */

import type { Fusion, Request } from "./engine-types";

/** Statistics of a bundle for a query: counts, and words of the query. Only engines read them. */
export interface Told {
  misspellings?: readonly unknown[];
}

/** The field `shared` of a request. */
export interface Shared {
  /** The part that is requested instead of the results. */
  part?: "terms" | "counts" | "misspellings" | "bests";
  /** Whether a query that finds nothing is searched again without its phrases and exclusions. */
  relaxes: boolean;
  /** The statistics of all bundles. */
  told: readonly Told[];
}

/** A request with the statistics of several bundles. */
export type SharedRequest = Request & { shared?: Shared };

/** Requests a part from one bundle; `undefined` if it has failed. */
export type AskPart<M> = (member: M, shared: Shared) => Promise<Told | undefined>;

/** Matches a query that may have phrases or exclusions. These may exclude every page. */
export const STRICT = /["“”„«「-]/;

/**
 * Collects the statistics of all members for a query. Each member then searches with them. A member
 * that fails is left out from then on.
 */
export async function shareStatistics<M>(
  members: readonly M[],
  ask: AskPart<M>,
  { isFused, relaxes }: { isFused: boolean; relaxes: boolean },
): Promise<Shared> {
  const told = new Map<M, Told[]>(members.map((member) => [member, []]));
  const all = () => [...told.values()].flat();
  const askAll = async (part: Shared["part"] & string) => {
    const shared = { part, relaxes, told: all() };
    await Promise.all(
      [...told].map(async ([member, parts]) => {
        const one = await ask(member, shared);
        if (one) parts.push(one);
        else told.delete(member);
      }),
    );
  };
  const count = async () => {
    await askAll("terms");
    await askAll("counts");
  };
  await count();
  await askAll("misspellings");
  if (all().some(({ misspellings }) => misspellings?.length)) await count();
  if (isFused) await askAll("bests");
  return { relaxes, told: all() };
}

/** Whether both legs are fused by their scores. */
export function fusesScores(mode = "hybrid", fusion?: Fusion | Fusion["method"]): boolean {
  const method = typeof fusion === "object" ? fusion.method : fusion;
  return mode === "hybrid" && (method ?? "convex") === "convex";
}
