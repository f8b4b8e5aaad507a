// Comparison of texts by their words.

const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text in lower case. */
export const wordsOf = (text) => text.normalize("NFKC").toLowerCase().match(WORD) ?? [];

const counted = (words) => {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** How many words of `words` are not in `others`, each as often as it occurs. */
export function excess(words, others) {
  const left = counted(others);
  let n = 0;
  for (const [word, count] of counted(words)) n += Math.max(0, count - (left.get(word) ?? 0));
  return n;
}

/** Letters and digits of a title, without the number of its section. */
const bare = (title) => wordsOf(title.replace(/^(chapter\s+)?[\dA-Z]?[\d.]*\.?\s+/iu, "")).join("");

/**
 * Whether two texts are the same title: one may have an addition shorter than the title, or begin
 * with the other.
 */
export function sameTitle(left, right) {
  const [short, long] = [bare(left), bare(right)].sort((a, b) => a.length - b.length);
  if (!short) return wordsOf(left).join("") === wordsOf(right).join("");
  if (long.startsWith(short) && short.length >= Math.min(6, long.length / 3)) return true;
  return long.includes(short) && short.length >= long.length / 2;
}

/**
 * Blocks of text with at least three words that are on more than a fifth of the pages, and on at
 * least five, with the number of pages.
 */
export function repeatedBlocks(pages) {
  const on = new Map();
  for (const page of pages) {
    const blocks = new Set();
    for (const section of page.sections)
      for (const block of section.text.split("\n\n")) blocks.add(wordsOf(block).join(" "));
    for (const block of blocks) on.set(block, (on.get(block) ?? 0) + 1);
  }
  const least = Math.max(5, pages.length / 5);
  return [...on]
    .filter(([block, n]) => n > least && block.split(" ").length >= 3)
    .sort((a, b) => b[1] - a[1]);
}
