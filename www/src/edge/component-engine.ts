/**
 * The engine as another component, with the functions of its module for JavaScript. The build of
 * the endpoint's component puts it in place of that module.
 */

import * as component from "findling:engine/search@0.1.0";

/** The engine is linked to this component: there is nothing to load. */
export function initSync(): void {}

export const manifestOf = (entry: Uint8Array) => unwrapped(() => component.manifestOf(entry));

export const singleFileHead = (head: Uint8Array) => unwrapped(() => component.singleFileHead(head));

export class Engine {
  readonly bundle: component.Bundle;

  private constructor(bundle: component.Bundle) {
    this.bundle = bundle;
  }

  static open(entry: Uint8Array, manifest: Uint8Array, streamed: boolean): Engine {
    return new Engine(unwrapped(() => component.Bundle.open(entry, manifest, streamed)));
  }

  free(): void {
    this.bundle[Symbol.dispose]();
  }

  describe(): string {
    return this.bundle.describe();
  }

  search(request: string): Search {
    return new Search(unwrapped(() => this.bundle.search(request)));
  }

  provide(shard: number, stored: Uint8Array): void {
    unwrapped(() => this.bundle.provide(BigInt(shard), stored));
  }

  residentBytes(): number {
    return Number(this.bundle.residentBytes());
  }

  shrink(limit: number): void {
    this.bundle.shrink(BigInt(Math.max(0, Math.floor(limit))));
  }

  shardPaths(): string | undefined {
    return this.bundle.shardPaths();
  }
}

export class Search {
  readonly query: component.Query;

  constructor(query: component.Query) {
    this.query = query;
  }

  free(): void {
    this.query[Symbol.dispose]();
  }

  step({ bundle }: Engine): string {
    return unwrapped(() => this.query.step(bundle));
  }
}

/**
 * Returns the result of a call. Throws a failure of the engine like the module for JavaScript.
 */
function unwrapped<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    const { payload } = thrown as { payload?: { code?: string; message?: string } };
    if (payload?.code === undefined) throw thrown;
    throw Object.assign(new Error(payload.message, { cause: thrown }), { code: payload.code });
  }
}
