// What docs/integrations.md tells a site's owner to write and to run. Tests follow these lines, so
// a document that stops being true fails a test.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../e2e/lib/bundle.mjs";
import { run } from "./fixture.mjs";

const DOCUMENT = readFileSync(join(root, "docs/integrations.md"), "utf8");
/** The place in a file of a fixture where documented lines belong. */
const PLACE = "<!-- findling -->";

/** The text of a section, without its heading. */
function section(name) {
  const text = DOCUMENT.split(/\n##+ /).find((part) => part.startsWith(`${name}\n`));
  assert.ok(text, `docs/integrations.md has a section ${name}`);
  return text;
}

/** The blocks of code of a section: their language and their text. */
function blocks(name) {
  const found = section(name).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...found].map(([, language, text]) => ({ language, text }));
}

/**
 * Writes the files of a section into a site. A block names its file in its first line. If it is a
 * part of a file, it replaces the place that the fixture's file has for it.
 */
export function follow(site, name, { without = [] } = {}) {
  const named = blocks(name).flatMap(({ text }) => {
    const [first] = text.split("\n");
    const file = /^(?:\/\/|#|<!--) ([\w+./-]+\.\w+)/.exec(first)?.[1];
    return file && !without.includes(file)
      ? [{ file, text, isPart: first.includes("inside") }]
      : [];
  });
  assert.ok(named.length > 0, `the section ${name} has files`);
  for (const { file, text, isPart } of named) {
    const path = join(site, file);
    const lines = text.slice(text.indexOf("\n") + 1);
    mkdirSync(dirname(path), { recursive: true });
    if (isPart) fill(path, lines);
    else writeFileSync(path, lines);
  }
}

/** Writes the lines for any generator into a layout, at the place that it has for them. */
export function followAny(layout) {
  fill(layout, blocks("Any other")[0].text);
}

function fill(path, lines) {
  const whole = readFileSync(path, "utf8");
  assert.ok(whole.includes(PLACE), `${path} has a place for the lines`);
  writeFileSync(
    path,
    whole.replace(PLACE, () => lines),
  );
}

/** The command of a generator: of its row in the table, or else of its section. */
function command(name) {
  const row = DOCUMENT.split("\n").find((line) => line.replace("[", "").startsWith(`| ${name}`));
  assert.ok(row, `the table has a row for ${name}`);
  const own =
    name === "Docsify" ? blocks(name).find(({ language }) => language === "sh") : undefined;
  return own?.text ?? row.split("|")[2].trim().replaceAll("`", "");
}

/** Builds a site and its index by the documented command. `aliases` are other names of programs. */
export function build(site, name, { aliases = {}, env = {} } = {}) {
  const client = `findling --quiet build --client '${join(root, "www/dist")}'`;
  const line = command(name).replace("npx ", "").replace("findling build", client);
  const names = Object.entries(aliases).map(
    ([alias, program]) => `${alias}() { ${program} "$@"; }`,
  );
  const path = 'PATH="$PWD/../../node_modules/.bin:$PATH"';
  run(site, "bash", ["-ec", [path, ...names, line].join("\n")], env);
}
