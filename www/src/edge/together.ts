/**
 * Several bundles searched as one: all score by the statistics of all, so that their scores can be
 * compared. All are open in one module of the engine, which adds the statistics up: see
 * `crates/wasm/src/together.rs`.
 */

import * as engine from "../../wasm/edge/findling_engine";
import { withNotice } from "../bundle";
import type { Correction, Response, Request as SearchRequest } from "../engine-types";
import { FindlingError } from "../errors";
import { type Answerer, NEVER, type Place } from "./answerer";
import type { Metered } from "./budget";
import type { Opened } from "./library";
import type { Member } from "./mounts";
import type { Env } from "./options";

/** A member, and where its bundle is. */
export interface Placed extends Member {
  place: Place;
}

/** A bundle that is searched with others. */
export interface Asked {
  member: Placed;
  opened: Opened;
  request: SearchRequest;
}

/** The answer of one of several bundles, or why there is none. */
export interface Reply {
  member: Placed;
  answer?: { json: string; whole: boolean; revision: string };
  error?: FindlingError;
}

/** A part of a search, over one bundle: shards that are missing, or nothing. */
type PartOf = (engine: E, search: S) => string;
/** Engines and searches of the endpoint's own module. */
type E = engine.Engine;
type S = engine.Search;

/**
 * Asks bundles. Those that fail are left out, and have an error as their reply. `undefined` if they
 * are to be asked one by one: the query has no words to count, or the request may not fetch enough.
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
  if (!("Together" in engine) || query.query.trim() === "" || query.why) return undefined;
  try {
    return await askParty(answerer, members, requestOf, env, cost);
  } catch (thrown) {
    if (!cost.budget.exhausted) throw thrown;
    return undefined;
  }
}

async function askParty(
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
    const party = new Party(answerer, asked, replies, cost);
    try {
      await party.answer(false);
      const strict = asked.some(({ request }) => /["-]/.test(request.query));
      if (strict && party.leavesNothing) await party.answer(true);
    } finally {
      party.end();
    }
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
class Party {
  readonly #answerer: Answerer;
  readonly #asked: readonly Asked[];
  readonly #replies: Map<Placed, Reply>;
  readonly #cost: Metered;
  readonly #together = new engine.Together();

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

  /** Lets the statistics go, and searches of this cost be by those of one bundle again. */
  end(): void {
    this.#cost.step = undefined;
    this.#together.free();
  }

  /** Whether no bundle has found anything. */
  get leavesNothing(): boolean {
    return this.#asked.every(({ member }) => {
      const { answer } = this.#replies.get(member) ?? {};
      return !answer || (JSON.parse(answer.json) as Response).total.pages === 0;
    });
  }

  /** Searches all. `relaxes`: whether the query is read without its phrases and exclusions. */
  async answer(relaxes: boolean): Promise<void> {
    const together = this.#together;
    const notices = new Map<Placed, Awaited<ReturnType<Answerer["embed"]>>>();
    const embed = (corrections: readonly Correction[]) =>
      this.#each(async ({ member, opened, request }) => {
        notices.set(
          member,
          await this.#answerer.embed(request, opened, member.place.name, corrections),
        );
      });
    if (!relaxes) await this.#add();
    together.begin(relaxes);
    await embed([]);
    await this.#count();
    await this.#part((one, search) => together.misspellings(one, search));
    const corrections = JSON.parse(together.correct()) as Correction[];
    if (corrections.length > 0) {
      // The vectors were of the query as typed.
      await embed(corrections);
      await this.#count();
    }
    if (this.#asked.some(({ request }) => isFused(request))) {
      await this.#part((one, search) => together.bests(one, search));
      together.compare();
    }
    this.#cost.step = (one, search) => together.step(one as E, search as S);
    await this.#each(async ({ member, opened, request }) => {
      const { json, whole } = await this.#answerer.search(request, opened, this.#cost);
      const notice = notices.get(member);
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

  /** Adds the statistics of the bundles, in their order. */
  async #add(): Promise<void> {
    this.#cost.step = (one) => {
      this.#together.add(one as E);
      return "";
    };
    for (const { opened } of this.#asked) await this.#run(opened, undefined);
  }

  /** Adds up the frequencies of the terms that the query looks up. */
  async #count(): Promise<void> {
    const together = this.#together;
    await this.#part((one, search) => together.terms(one, search));
    together.list();
    this.#cost.step = (one) => together.count(one as E);
    await this.#each(({ opened }) => this.#run(opened, undefined));
    together.arrange();
  }

  #part(part: PartOf): Promise<void> {
    this.#cost.step = (one, search) => part(one as E, search as S);
    return this.#each(({ opened, request }) => this.#run(opened, request));
  }

  /** Runs a part over one bundle. If its files are gone, the build that is there now answers. */
  async #run({ bundle }: Opened, request: SearchRequest | undefined): Promise<void> {
    const take = () => bundle.run(request, this.#cost, NEVER);
    try {
      await take();
    } catch (thrown) {
      const { code } = FindlingError.from(thrown);
      const isStale = code === "shard-missing" || code === "shard-corrupt";
      if (!isStale || !(await bundle.refresh(this.#cost))) throw thrown;
      await take();
    }
  }

  /** Asks every bundle that has not failed. */
  async #each(ask: (asked: Asked) => Promise<unknown>): Promise<void> {
    const failed = ({ member }: Asked) => this.#replies.get(member)?.error !== undefined;
    await Promise.all(
      this.#asked
        .filter((asked) => !failed(asked))
        .map(async (asked) => {
          try {
            await ask(asked);
          } catch (thrown) {
            if (this.#cost.budget.exhausted) throw thrown;
            const { member } = asked;
            this.#replies.set(member, { member, error: FindlingError.from(thrown) });
          }
        }),
    );
  }
}

/** Whether both legs are fused by their scores. */
function isFused({ mode = "hybrid", fusion }: SearchRequest): boolean {
  return mode === "hybrid" && (fusion?.method ?? "convex") === "convex";
}
