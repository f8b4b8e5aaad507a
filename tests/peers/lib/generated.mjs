// Any number of generated pages, as files of records. A seed determines them, so they are the same
// on every machine. Page number i is the same in a site of any size, so a smaller site is the
// beginning of a larger one.
//
// Properties of real text:
// - The frequency of a word is inversely proportional to its rank for the 8,000 most frequent
//   words, and to the square of the rank beyond that (Ferrer i Cancho and Solé 2001, "Two regimes
//   in the frequency of words"). So the number of different words grows with the square root of the
//   text (Heaps). The most frequent are English, so that they are stop words; the others are made
//   of syllables.
// - Pages have topics: a third of a page's words are among the forty words of its topic, and topics
//   are of unequal size. Without them no two pages would be alike in meaning.
// - Numbers of sections and of words are log-normal: four sections a page and 80 words a section
//   on average, some pages with a hundred times as much.

import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Pages in a file. */
const PER_FILE = 10_000;
/** Rank up to which the frequency of words is inversely proportional to the rank. */
const BEND = 8_000;
const MAX_RANK = 1 << 23;
const TOPICS = 50_000;
const TOPIC_WORDS = 40;

const COMMON = (
  "the of and to in a is for that be as on with this by it are or an from not can if which will " +
  "at you when all has have one use used but may must also each other more than only same no new"
).split(" ");
const STARTS = "b c d f g h k l m n p r s t v w br ch cl dr fl gr pl pr sh st th tr".split(" ");
const VOWELS = "a e i o u ai ea io ou".split(" ");
const ENDS = ["", "", "", "n", "r", "l", "t", "m", "rd", "nt"];

/** Random numbers below 1, by a seed (mulberry32). */
export function random(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const words = [];

/** The word of a rank. Words of different ranks differ; rarer ones are longer. */
function word(rank) {
  words[rank] ??= COMMON[rank] ?? made(rank - COMMON.length);
  return words[rank];
}

function made(number) {
  let text = "";
  let rest = number;
  do {
    const [start, vowel] = [rest % STARTS.length, Math.floor(rest / STARTS.length) % VOWELS.length];
    text += STARTS[start] + VOWELS[vowel];
    rest = Math.floor(rest / (STARTS.length * VOWELS.length)) - 1;
  } while (rest >= 0);
  return text + ENDS[Math.imul(number, 2654435761) >>> 29];
}

const HEAD = Math.log(BEND);

/** The rank of a word of running text. */
function rank(next) {
  const at = next() * (HEAD + 1);
  const rank = at < HEAD ? Math.exp(at) : BEND / (HEAD + 1 - at);
  return Math.min(Math.floor(rank) - 1, MAX_RANK);
}

/** A log-normal random number with this median and spread. */
function number(next, median, spread, most) {
  const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return Math.max(1, Math.min(most, Math.round(median * Math.exp(spread * normal))));
}

/** The words of a topic. They have a middle frequency, and none is a stop word. */
function wordsOf(topic) {
  const next = random(topic ^ 0x5eed);
  return Array.from({ length: TOPIC_WORDS }, () => word(Math.floor(100 * 1500 ** next())));
}

const upper = (text) => text[0].toUpperCase() + text.slice(1);

function text(next, topic, n) {
  let text = "";
  let left = 0;
  let inParagraph = 0;
  for (let i = 0; i < n; i++) {
    const isOfTopic = next() < 1 / 3;
    const own = isOfTopic ? topic[Math.floor(topic.length * next() ** 2)] : word(rank(next));
    if (left > 0) {
      text += ` ${own}`;
    } else {
      if (i > 0) text += inParagraph++ % 4 === 3 ? ".\n\n" : ". ";
      text += upper(own);
      left = 6 + Math.floor(18 * next());
    }
    left--;
  }
  return `${text}.`;
}

function heading(next, topic) {
  const n = 1 + Math.floor(3 * next());
  const chosen = Array.from({ length: n }, () => topic[Math.floor(topic.length * next())]);
  return upper([...chosen, word(COMMON.length + Math.floor(20_000 * next()))].join(" "));
}

/** A page as a record. */
export function page(number_, seed) {
  const next = random(Math.imul(number_ + 1, 2654435761) ^ seed);
  const topicNumber = Math.floor(TOPICS ** next());
  const topic = wordsOf(topicNumber);
  const part = word(COMMON.length + (topicNumber % 12));
  const id = number_.toString().padStart(7, "0");
  const sections = [];
  for (let n = number(next, 2.9, 0.8, 100), at = 1; at < n; at++) {
    const words = number(next, 53, 0.9, 4000);
    const level = at > 1 && next() < 0.4 ? 2 : 1;
    sections.push({ heading: heading(next, topic), level, anchor: `s${at}`, text: "", words });
  }
  const intro = text(next, topic, number(next, 53, 0.9, 4000));
  for (const section of sections) {
    section.text = text(next, topic, section.words);
    delete section.words;
  }
  return {
    _id: `p${id}`,
    url: `/${part}/${word(COMMON.length + (topicNumber % 300))}/p${id}`,
    title: heading(next, topic),
    text: intro,
    part,
    year: 2000 + Math.floor(27 * next()),
    sections,
  };
}

/** Writes `n` pages into a directory. Returns the number of sections and of bytes. */
export function generate(directory, n, seed = 1) {
  mkdirSync(directory, { recursive: true });
  const written = { sections: 0, bytes: 0 };
  for (let first = 0; first < n; first += PER_FILE) {
    const name = `pages-${(first / PER_FILE).toString().padStart(4, "0")}.jsonl`;
    const file = openSync(join(directory, name), "w");
    for (let at = first; at < Math.min(n, first + PER_FILE); at += 500) {
      let lines = "";
      for (let number = at; number < Math.min(n, first + PER_FILE, at + 500); number++) {
        const record = page(number, seed);
        written.sections += record.sections.length + 1;
        lines += `${JSON.stringify(record)}\n`;
      }
      written.bytes += writeSync(file, lines);
    }
    closeSync(file);
  }
  return written;
}
