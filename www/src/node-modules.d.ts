/** The functions of Node, Deno and Bun that the endpoint uses on a server. */

declare module "node:fs/promises" {
  export function readFile(path: string | URL): Promise<Uint8Array<ArrayBuffer>>;
}

declare module "node:path" {
  export const sep: string;
  export function join(...parts: string[]): string;
  export function normalize(path: string): string;
}
