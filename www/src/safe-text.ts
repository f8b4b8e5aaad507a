/**
 * Text of a site for programs that show it to people or to language models. Controls, overrides of
 * the direction of writing and invisible characters are written as code points, so that nothing is
 * hidden in a text and nothing in it controls a terminal. The command line does the same
 * (`crates/base/src/safe_text.rs`), but checks more exactly between which letters a joiner is
 * allowed.
 */

/** Characters that are shown as code points. */
const SHOWN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Co}\p{Cs}]/gu;

/** Marks of direction, soft hyphens and byte order marks: a text reads the same without them. */
const DROPPED = /\u00ad|\u200e|\u200f|\u061c|\ufeff/gu;

/** Joiners and variation selectors, which scripts and emoji need. */
const JOINERS = "\u200c\u200d\ufe0e\ufe0f";

/** A character as its code point; a joiner between characters that are not ASCII is kept. */
function shown(c: string, at: number, text: string): string {
  const before = text.charCodeAt(at - 1);
  if (JOINERS.includes(c) && before > 0x7f && before !== c.charCodeAt(0)) return c;
  const code = c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  return `<U+${code}>`;
}

/** A text on one line. */
export function line(text: string): string {
  return text.replace(DROPPED, "").replace(/\s/gu, " ").replace(SHOWN, shown);
}

/** A text of several lines: line feeds and tabs stay. */
export function lines(text: string): string {
  const safe = text.replace(DROPPED, "").replace(/[^\S\n\t]/gu, " ");
  return safe.replace(SHOWN, (c, at: number, whole: string) =>
    c === "\n" || c === "\t" ? c : shown(c, at, whole),
  );
}
