// Sites in several languages: the engine of a site has the rules of the site's languages, and finds
// inflected words with them.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { withClient } from "../lib/browser.mjs";
import { dist, run, scratch } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

/** A page by language, and other forms of its words. */
const PAGES = {
  en: {
    title: "Kilns",
    text: "The potters were glazing their bowls.",
    asked: ["potter", "glazes", "bowl"],
  },
  de: {
    title: "H\u00e4user",
    text: "Die G\u00e4rtner schneiden gro\u00dfe Hecken in alten G\u00e4rten.",
    asked: ["Gartens", "gaerten", "Hecke"],
  },
  es: {
    title: "Ventanas",
    text: "Los trabajadores limpiaban aquellos cristales.",
    asked: ["trabajador", "limpiar", "cristal"],
  },
  ru: {
    title: "\u041e\u043a\u043d\u0430",
    text:
      "\u0421\u0442\u0430\u0440\u044b\u0435 \u043a\u043d\u0438\u0433\u0438 " +
      "\u043b\u0435\u0436\u0430\u043b\u0438 \u043d\u0430 \u043f\u043e\u043b\u043a\u0430\u0445.",
    asked: ["\u043a\u043d\u0438\u0433\u0430", "\u043f\u043e\u043b\u043a\u0430"],
  },
};

/** A site with a page in each of these languages, and its bundle in `findling/`. */
function siteIn(...languages) {
  const site = scratch();
  for (const language of languages) {
    const { title, text } = PAGES[language];
    mkdirSync(join(site, language));
    writeFileSync(
      join(site, language, "index.html"),
      `<!doctype html><html lang="${language}"><title>${title}</title>` +
        `<main><h1>${title}</h1><p>${text}</p></main></html>`,
    );
  }
  run(
    "--quiet",
    "build",
    site,
    "--output",
    join(site, "findling"),
    "--client",
    dist,
    "--encoder",
    "none",
  );
  return site;
}
/** Bytes of an engine after brotli, as hosts send it. */
const sent = (file) => brotliCompressSync(readFileSync(file)).length;
const engine = (site) => sent(join(site, "findling/findling_engine.wasm"));

describe("languages", () => {
  const session = new Session();

  /** The titles that each query finds, or the error. */
  async function asked(directories, queries) {
    const { url } = session.keep(await serve(directories, { "/": withClient() }));
    const page = await session.visitClient(url);
    return page.evaluate(async (queries) => {
      try {
        const index = await findling.open("/findling/");
        const answers = [];
        for (const query of queries)
          answers.push(
            (await index.search(query, { suggest: false })).results.map(({ title }) => title),
          );
        return answers;
      } catch ({ code, message, remedy }) {
        return { code, message, remedy };
      }
    }, queries);
  }

  for (const languages of [["en", "de", "es", "ru"], ["es"], ["ru", "de"]]) {
    test(`a site in ${languages.join(", ")} finds inflected words`, async () => {
      const site = siteIn(...languages);
      const queries = languages.flatMap((language) =>
        PAGES[language].asked.map((query) => [query, PAGES[language].title]),
      );
      const answers = await asked(
        [site],
        queries.map(([query]) => query),
      );
      assert.deepEqual(
        answers,
        queries.map(([, title]) => [title]),
      );
    });
  }

  test("an engine has only the languages of its site", () => {
    const [english, spanish, both, all] = [
      engine(siteIn("en")),
      engine(siteIn("es")),
      engine(siteIn("en", "es", "de")),
      sent(join(dist, "findling_engine.wasm")),
    ];
    assert.ok(english < spanish && spanish < english + 4_000, `${english} ${spanish}`);
    assert.ok(spanish < both && both < english + 8_000, `${spanish} ${both}`);
    assert.ok(all > english + 25_000, `${all}`);
  });

  test("an engine without a language of the bundle refuses it with a remedy", async () => {
    const spanish = siteIn("es");
    cpSync(
      join(siteIn("en"), "findling/findling_engine.wasm"),
      join(spanish, "findling/findling_engine.wasm"),
    );
    const { code, message, remedy } = await asked([spanish], ["cristal"]);
    assert.equal(code, "analysis", message);
    assert.ok(remedy.length > 0);
  });
});
