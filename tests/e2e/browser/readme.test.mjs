// The tables in www/README.md list what the code has: options, parameters and error codes.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { EVENTS } from "../../../www/integrations/common/element.mjs";
import { root } from "../lib/bundle.mjs";

const www = join(root, "www");
const read = (path) => readFileSync(join(www, path), "utf8");
const names = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name);

const readme = read("README.md");
const types = read("src/types.ts");
const components = read("integrations/common/types.d.mts");

/** Names in the first column of the table whose header begins with `| first |`, after a heading. */
function tableAfter(heading, first) {
  const section = readme.slice(readme.indexOf(`\n${heading}\n`) + 1);
  const table = section.slice(section.indexOf(`| ${first} |`));
  assert.ok(section.startsWith(heading) && table.startsWith(`| ${first} |`), heading);
  const rows = table.slice(table.indexOf("|---"), table.indexOf("\n\n"));
  return names(rows, /^\| `(\w[\w-]*)`/gm);
}

/** Names of the members of an interface. */
function members(source, name) {
  const body = new RegExp(`interface ${name}[^{]* \\{\\n(.*?)\\n\\}`, "s").exec(source)[1];
  const internal = /^ {2}\/\*\* @internal.*\n.*/gm;
  return names(body.replace(internal, ""), /^ {2}(\w+)\??:/gm);
}

/** The strings in a declaration, from its name to the end of the statement. */
function strings(source, declaration) {
  const start = source.indexOf(declaration);
  assert.ok(start >= 0, declaration);
  return names(source.slice(start, source.indexOf(";", start)), /"([^"]+)"/g);
}

/** The names in backticks of the sentence that begins with `start`. */
function sentence(start) {
  const at = readme.indexOf(start);
  assert.ok(at >= 0, start);
  const text = readme.slice(at + start.length);
  return names(text.slice(0, text.search(/\.\s/)), /`(\w+)`/g);
}

const sorted = (list) => [...list].sort();

describe("www/README.md lists", () => {
  for (const [heading, source, name] of [
    ["### Options of `search`", types, "SearchOptions"],
    ["### Options of `open`", types, "OpenOptions"],
  ]) {
    test(`every option of ${name}, and no other`, () => {
      const documented = tableAfter(heading, "option");
      assert.ok(documented.length > 0);
      assert.deepEqual(sorted(documented), sorted(members(source, name)));
    });
  }

  test("every event of the elements, and no other, and components know them", () => {
    const documented = tableAfter("## `<findling-search>`", "event");
    const events = names(read("src/ui/selection.ts"), /^ {2}"(findling-\w+)": CustomEvent/gm);
    assert.ok(events.length > 0);
    assert.deepEqual(sorted(documented), sorted(events));
    assert.deepEqual(sorted(EVENTS.map((name) => `findling-${name}`)), sorted(events));
  });

  for (const [tag, name, ...parts] of [
    ["findling-search", "SearchAttributes", "Searching", "Common"],
    ["findling-results", "ResultsAttributes"],
    ["findling-related", "RelatedAttributes"],
  ])
    test(`every attribute of <${tag}> that components know`, () => {
      const documented = tableAfter(`## \`<${tag}>\``, "attribute");
      const typed = [name, ...parts].flatMap((part) => members(components, part));
      assert.ok(typed.length > 0);
      // Components take the bundle as a setting, from which they have the site. The number of
      // related pages has another default, and is listed twice.
      const others = ["bundle", "site", ...(tag === "findling-related" ? ["limit"] : [])];
      assert.deepEqual(sorted(documented.filter((name) => !others.includes(name))), sorted(typed));
    });

  test("every option of `similar`, and no other", () => {
    const typed = strings(types, "export type SimilarOptions");
    assert.ok(typed.length > 0);
    assert.deepEqual(sorted(sentence("`similar` takes")), sorted(typed));
  });

  test("every option of `createHandler`, and no other", () => {
    const documented = tableAfter("## The endpoint", "option of `createHandler`");
    const typed = members(read("src/edge/options.ts"), "EdgeOptions");
    assert.deepEqual(sorted(documented), sorted(typed));
  });

  test("every parameter of the endpoint, and no other", () => {
    const source = read("src/edge/request.ts");
    const keys = (declaration) => {
      const start = source.indexOf(`${declaration} = {`);
      assert.ok(start >= 0, declaration);
      return names(source.slice(start, source.indexOf("\n}", start)), /^ {2}"?([\w-]+)"?:/gm);
    };
    const common = keys("const COMMON");
    assert.ok(common.length > 0);
    const search = [...keys("export const SEARCH_PARAMETERS"), ...common];
    assert.deepEqual(sorted(tableAfter("## The endpoint", "parameter")), sorted(search));
    const similar = ["url", ...common];
    const documented = ["url", ...sentence("It also takes")];
    assert.deepEqual(sorted(documented), sorted(similar));
  });

  test("every encoder value, and no other", () => {
    const typed = strings(types, "encoder?:");
    assert.deepEqual(sorted(tableAfter("### Encoders", "`encoder`")), sorted(typed));
  });

  test("every error code, and no other", () => {
    const typed = strings(read("src/errors.ts"), "export type ErrorCode");
    assert.deepEqual(sorted(tableAfter("### Errors", "`code`")), sorted(typed));
  });

  /** The attributes that a script of an element reads. */
  const attributesIn = (path) =>
    names(read(path), /(?:getAttribute|hasAttribute|oneOf|namesIn|#allows)\("(\w+)"/g);

  test("every attribute of <findling-search>, and no other", () => {
    const scripts = ["src/ui/element.ts", "src/ui/base-element.ts"];
    // The language also comes from the elements around.
    const used = new Set([...scripts.flatMap(attributesIn), "lang"]);
    assert.deepEqual(sorted(tableAfter("## `<findling-search>`", "attribute")), sorted(used));
  });

  for (const [element, path] of [
    ["findling-results", "src/ui/page/element.ts"],
    ["findling-related", "src/ui/related.ts"],
  ])
    test(`every attribute of <${element}> alone, and no other`, () => {
      const common = new Set(attributesIn("src/ui/base-element.ts"));
      const own = new Set(attributesIn(path).filter((name) => !common.has(name)));
      const documented = tableAfter(`## \`<${element}>\``, "attribute");
      assert.deepEqual(sorted(documented.filter((name) => !common.has(name))), sorted(own));
    });

  test("as many languages as there are", () => {
    const files = readdirSync(join(www, "src/ui/locales"));
    assert.ok(readme.includes(`There are ${files.length + 1}:`));
  });
});
