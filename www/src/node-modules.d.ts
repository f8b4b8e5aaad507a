/** The functions of Node, Deno and Bun that the endpoint and the client use on a server. */

declare module "node:fs/promises" {
  interface File {
    read(
      buffer: Uint8Array<ArrayBuffer>,
      offset: number,
      length: number,
      position: number,
    ): Promise<{ bytesRead: number; buffer: Uint8Array<ArrayBuffer> }>;
    close(): Promise<void>;
  }
  export function readFile(path: string | URL): Promise<Uint8Array<ArrayBuffer>>;
  export function open(path: string | URL): Promise<File>;
}

declare module "node:path" {
  export const sep: string;
  export function join(...parts: string[]): string;
  export function normalize(path: string): string;
  export function resolve(...parts: string[]): string;
}

declare module "node:url" {
  export function fileURLToPath(url: string | URL): string;
  export function pathToFileURL(path: string): URL;
}
