// Rows that a reader can distinguish, and further sections that all add information.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { ask, withResults, withSearch } from "../lib/browser.mjs";
import { dist, run, scratch } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

/** Pages by path: title, then sections of heading and text. */
const PAGES = {
  ...Object.fromEntries(
    ["billing", "storage", "search", "mail"].flatMap((part) => [
      [
        `${part}/overview/index.html`,
        ["Overview", ["", `What the ${part} service does and where its parts are.`]],
      ],
      [`v1/${part}.html`, ["Installation", ["", `Install the ${part} package, release one.`]]],
      [`v2/${part}.html`, ["Installation", ["", `Install the ${part} package, release two.`]]],
    ]),
  ),
  "traits.html": [
    "Traits",
    ["", "A trait tells what a type can do."],
    ["Generics", "Generics are one way to share code."],
    ["Drawbacks", "Generics are compiled for every type, so the program grows."],
    ["Objects", "Objects of a trait are another way to share code."],
    ["Drawbacks", "Objects of a trait cost a call through a pointer, a drawback in loops."],
    ["Limits", "A drawback of both is the time to compile."],
  ],
};

function site() {
  const directory = scratch();
  for (const [path, [title, ...sections]] of Object.entries(PAGES)) {
    const body = sections.map(([heading, text], i) => {
      const level = heading === "Drawbacks" ? "h3" : "h2";
      return `${heading ? `<${level} id="s${i}">${heading}</${level}>` : ""}<p>${text}</p>`;
    });
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(
      join(directory, path),
      `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>
${body.join("\n")}</main></html>`,
    );
  }
  const bundle = join(directory, "findling");
  run("--quiet", "build", directory, "--output", bundle, "--client", dist, "--encoder", "hash");
  return directory;
}

describe("a reader who compares results", () => {
  let page;
  const session = new Session(() =>
    serve([site()], {
      "/": withSearch(`mode="lexical"`),
      "/results": withResults(`mode="lexical"`),
    }),
  );
  beforeEach(async () => {
    page = await session.visitSearch();
    await page.keyboard.press("Control+k");
  });
  const rows = () => page.getByRole("option").allInnerTexts();

  for (const [query, title] of [
    ["overview", "Overview"],
    ["installation", "Installation"],
  ])
    test(`tells pages apart that are all called "${title}"`, async () => {
      await ask(page, query);
      const found = (await rows()).filter((text) => text.startsWith(title));
      assert.ok(found.length >= 4, found.join("\n\n"));
      const heads = found.map((text) => text.split("\n").slice(0, 3).join(" "));
      assert.equal(new Set(heads).size, found.length, heads.join("\n"));
      const places = await page.locator("findling-search .place").allInnerTexts();
      assert.equal(new Set(places).size, found.length, places.join("\n"));
    });

  test("sees no place where titles differ", async () => {
    await ask(page, "traits");
    assert.equal(await page.locator("findling-search .place").count(), 0);
  });

  test("sees further sections with a snippet each, and none twice", async () => {
    await ask(page, "drawback");
    const subs = await page.locator("findling-search .sub").evaluateAll((found) =>
      found.map((sub) => ({
        heading: sub.querySelector("span").innerText,
        snippet: sub.querySelector(".text")?.innerText ?? "",
        href: sub.href.split(":~:")[0],
      })),
    );
    assert.ok(subs.length >= 2, JSON.stringify(subs));
    for (const key of ["heading", "href"])
      assert.equal(new Set(subs.map((sub) => sub[key])).size, subs.length, JSON.stringify(subs));
    for (const { snippet } of subs) assert.match(snippet, /\S/);
  });

  test("sees the same on the page of results", async () => {
    page = await session.visitResults("results?q=overview");
    const places = await page.locator("findling-results .place").allInnerTexts();
    assert.ok(places.length >= 4);
    assert.equal(new Set(places).size, places.length);
    page = await session.visitResults("results?q=drawback");
    const snippets = await page.locator("findling-results .sub .text").allInnerTexts();
    assert.ok(snippets.length >= 2);
  });

  test("opens the section of the row that was chosen", async () => {
    await ask(page, "drawback");
    const sub = page.locator("findling-search .sub").last();
    const href = (await sub.getAttribute("href")).split(":~:")[0];
    await page.evaluate(() => {
      document.addEventListener("findling-select", (event) => {
        event.preventDefault();
        window.chosen = event.detail;
      });
    });
    await sub.click();
    const { chosen, section } = await page.evaluate(() => ({
      chosen: window.chosen.href,
      section: window.chosen.section.href,
    }));
    assert.equal(chosen, href.replace(/#$/, ""));
    assert.equal(section, chosen);
  });
});
