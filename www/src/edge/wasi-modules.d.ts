/** The interfaces of hosts and of the engine that the component imports: see `../../wit`. */

declare module "findling:engine/search@0.1.0" {
  /** A resource of the engine. Its memory is freed by `Symbol.dispose`. */
  interface Resource {
    [Symbol.dispose](): void;
  }

  export class Bundle implements Resource {
    private constructor();
    static open(entry: Uint8Array, manifest: Uint8Array, streamed: boolean): Bundle;
    describe(): string;
    search(request: string): Query;
    provide(shard: bigint, stored: Uint8Array): void;
    residentBytes(): bigint;
    shrink(limit: bigint): void;
    shardPaths(): string | undefined;
    [Symbol.dispose](): void;
  }

  export class Query implements Resource {
    private constructor();
    step(of: Bundle): string;
    [Symbol.dispose](): void;
  }

  export function manifestOf(entry: Uint8Array): string;
  export function singleFileHead(head: Uint8Array): Uint32Array;
}

declare module "wasi:cli/environment@0.2.10" {
  export function getEnvironment(): [string, string][];
}

declare module "wasi:filesystem/types@0.2.10" {
  export interface Descriptor {
    openAt(
      pathFlags: { symlinkFollow?: boolean },
      path: string,
      openFlags: Record<string, boolean>,
      flags: { read?: boolean },
    ): Descriptor;
    stat(): { type: string; size: bigint };
    read(length: bigint, offset: bigint): [Uint8Array, boolean];
    [Symbol.dispose](): void;
  }
}

declare module "wasi:filesystem/preopens@0.2.10" {
  import type { Descriptor } from "wasi:filesystem/types@0.2.10";

  export function getDirectories(): [Descriptor, string][];
}

/** The symbol of the method that frees a resource. */
interface SymbolConstructor {
  readonly dispose: unique symbol;
}
