/**
 * Limits on the fetches of one request to the endpoint. Cloudflare's free plan allows 50
 * subrequests for a request, and six connections at a time, whichever binding they go to.
 */

import { type Cost, newCost } from "../bundle";
import { FindlingError } from "../errors";
import type { Traffic } from "../http-store";

/** Limits of what a request may fetch. */
export interface BudgetOptions {
  /** Maximum number of subrequests of a request. */
  subrequests: number;
  /**
   * Number of them that are reserved for an answer by words, if there are not enough for meaning.
   */
  reserve: number;
  /** Maximum number of subrequests at a time. */
  atOnce: number;
}

/** A budget that the free plan allows. */
export const DEFAULT_BUDGET: BudgetOptions = { subrequests: 50, reserve: 10, atOnce: 6 };

/** Thrown when a request has used all of its subrequests. */
export class SubrequestsSpent extends FindlingError {
  constructor(subrequests: number) {
    super("network", `the request has made its ${subrequests} subrequests`);
  }
}

/** Whether an error is, or is caused by, an exhausted budget. */
export function isSpent(error: unknown): boolean {
  if (error instanceof SubrequestsSpent) return true;
  return error instanceof Error && error.cause !== undefined && isSpent(error.cause);
}

/** Counts and spaces out the subrequests of one request. */
export class Budget {
  readonly #options: BudgetOptions;
  #reserve: number;
  #used = 0;
  #active = 0;
  #most = 0;
  #exhausted = false;
  readonly #waiting: (() => void)[] = [];

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#reserve = Math.min(options.reserve, options.subrequests);
  }

  /** Subrequests so far. */
  get used(): number {
    return this.#used;
  }

  /** Largest number of subrequests that were under way at a time. */
  get most(): number {
    return this.#most;
  }

  /** Whether a subrequest was refused. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  /** Subrequests left, without the reserve. */
  get left(): number {
    return Math.max(0, this.#options.subrequests - this.#reserve - this.#used);
  }

  /** Makes the reserve available. */
  release(): void {
    this.#reserve = 0;
  }

  /** Does `work`, which is one subrequest, when fewer than the maximum are under way. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.left === 0) {
      this.#exhausted = true;
      throw new SubrequestsSpent(this.#options.subrequests);
    }
    this.#used++;
    if (this.#active >= this.#options.atOnce)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#active++;
    this.#most = Math.max(this.#most, this.#active);
    try {
      return await work();
    } finally {
      // The next subrequest takes the place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#active--;
    }
  }
}

/** The cost of one request, with its budget. */
export interface Metered extends Cost {
  readonly budget: Budget;
  /** Number of files that it has looked for in the cache in vain. */
  cacheMisses: number;
  later(work: Promise<unknown>): void;
}

/** A cost of nothing so far. */
export const metered = (budget: Budget, later: Metered["later"]): Metered => ({
  ...newCost(),
  budget,
  cacheMisses: 0,
  later,
});

/** The request that a subrequest belongs to; `undefined` if it has no budget. */
export const meteredBy = (traffic: Traffic | undefined): Metered | undefined =>
  traffic && "budget" in traffic ? (traffic as Metered) : undefined;
