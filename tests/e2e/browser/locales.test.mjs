// The texts of the user interface in other languages.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ask, expectComplaints, withSearch } from "../lib/browser.mjs";
import { build, dist, root } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const FILE = /^findling-locale-.+\.js$/;

/** All languages of a directory with their texts. */
async function load(directory) {
  const files = readdirSync(directory).filter((name) => FILE.test(name));
  const modules = files.map((name) => import(pathToFileURL(join(directory, name))));
  return Object.assign({}, ...(await Promise.all(modules)).map(({ default: all }) => all));
}
const ofElements = await load(dist);
const ofApp = await load(join(dist, "app"));
const locales = Object.keys(ofElements);

const texts = async (name) => ofElements[name];

/** The texts of the local application, which contain the texts of the elements. */
const textsOfApp = async (name) => ofApp[name];

/** All texts with their paths: strings, and the forms of plurals. */
function flat(labels, path = "") {
  return Object.entries(labels).flatMap(([key, value]) =>
    typeof value === "string" ? [[path + key, value]] : flat(value, `${path}${key}.`),
  );
}
const isPlural = (value) => typeof value === "object" && "other" in value;
const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

describe("every language", () => {
  test("is one of at least forty", () => {
    assert.ok(locales.length >= 40, `${locales.length} files`);
  });

  test("is known to the elements, and counted in the README", () => {
    const source = readFileSync(join(root, "www/src/ui/locale-files.ts"), "utf8");
    const known = [...source.matchAll(/"([^"]*)"/g)].flatMap(([, names]) => names.split(" "));
    assert.deepEqual(known.sort(), [...locales].sort());
    const readme = readFileSync(join(root, "www/README.md"), "utf8");
    // English has no file.
    assert.equal(Number(/^There are (\d+): /m.exec(readme)[1]), locales.length + 1);
  });

  test("is a language of the local application, with all texts of its source", async () => {
    assert.deepEqual(Object.keys(ofApp).sort(), [...locales].sort());
    const source = readFileSync(join(root, "www/src/app/texts.ts"), "utf8");
    const keys = [...source.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key);
    assert.ok(keys.length > 40, `${keys.length} texts`);
    const own = { ...(await textsOfApp("de")) };
    for (const key of Object.keys(await texts("de"))) delete own[key];
    assert.deepEqual(Object.keys(own).sort(), keys.sort());
  });

  for (const name of locales)
    test(`${name}: has every text, every plural form and every placeholder`, async () => {
      const [expected, found] = [await textsOfApp("de"), await textsOfApp(name)];
      const elements = [await texts("de"), await texts(name)].map((of) => Object.keys(of).sort());
      assert.deepEqual(elements[1], elements[0]);
      assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
      assert.equal(found.language, name);
      const { pluralCategories } = new Intl.PluralRules(name).resolvedOptions();
      for (const [key, value] of Object.entries(found)) {
        if (isPlural(value)) {
          const missing = pluralCategories.filter((category) => !(category in value));
          assert.deepEqual(missing, [], key);
          // The forms for one and two may contain a word instead of the number.
          assert.deepEqual(placeholders(value.other), ["n"], key);
        } else {
          const of = new Map(flat({ [key]: expected[key] }));
          for (const [path, text] of flat({ [key]: value })) {
            assert.notEqual(text.trim(), "", path);
            assert.deepEqual(placeholders(text), placeholders(of.get(path)), path);
          }
        }
      }
    });
});

describe("a page in another language", () => {
  let page;
  const session = new Session(() => {
    const inLanguage = (language, rest = "") =>
      withSearch().replace('lang="en"', `lang="${language}" ${rest}`);
    return serve([build()], {
      "/de": inLanguage("de-AT"),
      "/pl": inLanguage("pl"),
      "/ar": inLanguage("ar", 'dir="rtl"'),
      "/zh-TW": inLanguage("zh-TW"),
      "/xx": inLanguage("tlh"),
      "/own": withSearch(`lang="fr"`),
    });
  });

  const visit = async (path) => {
    page = await session.visitSearch(path);
    await page.locator("findling-search .trigger").waitFor();
  };
  const trigger = () => page.locator("findling-search .trigger span").innerText();

  for (const [path, expected] of [
    ["de", "Suche"],
    ["zh-TW", "\u641c\u5c0b"],
    ["own", "Rechercher"],
    ["xx", "Search"],
  ])
    test(`has the search in ${path}: ${expected}`, async () => {
      await visit(path);
      assert.equal(await trigger(), expected);
    });

  test("loads the file with the texts of its language and no other", async () => {
    session.server.log.length = 0;
    await visit("de");
    const loaded = session.server.log.filter((path) => /locale/.test(path));
    assert.deepEqual(loaded, ["/findling/findling-locale-west.js"]);
  });

  test("counts by the rules of its language", async () => {
    await visit("pl");
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
    const summary = await page.locator("findling-search .summary").innerText();
    assert.match(summary, /^\d+ (strona|strony|stron)[, ].* wed\u0142ug/);
    const [, count, word] = /^(\d+) (\S+?),? /.exec(summary);
    const form = new Intl.PluralRules("pl").select(Number(count));
    assert.equal(word, { one: "strona", few: "strony", many: "stron" }[form]);
  });

  test("keeps the texts that the site has set", async () => {
    await visit("de");
    await page.evaluate(() => {
      document.querySelector("findling-search").labels = { search: "Finden" };
    });
    assert.equal(await trigger(), "Finden");
    await page.keyboard.press("Control+k");
    assert.equal(
      await page.getByRole("combobox").getAttribute("placeholder"),
      "Nach W\u00f6rtern oder Bedeutung suchen",
    );
  });

  test("is mirrored if it is written from right to left", async () => {
    await visit("ar");
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
    const glass = await page.locator("findling-search .bar > svg").boundingBox();
    const close = await page.locator("findling-search .close").boundingBox();
    assert.ok(glass.x > close.x);
    const selected = page.locator("findling-search [aria-selected=true]");
    const bar = await selected.evaluate((row) => getComputedStyle(row, "::before").right);
    assert.equal(bar, "0px");
  });

  test("has the search in English if the file of its language is not deployed", async () => {
    session.server.missing = /locale/;
    await visit("de");
    expectComplaints(page, /404.*locale-west/);
    assert.equal(await trigger(), "Search");
    session.server.missing = undefined;
  });
});
