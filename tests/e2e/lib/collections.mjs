// Collections of every kind, and the local application over them.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findling, run, scratch } from "./bundle.mjs";
import { writeSite } from "./site.mjs";

/** A question of a conversation that runs a script if it is parsed as markup. */
export const HOSTILE_QUESTION = `<img src=x onerror="window.harmed = true"> does the kiln melt?`;

const turn = (role, content, minute) => ({
  role,
  content,
  timestamp: `2024-05-01T10:${String(minute).padStart(2, "0")}:00Z`,
});

const CONVERSATION = [
  turn("user", "How do I stop a glaze from crawling on the rim?", 0),
  turn(
    "assistant",
    "Wash the bisque ware, because dust makes a glaze crawl. Then sieve the glaze:\n\n" +
      "```python\ndef sieve(mesh=80):\n    return mesh * 2  # twice\n```\n\n" +
      "A second coat goes on after the first is `dry`. " +
      "Crawling on the rim mostly means that the glaze is too thick there. ".repeat(12),
    1,
  ),
  turn("user", "And pinholes? They appear near the foot of each pot. ".repeat(16), 2),
  turn("assistant", "Slow the firing down near the end, so that gas escapes. ".repeat(16), 3),
  turn("user", `${HOSTILE_QUESTION} ${"It looks soft. ".repeat(60)}`, 4),
  turn(
    "assistant",
    `No: <script>window.harmed = true</script> is text. ${"It holds. ".repeat(90)}`,
    5,
  ),
];

const SOURCE = `//! Drives the kiln.

use std::time::Duration;

/// Raises the temperature at a steady rate.
pub fn ramp(target: f64, rate: f64) -> Duration {
    let hours = target / rate; // degrees an hour
    Duration::from_secs_f64(hours * 3600.0)
}

/// Holds the temperature so that the cone bends.
pub fn soak(minutes: u64) -> Duration {
    let label = "soaking </code><img src=x onerror=alert(1)>";
    log(label);
    Duration::from_secs(minutes * 60)
}
`;

const BIBLIOGRAPHY = `@article{ash2019glaze,
  title = {Crystalline glazes at low temperature},
  author = {de Vries, Kim and Ash, Robin},
  journal = {Journal of Ceramics},
  year = {2019},
  doi = {10.1000/glaze.2019},
  file = {glaze.pdf},
  abstract = {We grow zinc crystals in a glaze below cone six.}
}
`;

/** Writes a PDF with a page for each text, which is a list of lines. */
function writePdf(file, pages) {
  const objects = [];
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(" ");
  objects.push("<< /Type /Catalog /Pages 2 0 R >>");
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (const [i, lines] of pages.entries()) {
    const text = lines.map((line) => `(${line}) Tj 0 -16 Td`).join("\n");
    const stream = `BT /F1 12 Tf 72 720 Td\n${text}\nET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R ` +
        "/Resources << /Font << /F1 3 0 R >> >> >>",
    );
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  let pdf = "%PDF-1.4\n";
  const offsets = objects.map((object, i) => {
    const offset = pdf.length;
    pdf += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = pdf.length;
  pdf += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const offset of offsets) pdf += `${String(offset).padStart(10, "0")} 00000 n \n`;
  pdf += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  writeFileSync(file, pdf, "latin1");
}

const PAPER = [
  ["Crystalline glazes at low temperature", "Introduction", "Crystals need zinc and time."],
  ["Method", "Each pot was fired to cone five and cooled over nine hours."],
  ["Results", "Willemite crystals grew to twelve millimetres on vertical walls."],
];

/** The commands that add the collections, by name. */
const KINDS = {
  handbook: ["--base-url", "https://kiln.example/"],
  notes: [],
  chats: ["--kind", "chats"],
  controller: ["--kind", "code"],
  papers: ["--kind", "papers"],
};

/** Writes the sources and makes the collections; returns the directory of the sources. */
export function makeCollections({ encoder = "hash", only = Object.keys(KINDS) } = {}) {
  const home = scratch();
  process.env.FINDLING_HOME = home;
  const sources = join(home, "sources");
  for (const name of only) mkdirSync(join(sources, name), { recursive: true });
  const write = (collection, name, text) => {
    if (only.includes(collection)) writeFileSync(join(sources, collection, name), text);
  };
  if (only.includes("handbook")) writeSite(join(sources, "handbook"));
  write(
    "notes",
    "firing.md",
    "# Firing log\n\nThe third glaze firing went well.\n\n## Cones\n\n" +
      "The witness cone bent late. See `save_program` for the ramp.\n\n" +
      "## Next time\n\nWait for the shelf to cool.\n",
  );
  write(
    "chats",
    "glaze.json",
    JSON.stringify({ id: "glaze", title: "Glazes", messages: CONVERSATION }),
  );
  write("controller", "kiln.rs", SOURCE);
  write("papers", "library.bib", BIBLIOGRAPHY);
  if (only.includes("papers")) writePdf(join(sources, "papers", "glaze.pdf"), PAPER);
  for (const name of only)
    run(
      "--quiet",
      "collection",
      "add",
      name,
      join(sources, name),
      "--encoder",
      encoder,
      KINDS[name],
    );
  return sources;
}

/**
 * Starts the application; `url` is its address, `token` the token that its pages need. `env` has
 * further variables.
 */
export async function serveApplication(env = {}) {
  const server = spawn(findling, ["serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env },
  });
  const printed = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) resolve(text.trim());
    });
    server.on("exit", () => reject(new Error("findling serve ended")));
  });
  const [url, token] = printed.split("#token=");
  return {
    url,
    token,
    printed,
    close: () =>
      new Promise((resolve) => {
        server.on("exit", resolve);
        server.kill();
      }),
  };
}
