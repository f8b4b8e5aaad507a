// A larger site of generated text, which is the same in every run. It has several languages, code,
// identifiers, numbers and scripts without spaces, so that every path of the engine runs.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Random numbers from 0 to 1, the same in every run (Mulberry32). */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const words = (...lines) => lines.join(" ").split(" ");
const WORDS = {
  en: words(
    "harbour vessel anchor mooring current chart compass sounding lighthouse keeper storm signal",
    "rope knot sail rigging hull cargo ballast pilot channel buoy tide swell reef voyage crew",
    "captain log watch bearing distance depth wind calm fog running tested carefully children",
    "boxes studies",
  ),
  de: words(
    "Hafen Schiff Anker Strömung Seekarte Kompass Leuchtturm Wärter Sturm Segel Rumpf Ladung",
    "Lotse Fahrwasser Boje Gezeiten Größe Häuser Übung schließlich",
  ),
  fr: words(
    "port navire ancre courant carte boussole phare gardien tempête voile coque cargaison pilote",
    "chenal bouée marée équipage journal école élève",
  ),
  ja: words("港 船 錨 潮流 海図 羅針盤 灯台 嵐 帆 航海日誌 水先案内人 浮標"),
};
const CODE = [
  "openPort(tideTable)",
  "let depth_sounder = Sonar::new();",
  "HTTP2Server.listen(8080)",
  "vessel.getMooringLine()",
  "ERR_TIDE_TOO_LOW",
  "std::collections::BTreeMap",
];

/** Writes about 300 pages of Markdown. */
export function writeCorpus(directory, pages = 300) {
  const next = random(7);
  const pick = (list) => list[Math.floor(next() * list.length)];
  mkdirSync(directory, { recursive: true });
  for (let i = 0; i < pages; i++) {
    const language = i % 10 === 7 ? "de" : i % 10 === 8 ? "fr" : i % 10 === 9 ? "ja" : "en";
    // The square makes some words frequent and some rare, as in any language.
    const word = () => WORDS[language][Math.floor(next() ** 2 * WORDS[language].length)];
    const sentence = (n) => Array.from({ length: n }, word).join(language === "ja" ? "" : " ");
    const sections = Array.from({ length: 1 + Math.floor(next() * 5) }, (_, j) =>
      [
        `## ${sentence(2 + Math.floor(next() * 3))} ${j}`,
        ...Array.from(
          { length: 1 + Math.floor(next() * 4) },
          () => `${sentence(8 + Math.floor(next() * 40))}.`,
        ),
        ...(next() < 0.3 ? ["```", pick(CODE), pick(CODE), "```"] : []),
      ].join("\n\n"),
    );
    const front = [
      "---",
      `title: ${sentence(3)} ${i}`,
      `lang: ${language}`,
      `shelf: ${pick(["pilotage", "stowage", "signals", "weather"])}`,
      `pages: ${Math.floor(next() * 900)}`,
      `published: ${2000 + Math.floor(next() * 25)}-0${1 + Math.floor(next() * 9)}-11`,
      "---",
    ].join("\n");
    writeFileSync(
      join(directory, `page-${String(i).padStart(3, "0")}.md`),
      `${front}\n\n${sentence(12)}.\n\n${sections.join("\n\n")}\n`,
    );
  }
}

/** Writes 60 records of several sections, of which most have attributes of their own. */
export function writeLog(file) {
  const next = random(13);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const sentence = (n) => Array.from({ length: n }, () => pick(WORDS.en)).join(" ");
  const section = (_, j) => ({
    heading: `${sentence(2)} ${j}`,
    anchor: `entry-${j}`,
    text: `${sentence(6 + Math.floor(next() * 20))}.`,
    attributes: {
      ...(next() < 0.8 ? { watch: pick(["day", "night", "dog"]) } : {}),
      depth: Math.floor(next() * 90),
    },
  });
  const records = Array.from({ length: 60 }, (_, i) => ({
    _id: `voyage-${i}`,
    title: `${sentence(3)} ${i}`,
    watch: "day",
    port: pick(["north", "south"]),
    sections: Array.from({ length: 1 + Math.floor(next() * 6) }, section),
  }));
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

/** At least 100 questions: words, phrases, exclusions, misspelt words, prefixes, code. */
export function questions() {
  const next = random(11);
  const words = Object.values(WORDS).flat();
  const pick = () => words[Math.floor(next() * words.length)];
  const made = Array.from({ length: 70 }, () =>
    Array.from({ length: 1 + Math.floor(next() * 4) }, pick).join(" "),
  );
  return [
    ...made,
    "lighthouse keeper",
    '"lighthouse keeper"',
    '"vessel anchor" -storm',
    "storm -signal -rope",
    "Größe",
    "groesse",
    "grosse",
    "TEMPÊTE",
    "tempete",
    "海図",
    "灯台 嵐",
    "航海日誌",
    "openPort",
    "open port",
    "depth_sounder",
    "depth sounder",
    "HTTP2Server",
    "8080",
    "getMooringLine mooring",
    "ERR_TIDE_TOO_LOW",
    "std::collections",
    "BTreeMap",
    "lighthous",
    "anchr",
    "keepers running tests",
    "the",
    "the of and",
    "a",
    '"unfinished phrase',
    "-storm",
    "shelf:weather storm",
    "storm\u0000signal",
    "🙂 vessel",
    "vessel vessel vessel",
    "x".repeat(300),
    Array.from({ length: 80 }, (_, i) => words[i % words.length]).join(" "),
    "kiln temperature",
    "pinholes in the glaze",
    "why do pots break",
    "thermocouple polarity",
    "cone 6",
    "E7",
    "save_program",
    "quokka",
    "<script>",
    "fumes carbon monoxide",
  ];
}
