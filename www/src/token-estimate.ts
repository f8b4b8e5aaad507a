/**
 * An estimate of how many tokens of a language model a text takes, the same as the command line's
 * (`build/src/passages/tokens.rs`): one for every four letters of a word, one for every sign, line
 * feed and ideograph, two for every three other letters.
 */

const IDEOGRAPH =
  /[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\u{1f000}-\u{1faff}\u{20000}-\u{3ffff}]/u;

/** Words of ASCII letters and digits, line feeds, and every other character except white space. */
const PARTS = /[A-Za-z0-9]+|\n|\S/gu;

/** Estimates a part of a text, in thirds of a token. */
function thirds(part: string): number {
  if (/^[A-Za-z0-9]/.test(part)) return Math.ceil(part.length / 4) * 3;
  return part.codePointAt(0)! < 0x80 || IDEOGRAPH.test(part) ? 3 : 2;
}

/** The tokens of a text. Counting stops at the first number above `most`. */
export function estimate(text: string, most = Number.POSITIVE_INFINITY): number {
  let total = 0;
  for (const [part] of text.matchAll(PARTS)) {
    total += thirds(part);
    if (total > most * 3) break;
  }
  return Math.ceil(total / 3);
}

/**
 * The end of the longest part of a text that begins at `from` and takes at most this many tokens,
 * at white space if there is any. The part has at least one character, so that reading makes
 * progress.
 */
export function endOf(text: string, from: number, tokens: number): number {
  const parts = new RegExp(PARTS);
  parts.lastIndex = from;
  let [end, total] = [from, 0];
  for (let match = parts.exec(text); match; match = parts.exec(text)) {
    const [part] = match;
    const room = tokens - Math.ceil(total / 3);
    total += thirds(part);
    if (total > tokens * 3) {
      // A word that is longer than the whole limit is cut.
      if (end === from) return match.index + Math.max(room * 4, 1);
      const space = text.slice(from, end).search(/\s\S*$/);
      return space * 2 > end - from ? from + space : end;
    }
    end = match.index + part.length;
  }
  return text.length;
}
