// A small site: the handbook of an invented kiln. Some of its pages try to run scripts.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const escapeHtml = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** A title that runs a script if it is parsed as markup. */
export const HOSTILE_TITLE = `<img src=x onerror="window.harmed = true"> Quokka`;

export const PAGES = [
  {
    path: "guide/start.html",
    title: "Getting started",
    kind: "guide",
    level: 1,
    updated: "2024-02-01",
    sections: [
      [
        "",
        "",
        "This handbook is about a small electric kiln for pottery: setting it up, firing it, " +
          "and keeping it in order.",
      ],
      [
        "unpack",
        "Unpacking",
        "Lift the kiln out of its crate with two people. Keep the crate until the first firing " +
          "went well.",
      ],
      [
        "first-firing",
        "The first firing",
        "Run the kiln empty to 600 degrees. Smoke and smell are normal while the binder in the " +
          "bricks burns off. Open a window.",
      ],
    ],
  },
  {
    path: "guide/glaze.html",
    title: "Glazing",
    kind: "guide",
    level: 2,
    updated: "2024-03-10",
    sections: [
      ["", "", "Glaze is a thin layer of glass that melts onto the clay and seals it."],
      [
        "dipping",
        "Dipping",
        "Hold the pot with tongs and dip it into the glaze bucket for three seconds. Wipe the " +
          "foot clean, or the pot sticks to the shelf.",
      ],
      [
        "crawling",
        "Crawling and pinholes",
        "When a glaze crawls it pulls back from dusty spots. Wash the bisque ware first. " +
          "Pinholes come from gas that escapes too late: slow the firing down near the end.",
      ],
    ],
  },
  {
    path: "guide/cones.html",
    title: "Cones and temperature",
    kind: "guide",
    level: 2,
    updated: "2024-04-02",
    sections: [
      [
        "",
        "",
        "A pyrometric cone bends when it has seen enough heat work, which is temperature and " +
          "time together.",
      ],
      [
        "cone-table",
        "Cone table",
        "Cone 06 bends at about 1000 degrees, cone 6 at about 1220 degrees and cone 10 at " +
          "about 1300 degrees, at a rise of 150 degrees an hour.",
      ],
      [
        "witness",
        "Witness cones",
        "Place three witness cones on the shelf where you can see them through the spy hole.",
      ],
    ],
  },
  {
    path: "guide/safety.html",
    title: "Safety",
    kind: "guide",
    level: 1,
    updated: "2023-11-20",
    sections: [
      [
        "",
        "",
        "A kiln is hot, heavy and electric. Most accidents happen because someone opens it too " +
          "early.",
      ],
      [
        "fumes",
        "Fumes",
        "Clay and glaze give off carbon monoxide, sulphur and metal fumes. Fire in a room with " +
          "an extractor, never in a bedroom.",
      ],
      [
        "burns",
        "Burns",
        "The outer shell reaches 80 degrees. Wear gloves. Do not open the lid above 120 " +
          "degrees: cold air cracks the ware.",
      ],
    ],
  },
  {
    path: "reference/controller.html",
    title: "Controller",
    kind: "reference",
    level: 3,
    updated: "2024-05-05",
    sections: [
      [
        "",
        "",
        "The controller runs a program of up to eight ramps. Each ramp has a rate, a target " +
          "temperature and a hold.",
      ],
      [
        "program",
        "Writing a program",
        "Press <code>PROG</code> and choose a slot. Enter the rate in degrees an hour, the " +
          "target and the hold in minutes, then <code>save_program</code>.",
      ],
      [
        "errors",
        "Error codes",
        "<code>E1</code>: the thermocouple is broken. <code>E2</code>: the temperature does " +
          "not rise; check the elements. <code>E7</code>: power failed during the firing.",
      ],
    ],
  },
  {
    path: "reference/elements.html",
    title: "Heating elements",
    kind: "reference",
    level: 3,
    updated: "2022-08-14",
    sections: [
      ["", "", "The elements are coils of resistance wire in the grooves of the brick wall."],
      [
        "measure",
        "Measuring resistance",
        "Unplug the kiln. A healthy element measures 18 to 20 ohms; replace it when it is ten " +
          "percent above.",
      ],
      [
        "replace",
        "Replacing an element",
        "Pull the pins with pliers, lift out the old coil and stretch the new one evenly " +
          "before you press it into the groove.",
      ],
    ],
  },
  {
    path: "reference/thermocouple.html",
    title: "Thermocouple",
    kind: "reference",
    level: 3,
    updated: "2024-01-09",
    sections: [
      [
        "",
        "",
        "The thermocouple measures the temperature inside the kiln. Type K lasts about a " +
          "hundred firings at cone 6, type S for years.",
      ],
      [
        "swap",
        "Swapping the thermocouple",
        "Mark the polarity of the wires. The controller reads backwards if they are swapped: " +
          "the temperature falls while the kiln heats.",
      ],
    ],
  },
  {
    path: "faq/pots.html",
    title: "Why do pots break?",
    kind: "faq",
    level: 1,
    updated: "2024-06-01",
    sections: [
      ["", "", "Pots break for three reasons: water, speed and uneven walls."],
      [
        "explode",
        "Exploding in the kiln",
        "Water trapped in the clay turns to steam at 100 degrees and blows the pot apart. Dry " +
          "it for a week, then hold the kiln at 90 degrees overnight.",
      ],
      [
        "dunting",
        "Cracks after firing",
        "A clean sharp crack after the firing is dunting: the kiln cooled too fast through 573 " +
          "degrees, where quartz changes its volume.",
      ],
    ],
  },
  {
    path: "faq/cost.html",
    title: "What does a firing cost?",
    kind: "faq",
    level: 1,
    updated: "2024-06-02",
    sections: [
      ["", "", "A firing to cone 6 takes about 20 kilowatt hours of electricity."],
      [
        "save",
        "Saving energy",
        "Fill the kiln. A half empty firing costs nearly the same. Fire at night where power " +
          "is cheaper.",
      ],
    ],
  },
  {
    path: "faq/quokka.html",
    title: HOSTILE_TITLE,
    kind: "faq",
    level: 1,
    updated: "2024-07-01",
    sections: [
      [
        "",
        "",
        `The quokka page says <script>window.harmed = true</script> and <b>bold</b> and &amp; ` +
          `as plain text.`,
      ],
      [
        "heading",
        `<svg onload="window.harmed = true"> in a heading`,
        `A quokka in the kiln room: <a href="javascript:window.harmed=true">click</a> ` +
          `is text as well.`,
      ],
    ],
    plain: true,
  },
];

