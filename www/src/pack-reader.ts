/**
 * Fetches shards from packs, by ranges of bytes. Shards that are requested together and lie close
 * together share one request, and so do adjacent shards for the next search. Received ranges are
 * kept for a while, because they often contain the next shards. A server that ignores ranges sends
 * whole packs; these are kept, too. If a shard was damaged, it is fetched again with the whole
 * pack.
 */

import { FindlingError } from "./errors";
import { type FetchOptions, type HttpStore, shared, type Traffic } from "./http-store";
import { type Pack, type Slot, takeSlot, UNIT } from "./pack-directory";

/** Units between two shards that are fetched together. A separate request costs more. */
const GAP = 128;
/** Maximum number of units that are fetched together: 1 MiB. */
const MAX_RANGE = 16384;
/** Number of whole packs sent in place of a range after which no more ranges are requested. */
const MAX_FAILED_RANGES = 1;
/**
 * Length of a pack, in units, from which the site's owner is told that the server sent the whole
 * pack: 2 MiB.
 */
const LONG = 32768;
/** Maximum number of bytes of ranges that are kept. */
const MAX_RANGES = 2 << 20;
/** Maximum number of bytes of whole packs that are kept. */
const MAX_WHOLE = 16 << 20;

/** A requested shard. */
interface Wanted {
  path: string;
  slot: Slot;
  traffic: Traffic;
  options: FetchOptions;
  /** Whether it is put into the cache when it has arrived. */
  keeps: boolean;
  /**
   * Whether it is a prefetch: it is fetched only if it is adjacent to another shard, and nobody
   * waits for it.
   */
  along: boolean;
  /** The range that the request waits for. */
  range: Range | undefined;
  resolve(stored: Uint8Array): void;
  reject(error: unknown): void;
}

/** A range of a pack, requested or received. */
interface Range extends Slot {
  whole: boolean;
  /** Whether it is fetched past all caches. */
  fresh: boolean;
  /** `undefined` while it is under way. */
  bytes: Uint8Array | undefined;
  waiting: Set<Wanted>;
  controller: AbortController;
}

const holds = (range: Slot, { pack, start, units }: Slot) =>
  range.pack === pack && range.start <= start && start + units <= range.start + range.units;

export class PackReader {
  readonly #store: HttpStore;
  readonly #packs: readonly Pack[];
  #wanted: Wanted[] = [];
  /** The oldest first. */
  #ranges: Range[] = [];
  /** Whether the server has sent a whole pack in place of a range. */
  #ignoresRanges = false;
  /** Ranges that failed although the whole pack could be fetched. */
  #failedRanges = 0;

  constructor(store: HttpStore, packs: readonly Pack[]) {
    this.#store = store;
    this.#packs = packs;
  }

  /**
   * The shard in a slot. `path` is its name in the cache, into which it is put unless `keeps` is
   * false.
   */
  read(
    path: string,
    slot: Slot,
    traffic: Traffic,
    options: FetchOptions,
    keeps = true,
  ): Promise<Uint8Array> {
    const { signal } = options;
    let leave = () => {};
    const stored = new Promise<Uint8Array>((resolve, reject) => {
      const own = { path, slot, traffic, options, keeps, along: false };
      const shard = { ...own, range: undefined, resolve, reject };
      leave = () => this.#leave(shard);
      this.#want(shard);
    });
    signal?.addEventListener("abort", leave, { once: true });
    return stored.finally(() => signal?.removeEventListener("abort", leave));
  }

  /**
   * Prefetches a shard that will be needed soon, if an adjacent shard is fetched now.
   */
  along(path: string, slot: Slot, traffic: Traffic): void {
    const none = () => {};
    const own = { path, slot, traffic, options: {}, keeps: false, along: true };
    this.#want({ ...own, range: undefined, resolve: none, reject: none });
  }

  #want(shard: Wanted): void {
    // All shards of a round are requested before the first microtask runs.
    if (this.#wanted.length === 0) queueMicrotask(() => void this.#fetchWanted());
    this.#wanted.push(shard);
  }

  async #fetchWanted(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = [];
    // A cache that fails counts as empty.
    const cached = await Promise.all(
      wanted.map(({ path, traffic, options }) =>
        options.fresh
          ? undefined
          : this.#store.cached(path, traffic).catch((): undefined => undefined),
      ),
    );
    const missing = wanted.filter((shard, i) => {
      const stored = cached[i];
      if (stored) shard.resolve(stored);
      else if (shard.options.signal?.aborted) shard.reject(FindlingError.aborted());
      else return !this.#join(shard);
      return false;
    });
    missing.sort((a, b) => a.slot.pack - b.slot.pack || a.slot.start - b.slot.start);
    let group: Wanted[] = [];
    const fetch = () => {
      if (group.some(({ along }) => !along)) this.#fetch(group);
      group = [];
    };
    for (const shard of missing) {
      if (group.length > 0 && !this.#isNear(group, shard)) fetch();
      group.push(shard);
    }
    fetch();
  }

  #isNear(group: Wanted[], { slot, options }: Wanted): boolean {
    const first = group[0]!;
    const last = group.at(-1)!.slot;
    if (first.slot.pack !== slot.pack || !first.options.fresh !== !options.fresh) return false;
    if (this.#ignoresRanges || first.options.fresh) return true;
    const near = slot.start - (last.start + last.units) <= GAP;
    return near && slot.start + slot.units - first.slot.start <= MAX_RANGE;
  }

