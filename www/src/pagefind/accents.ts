/** Words compared with their accents. */

/** A word without punctuation, in lower case. */
function letters(word: string): string {
  return word
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]/gu, "");
}

function withoutAccents(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "");
}

/** Whether two words have the same accents, as far as they are equal without accents. */
export function sameAccents(one: string, other: string): boolean {
  const [a, b] = [[...letters(one)], [...letters(other)]];
  for (const [at, letter] of a.entries()) {
    const opposite = b[at];
    if (opposite === undefined || withoutAccents(letter) !== withoutAccents(opposite)) return true;
    if (letter !== opposite) return false;
  }
  return true;
}