/** Records; the address of the first is a script. */
export const RECORDS = [
  {
    _id: "r1",
    title: "Wombat record",
    text: "A wombat whose address is not an address.",
    url: "javascript:window.harmed=true",
    kind: "faq",
  },
  {
    _id: "r2",
    title: "Platypus record",
    text: "A platypus with an address elsewhere.",
    url: "https://example.org/platypus",
    kind: "faq",
  },
];

/** Writes the pages, and `extra` pages, as HTML. */
export function writeSite(directory, { extra = [] } = {}) {
  for (const page of [...PAGES, ...extra]) {
    const text = page.plain ? escapeHtml : (html) => html;
    const sections = page.sections.map(
      ([id, heading, body]) =>
        `${heading ? `<h2 id="${id}">${text(heading)}</h2>` : ""}<p>${text(body)}</p>`,
    );
    const html = `<!doctype html><html lang="en"><meta charset="utf-8">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/site.css">
<nav><a href="/">The kiln handbook</a> navigation words that are not content</nav>
<main><h1>${escapeHtml(page.title)}</h1>
<p data-findling-ignore><span data-findling-filter="kind">${page.kind}</span>
<span data-findling-filter="level">${page.level}</span>
<time data-findling-sort="updated">${page.updated}</time>
${page.topic ? `<span data-findling-filter="topic">${escapeHtml(page.topic)}</span>` : ""}</p>
${sections.join("\n")}
<p class="filler" data-findling-ignore></p></main></html>`;
    const file = join(directory, page.path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, html);
  }
  // Every page is longer than the window, so that a link to an anchor scrolls.
  writeFileSync(join(directory, "site.css"), ".filler { block-size: 120vh }\n");
}

export function writeRecords(file) {
  writeFileSync(file, RECORDS.map((record) => JSON.stringify(record)).join("\n"));
}
