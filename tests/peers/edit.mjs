// The cost of an edited page: the time of the next build, and the bytes that readers fetch again.
//
//   cargo xtask bench edit SITE [BUILD OPTIONS...]
//
// SITE is a directory of rendered HTML or of Markdown. The options are passed to `findling build`,
// such as `--encoder static`. A copy of the site is built with an empty cache, and again without a
// change. Then each of a few pages is edited and the site is built again: a word is replaced, a
// sentence, a paragraph and a section are added, and a page is added. The pages are always the
// same, evenly spread over the site. For each kind of edit the output is the median and the maximum
// of new bytes.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Number of edited pages. Each gets every kind of edit. */
const PAGES = 7;
/** Minimum bytes of an edited page. */
const MIN_BYTES = 3000;

const here = dirname(fileURLToPath(import.meta.url));
const [site, ...options] = process.argv.slice(2);
if (!site) throw new Error("expected SITE [BUILD OPTIONS...]");
const findling = process.env.FINDLING_BIN ?? join(here, "../../target/release/findling");
const scratch = mkdtempSync(join(tmpdir(), "findling-edit-"));
const copy = join(scratch, "site");
cpSync(site, copy, { recursive: true });

function build() {
  const args = ["build", copy, "-o", join(scratch, "bundle"), "--no-client", "--quiet", "--json"];
  const cache = options.includes("--cache") ? [] : ["--cache", join(scratch, "cache")];
  const run = spawnSync(findling, [...args, ...cache, ...options], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  // Exit status 3: the build is complete, but some pages could not be read.
  if (run.error || ![0, 3].includes(run.status))
    throw new Error(`findling build failed: ${run.error ?? run.stderr}`);
  return JSON.parse(run.stdout);
}

/** The range of the text of a page's middle paragraph. */
function middle(text, isHtml) {
  const found = isHtml
    ? [...text.matchAll(/<p(?:\s[^>]*)?>([^<]{40,})/g)].map(
        (match) => match.index + match[0].length - match[1].length,
      )
    : [...text.matchAll(/\n\n(?=[A-Z][^\n#`|]{39,})/g)].map((match) => match.index + 2);
  if (found.length === 0) return undefined;
  const from = found[found.length >> 1];
  const rest = text.slice(from);
  return { from, to: from + rest.search(isHtml ? /</ : /\n\n|$/) };
}

const SENTENCE =
  " Readers who come here from an older release will want to know that nothing of this has " +
  "changed.";
const PARAGRAPH =
  "Most of what follows can be left as it is on small installations. On large ones, measure " +
  "before and after each change, write down what was measured, and go back where nothing was " +
  "gained: a setting that nobody can explain any more costs whoever comes next more time than it " +
  "has ever saved. Where two settings depend on each other, change the one whose effect is seen " +
  "sooner.";

const HEADING = "What has changed in between";

const EDITS = {
  "a word": (paragraph) => paragraph.replace(/[a-z]{5,}/, "boulder"),
  "a sentence": (paragraph) => paragraph + SENTENCE,
  "a paragraph": (paragraph, isHtml) =>
    paragraph + (isHtml ? `</p><p>${PARAGRAPH}` : `\n\n${PARAGRAPH}`),
  "a section": (paragraph, isHtml) =>
    paragraph +
    (isHtml
      ? `</p><h3 id="what-has-changed">${HEADING}</h3><p>${PARAGRAPH}</p><p>${SENTENCE}`
      : `\n\n### ${HEADING}\n\n${PARAGRAPH}\n\n${SENTENCE}`),
};

/** A new page next to another. */
function newPage(beside, isHtml) {
  const title = `A page about changes to ${basename(beside, extname(beside))}`;
  return isHtml
    ? `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${PARAGRAPH}</p>` +
        `<h2>${HEADING}</h2><p>${PARAGRAPH}${SENTENCE}</p></body></html>`
    : `# ${title}\n\n${PARAGRAPH}\n\n## ${HEADING}\n\n${PARAGRAPH}${SENTENCE}\n`;
}

const line = (name, report) =>
  `${name.padEnd(12)} ${report.seconds.toFixed(1).padStart(7)} s  ` +
  report.stages.map((stage) => `${stage.name} ${stage.seconds.toFixed(2)}`).join(", ");

const cold = build();
console.log(
  `${cold.pages} pages, ${cold.sections} sections, ${(cold.bundleBytes / 1e6).toFixed(1)} MB`,
);
console.log(line("cold", cold));
const again = build();
console.log(`${line("no change", again)}; ${again.newBytes} bytes new`);
if (again.newBytes > 0) throw new Error("a build without any change changed the bundle");

const pages = readdirSync(copy, { recursive: true })
  .filter((name) => /\.(html?|md)$/.test(name))
  .sort()
  .map((name) => ({ path: join(copy, name), isHtml: !name.endsWith(".md") }))
  .filter(({ path, isHtml }) => {
    const text = readFileSync(path, "utf8");
    return text.length >= MIN_BYTES && middle(text, isHtml);
  });
if (pages.length === 0)
  throw new Error(`${site}: expected pages with a paragraph to edit, found none`);
const chosen = Array.from(
  { length: Math.min(PAGES, pages.length) },
  (_, i) => pages[Math.floor(((i + 0.5) * pages.length) / Math.min(PAGES, pages.length))],
);

function edited(edit) {
  return ({ path, isHtml }) => {
    const text = readFileSync(path, "utf8");
    const { from, to } = middle(text, isHtml);
    writeFileSync(path, text.slice(0, from) + edit(text.slice(from, to), isHtml) + text.slice(to));
  };
}

const added = ({ path, isHtml }) =>
  writeFileSync(
    `${path.slice(0, -extname(path).length)}-added${extname(path)}`,
    newPage(path, isHtml),
  );
const changes = {
  ...Object.fromEntries(Object.entries(EDITS).map(([name, edit]) => [name, edited(edit)])),
  "a page": added,
};

let last;
for (const [name, change] of Object.entries(changes)) {
  const shares = [];
  for (const page of chosen) {
    change(page);
    last = build();
    shares.push({ share: last.newBytes / last.bundleBytes, bytes: last.newBytes });
  }
  shares.sort((a, b) => a.bytes - b.bytes);
  const show = ({ share, bytes }) =>
    `${(bytes / 1000).toFixed(0)} kB (${(100 * share).toFixed(1)}%)`;
  const middle = show(shares[shares.length >> 1]);
  const most = show(shares.at(-1));
  console.log(`${name.padEnd(12)} median ${middle}, most ${most}, of ${shares.length} pages`);
}
console.log(line("the last", last));
rmSync(scratch, { recursive: true });