  /**
   * Waits for a range that holds the shard, if there is one. A damaged shard only waits for ranges
   * that are fetched past all caches, not for earlier ones.
   */
  #join(shard: Wanted): boolean {
    const { slot, options } = shard;
    const range = this.#ranges.find(
      (range) => holds(range, slot) && (!options.fresh || (range.fresh && !range.bytes)),
    );
    if (range) this.#wait(range, shard);
    return range !== undefined;
  }

  #wait(range: Range, shard: Wanted): void {
    if (shard.along) return;
    if (range.bytes) {
      this.#deliver(range, shard);
      return;
    }
    shard.range = range;
    range.waiting.add(shard);
  }

  /** The caller no longer needs the shard. */
  #leave(shard: Wanted): void {
    shard.reject(FindlingError.aborted());
    const { range } = shard;
    range?.waiting.delete(shard);
    if (range?.waiting.size === 0) this.#abandon(range);
  }

  /** Stops a request that nobody waits for. */
  #abandon(range: Range): void {
    if (range.bytes) return;
    this.#ranges = this.#ranges.filter((other) => other !== range);
    range.controller.abort();
  }

  #fetch(group: Wanted[]): void {
    const { slot, options } = group[0]!;
    // A prefetch belongs to no search.
    const { traffic } = group.find(({ along }) => !along)!;
    const end = Math.max(...group.map(({ slot }) => slot.start + slot.units));
    const range: Range = {
      ...slot,
      units: end - slot.start,
      whole: false,
      fresh: options.fresh ?? false,
      bytes: undefined,
      waiting: new Set(),
      controller: new AbortController(),
    };
    // A damaged range may mean that the server, or a cache, does not handle ranges correctly.
    if (this.#ignoresRanges || options.fresh) this.#widen(range);
    this.#ranges.push(range);
    for (const shard of group) this.#wait(range, shard);
    void shared(this.#load(range, traffic), traffic);
  }

  /** Extends a range to the whole pack. */
  #widen(range: Range): void {
    range.whole = true;
    range.start = 0;
    range.units = this.#packs[range.pack]!.units;
  }

  async #load(range: Range, traffic: Traffic): Promise<void> {
    const file = this.#packs[range.pack]!.path;
    const { fresh, controller } = range;
    const { signal } = controller;
    try {
      range.bytes = range.whole
        ? await this.#store.pack(file, traffic, { signal, fresh })
        : await this.#part(file, range, traffic);
      if (range.whole) this.#replaceBy(range);
      for (const shard of range.waiting) this.#deliver(range, shard);
      this.#forgetOld();
    } catch (thrown) {
      this.#ranges = this.#ranges.filter((other) => other !== range);
      for (const { reject } of range.waiting) reject(thrown);
    }
    range.waiting.clear();
  }

  /** Forgets the parts of a pack that arrived before the whole: they may be damaged. */
  #replaceBy(whole: Range): void {
    const isOlder = (other: Range) => other !== whole && other.pack === whole.pack && other.bytes;
    this.#ranges = this.#ranges.filter((other) => !isOlder(other));
  }

  /** A part of a pack; the whole pack if the browser or this client cannot read the part. */
  async #part(file: string, range: Range, traffic: Traffic): Promise<Uint8Array> {
    const { signal } = range.controller;
    const start = range.start * UNIT;
    const part = { file, start, end: start + range.units * UNIT };
    const onWhole = () => this.#isWhole(range);
    try {
      return await this.#store.packed(part, traffic, { signal, onWhole });
    } catch (thrown) {
      const { code, cause } = FindlingError.from(thrown);
      // A part of a compressed file fails as if the server could not be reached.
      const isUnreadable = code === "bundle" || (code === "network" && cause !== undefined);
      if (!isUnreadable || range.whole) throw thrown;
      const whole = await this.#store.pack(file, traffic, { signal });
      // A broken connection says nothing about the server; a wrong range does.
      if (code === "bundle" || ++this.#failedRanges > MAX_FAILED_RANGES) this.#isWhole(range);
      else this.#widen(range);
      return whole;
    }
  }

  /** The server sends a whole pack. All who wait for another range of it now wait for this one. */
  #isWhole(range: Range): void {
    const { path, units } = this.#packs[range.pack]!;
    if (!this.#ignoresRanges && units > LONG)
      console.warn(`${path} came whole in place of a range: build with --host auto.`);
    this.#ignoresRanges = true;
    this.#widen(range);
    for (const other of this.#ranges) {
      if (other === range || other.pack !== range.pack || other.bytes || other.fresh) continue;
      for (const shard of other.waiting) this.#wait(range, shard);
      other.waiting.clear();
      this.#abandon(other);
    }
  }

  #deliver(range: Range, { path, slot, keeps, resolve, reject }: Wanted): void {
    const start = (slot.start - range.start) * UNIT;
    const bytes = range.bytes!.subarray(start, start + slot.units * UNIT);
    try {
      if (bytes.length < slot.units * UNIT) {
        const { path } = this.#packs[slot.pack]!;
        const found = `found ${range.start * UNIT + range.bytes!.length}`;
        const expected = `expected ${(slot.start + slot.units) * UNIT} bytes or more`;
        throw new FindlingError("bundle", `${path} is too short: ${expected}, ${found}.`);
      }
      const stored = takeSlot(bytes);
      if (keeps) this.#store.keep(path, stored);
      resolve(stored);
    } catch (thrown) {
      this.#ranges = this.#ranges.filter((other) => other !== range);
      reject(thrown);
    }
  }

  #forgetOld(): void {
    for (const whole of [false, true]) {
      let left = whole ? MAX_WHOLE : MAX_RANGES;
      const kept = new Set<Range>();
      for (const range of this.#ranges.toReversed()) {
        left -= range.bytes && range.whole === whole ? range.bytes.length : 0;
        if (!range.bytes || range.whole !== whole || left >= 0) kept.add(range);
      }
      this.#ranges = this.#ranges.filter((range) => kept.has(range));
    }
  }
}
