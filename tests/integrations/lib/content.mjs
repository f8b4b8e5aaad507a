// The pages of every fixture, written in the form of each generator. No word of the frame around a
// page (menus, footers) occurs in a page.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The word of each site's menu or footer that no search may find. */
export const FRAME = "Zwischenraum";

const ENGLISH = [
  {
    path: "index",
    title: "Kiln handbook",
    sections: [["Where to begin", "This handbook is about kilns: how to fire, glaze and repair."]],
  },
  {
    path: "guide/firing",
    title: "Firing the kiln",
    sections: [
      ["Cones and temperature", "A pyrometric cone bends when the ware has seen enough heat."],
      [
        "Cooling down",
        "Leave the lid closed until the chamber is below ninety degrees. Dunting cracks come " +
          "from a draught.",
      ],
    ],
  },
  {
    path: "guide/glazes",
    title: "Mixing glazes",
    sections: [
      ["Celadon", "A celadon takes its green from iron in a reducing fire."],
      ["Crawling", "A glaze that crawls leaves bare clay. Wash the dust off before glazing."],
    ],
  },
  {
    path: "reference/errors",
    title: "Error codes",
    sections: [
      ["E17", "The thermocouple is broken or its wires are swapped."],
      ["E22", "The relay sticks. Call `kilnctl relay --reset` and wait a minute."],
    ],
  },
];

const GERMAN = [
  {
    path: "index",
    title: "Handbuch der Brennöfen",
    sections: [["Womit beginnen", "Dieses Handbuch handelt von Brennöfen."]],
  },
  {
    path: "guide/firing",
    title: "Den Ofen brennen",
    sections: [
      ["Abkühlen", "Der Deckel bleibt geschlossen, bis die Kammer unter neunzig Grad hat."],
    ],
  },
];

export const PAGES = { en: ENGLISH, de: GERMAN };

/**
 * Writes pages as Markdown into a directory. With `title: "field"` the title is in the front
 * matter, with "heading" it is a heading; `extra` are more lines of front matter.
 */
export function writeMarkdown(directory, pages, { title = "heading", extra = "", name } = {}) {
  for (const page of pages) {
    const sections = page.sections.map(([heading, text]) => `## ${heading}\n\n${text}\n`);
    const fields = `---\ntitle: ${page.title}\n${extra}---\n\n`;
    const head = title === "field" ? fields : `# ${page.title}\n\n`;
    const file = join(directory, `${name?.(page.path) ?? page.path}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${head}${sections.join("\n")}`);
  }
}

/** Writes pages as reStructuredText, with a table of contents on the first one. */
export function writeRst(directory, pages) {
  const others = pages.filter(({ path }) => path !== "index").map(({ path }) => `   ${path}`);
  for (const { path, title, sections } of pages) {
    const body = sections.map(([heading, text]) => {
      const line = "-".repeat(heading.length);
      return `${heading}\n${line}\n\n${text.replaceAll("`", "``")}\n`;
    });
    if (path === "index") body.push(`.. toctree::\n\n${others.join("\n")}\n`);
    const file = join(directory, `${path}.rst`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${title}\n${"=".repeat(title.length)}\n\n${body.join("\n")}`);
  }
}

/** Writes pages as AsciiDoc. */
export function writeAsciidoc(directory, pages) {
  for (const { path, title, sections } of pages) {
    const body = sections.map(([heading, text]) => `== ${heading}\n\n${text}\n`);
    const file = join(directory, `${path}.adoc`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `= ${title}\n\n${body.join("\n")}`);
  }
}
