/**
 * Several bundles searched as one: each uses the statistics of all, so that their scores can be
 * compared (`share-statistics.ts`).
 */

import { withNotice } from "../bundle";
import { correctionsIn } from "../corrected-query";
import type { Correction, Notice, Response, Request as SearchRequest } from "../engine-types";
import { FindlingError } from "../errors";
import {
  fusesScores,
  type Shared,
  type SharedRequest,
  STRICT,
  shareStatistics,
  type Told,
} from "../share-statistics";
import { type Answerer, NEVER, type Place } from "./answerer";
import type { Metered } from "./budget";
import type { Opened } from "./library";
import type { Member } from "./mounts";
import type { Env } from "./options";

/** A member, and the place of its bundle. */
export interface Placed extends Member {
  place: Place;
}

/** A bundle that is searched with others. */
export interface Asked {
  member: Placed;
  opened: Opened;
  request: SearchRequest;
}

/** The answer of one of several bundles, or the reason why there is none. */
export interface Reply {
  member: Placed;
  answer?: { json: string; whole: boolean; revision: string };
  error?: FindlingError;
}

/**
 * Searches bundles as one. Bundles that fail are left out, and have an error as their reply.
 * Returns `undefined` if the caller has to search them one by one: the query has no words to count,
 * or the request's budget is too small.
 */
export async function askTogether(
  answerer: Answerer,
  members: readonly Placed[],
  query: SearchRequest,
  requestOf: (member: Placed, opened: Opened) => SearchRequest,
  env: Env,
  cost: Metered,
): Promise<Reply[] | undefined> {
  // The rank of a page is explained within its bundle.
  if (query.query.trim() === "" || query.why) return undefined;
  try {
    return await askAsOne(answerer, members, requestOf, env, cost);
  } catch (thrown) {
    if (!cost.budget.exhausted) throw thrown;
    return undefined;
  }
}

async function askAsOne(
  answerer: Answerer,
  members: readonly Placed[],
  requestOf: (member: Placed, opened: Opened) => SearchRequest,
  env: Env,
  cost: Metered,
): Promise<Reply[]> {
  return withAll(answerer, members, env, cost, async (opened, replies) => {
    const asked = opened.map(({ member, opened }) => {
      const request = requestOf(member, opened);
      const { dense } = opened.description;
      // Without vectors every search is by words.
      if (!dense && (request.mode ?? "hybrid") === "hybrid") request.mode = "lexical";
      return { member, opened, request };
    });
    const bundles = new AskedBundles(answerer, asked, replies, cost);
    await bundles.answer(false);
    const isStrict = asked.some(({ request }) => STRICT.test(request.query));
    if (isStrict && bundles.leavesNothing) await bundles.answer(true);
    return members.map((member) => replies.get(member) ?? { member });
  });
}

/** Keeps bundles open while work is done with all of them. */
async function withAll<T>(
  answerer: Answerer,
  members: readonly Placed[],
  env: Env,
  cost: Metered,
  work: (opened: { member: Placed; opened: Opened }[], replies: Map<Placed, Reply>) => Promise<T>,
): Promise<T> {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const replies = new Map<Placed, Reply>();
  const opening = members.map((member) =>
    new Promise<{ member: Placed; opened: Opened }>((resolve, reject) => {
      answerer
        .use(member.place, env, cost, (opened) => {
          resolve({ member, opened });
          return done;
        })
        .catch(reject);
    }).catch((thrown: unknown) => {
      replies.set(member, { member, error: FindlingError.from(thrown) });
      return undefined;
    }),
  );
  try {
    const opened = (await Promise.all(opening)).filter((one) => one !== undefined);
    return await work(opened, replies);
  } finally {
    end();
  }
}

/** The bundles of one request. */
class AskedBundles {
  readonly #answerer: Answerer;
  readonly #asked: readonly Asked[];
  readonly #replies: Map<Placed, Reply>;
  readonly #cost: Metered;
  readonly #notices = new Map<Placed, Notice>();

  constructor(
    answerer: Answerer,
    asked: readonly Asked[],
    replies: Map<Placed, Reply>,
    cost: Metered,
  ) {
    this.#answerer = answerer;
    this.#asked = asked;
    this.#replies = replies;
    this.#cost = cost;
  }

  /** Whether no bundle has found anything. */
  get leavesNothing(): boolean {
    return this.#asked.every(({ member }) => {
      const { answer } = this.#replies.get(member) ?? {};
      return !answer || (JSON.parse(answer.json) as Response).total.pages === 0;
    });
  }

  /**
   * Searches all bundles. `relaxes`: whether the query is read without its phrases and exclusions.
   */
  async answer(relaxes: boolean): Promise<void> {
    if (!relaxes) await this.#each((asked) => this.#embed(asked, []));
    const isFused = this.#asked.some(({ request: { mode, fusion } }) => fusesScores(mode, fusion));
    const tell = (asked: Asked, shared: Shared) => this.#tell(asked, shared);
    const shared = await shareStatistics(this.#able, tell, { isFused, relaxes });
    await this.#each(async ({ member, opened, request }) => {
      const query: SharedRequest = { ...request, shared };
      const { json, whole } = await this.#answerer.search(query, opened, this.#cost);
      const notice = this.#notices.get(member);
      const { revision } = opened.bundle;
      this.#replies.set(member, {
        member,
        answer: {
          json: notice ? withNotice(json, notice) : json,
          whole: whole && !notice,
          revision,
        },
      });
    });
  }

  async #embed(
    { member, opened, request }: Asked,
    corrections: readonly Correction[],
  ): Promise<void> {
    const { name } = member.place;
    const notice = await this.#answerer.embed(request, opened, name, corrections);
    if (notice) this.#notices.set(member, notice);
    else this.#notices.delete(member);
  }

  /**
   * Asks a bundle for its statistics. If it corrects words, the vector belonged to the query as
   * typed.
   */
  async #tell(asked: Asked, shared: Shared): Promise<Told | undefined> {
    let told: Told | undefined;
    await this.#attempt(asked, async ({ opened, request }) => {
      const ask = () => this.#run(opened, { ...request, shared } as SharedRequest);
      let json = await ask();
      const corrections = request.vector ? correctionsIn(json) : [];
      if (corrections.length > 0) {
        await this.#embed(asked, corrections);
        json = await ask();
      }
      told = (JSON.parse(json) as { told: Told }).told;
    });
    return told;
  }

  /** Asks a bundle. If its files are gone, the current build answers. */
  async #run({ bundle }: Opened, request: SearchRequest): Promise<string> {
    const take = () => bundle.run(request, this.#cost, NEVER);
    try {
      return await take();
    } catch (thrown) {
      const { code } = FindlingError.from(thrown);
      const isStale = code === "shard-missing" || code === "shard-corrupt";
      if (!isStale || !(await bundle.refresh(this.#cost))) throw thrown;
      return take();
    }
  }

  /** The bundles that have not failed. */
  get #able(): Asked[] {
    return this.#asked.filter(({ member }) => this.#replies.get(member)?.error === undefined);
  }

  /** Queries every bundle that has not failed. */
  async #each(ask: (asked: Asked) => Promise<void>): Promise<void> {
    await Promise.all(this.#able.map((asked) => this.#attempt(asked, ask)));
  }

  async #attempt(asked: Asked, ask: (asked: Asked) => Promise<void>): Promise<void> {
    try {
      await ask(asked);
    } catch (thrown) {
      if (this.#cost.budget.exhausted) throw thrown;
      const { member } = asked;
      this.#replies.set(member, { member, error: FindlingError.from(thrown) });
    }
  }
}
