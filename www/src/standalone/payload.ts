/**
 * Payload of a standalone file: the engine and the bundle, as one text.
 * `crates/site/src/client/standalone.rs` writes it.
 */

import { uint32 } from "../bytes";
import { FindlingError } from "../errors";

/** The text, if a script contains it. A page has it in an element. */
declare const FINDLING_PAYLOAD: string | undefined;

/** The element of a page that has the text. */
const ELEMENT = "findling-payload";

/** ASCII characters that text in a page or a script cannot hold as they are. */
const REPLACED = [0, 10, 13, 26, 34, 60, 92, 127];

/** The first of the characters that encode two characters: a replaced one and the one after it. */
const PAIRS = 0x100;

/** Characters unpacked at once, so that a page stays responsive. */
const MAX_CHARACTERS = 4 << 20;

/** The files that a standalone file carries. */
export interface Payload {
  /** The engine's first part, with the languages of the site. */
  engine: ArrayBuffer;
  /** The engine's deferred part. */
  rest: ArrayBuffer;
  /** The bundle as a single file. */
  bundle: ArrayBuffer;
}

let unpacked: Promise<Payload> | undefined;

/** The files, unpacked by the first call. */
export function payload(): Promise<Payload> {
  unpacked ??= unpack();
  return unpacked;
}

async function unpack(): Promise<Payload> {
  const text =
    typeof FINDLING_PAYLOAD === "string"
      ? FINDLING_PAYLOAD
      : (document.getElementById(ELEMENT)?.textContent ?? "");
  try {
    const packed = await fromText(text);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return files(new Uint8Array(await new Response(stream).arrayBuffer()));
  } catch (thrown) {
    const found = `expected the search that was built into this file, found other bytes`;
    throw new FindlingError("bundle", `The file is damaged: ${found}.`, {
      remedy: "Copy the file again, or build it again.",
      cause: thrown,
    });
  }
}

/** The bytes of a text: its length, a semicolon, then seven bits a character. */
async function fromText(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const start = text.indexOf(";") + 1;
  const bytes = new Uint8Array(Number(text.slice(0, start - 1)));
  let [bits, length, to] = [0, 0, 0];
  const add = (seven: number) => {
    bits = ((bits << 7) | seven) & 0x7fff;
    length += 7;
    if (length < 8) return;
    length -= 8;
    bytes[to++] = bits >> length;
  };
  for (let at = start; at < text.length; at += MAX_CHARACTERS) {
    const end = Math.min(at + MAX_CHARACTERS, text.length);
    for (let i = at; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x80) add(code);
      else {
        add(REPLACED[(code - PAIRS) >> 7]!);
        add(code & 0x7f);
      }
    }
    if (end < text.length) await new Promise((resolve) => setTimeout(resolve));
  }
  return bytes;
}

/** The files: the length of each name, the name, the length of the contents, the contents. */
function files(all: Uint8Array): Payload {
  const found = new Map<string, ArrayBuffer>();
  const take = (at: number, length: number) => all.slice(at, at + length);
  for (let at = 0; at < all.length; ) {
    const nameLength = uint32(all, at);
    const name = new TextDecoder().decode(take(at + 4, nameLength));
    const length = uint32(all, at + 4 + nameLength);
    const start = at + 8 + nameLength;
    found.set(name, take(start, length).buffer as ArrayBuffer);
    at = start + length;
  }
  const file = (name: string) => {
    const bytes = found.get(name);
    if (!bytes) throw new Error(`there is no ${name}`);
    return bytes;
  };
  return { engine: file("engine"), rest: file("rest"), bundle: file("bundle") };
}
