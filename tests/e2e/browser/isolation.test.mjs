// The search looks and works the same inside any page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, pageWith } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const require = createRequire(import.meta.url);

/** Style sheets of frameworks: resets and whole themes. */
const FRAMEWORKS = {
  "@picocss/pico": "css/pico.css",
  bootstrap: "dist/css/bootstrap.css",
  bulma: "css/bulma.css",
  "materialize-css": "dist/css/materialize.css",
  milligram: "dist/milligram.css",
  "modern-normalize": "modern-normalize.css",
  "normalize.css": "normalize.css",
  purecss: "build/pure.css",
  tailwindcss: "preflight.css",
  "water.css": "out/water.css",
};

/** Styles with which a page may affect its contents. */
const HOSTILE = {
  "inherited text": `header { white-space: nowrap; text-transform: uppercase; letter-spacing: .15em;
    text-align: center; text-shadow: 0 2px 3px red; word-spacing: .3em; font-style: italic;
    text-indent: 2em; cursor: wait; line-height: 3; font-weight: 800; word-break: break-all }`,
  "more inherited text": `header { font-variant: small-caps; hyphens: auto; tab-size: 1;
    font-stretch: condensed; quotes: none; text-wrap: nowrap; overflow-wrap: anywhere;
    font-feature-settings: "smcp"; -webkit-text-stroke: 1px red; color: lime; caret-color: red;
    list-style: square; border-collapse: collapse; text-decoration: underline }`,
  "a root of 50 %": "html { font-size: 50% } body { font-size: 2rem }",
  "a root of 62.5 %": "html { font-size: 62.5% } body { font-size: 1.6rem }",
  "a root of 137.5 %": "html { font-size: 137.5% } body { font-size: .8rem }",
  "a root of 200 %": "html { font-size: 200% }",
  "no selection": "* { user-select: none; -webkit-user-select: none }",
  "no pointer events": "header { pointer-events: none }",
  "another direction": "header { direction: rtl }",
  "vertical writing": "header { writing-mode: vertical-rl; text-orientation: upright }",
  "hidden text": "header { color: transparent; font-size: 0; line-height: 0 }",
  transforms: "header { transform: rotate(3deg) scale(.8); filter: blur(2px); opacity: .4 }",
  clipping: "header { overflow: hidden; block-size: 40px; contain: paint; clip-path: inset(0) }",
  layers: "header { z-index: -1; position: relative; isolation: isolate }",
  "rules for everything": `* { margin: 7px !important; padding: 9px !important;
    border: 3px solid red !important; font: italic 30px/2 serif !important;
    text-transform: uppercase !important; letter-spacing: 3px !important }`,
  "a reset of everything": "* { all: unset }",
  "rules for elements": `dialog { inline-size: 50px }
    button, input { font: 40px serif; padding: 30px; border-radius: 0 }
    a { color: red; text-decoration: underline } svg { inline-size: 99px }
    b, small, mark, kbd { display: block; font-size: 40px } [hidden] { display: block }`,
  "rules for classes": `.panel, .bar, .hit, .title, .text, .facets, .chip, .foot, .close, .trigger {
    display: none !important; color: red !important }`,
  "a dark scheme": "html { color-scheme: dark }",
  zoom: "header { zoom: 1.5 }",
};

/** The dialog is drawn over this. Lengths follow the reader's text size. */
const html = (css) =>
  pageWith(
    "Hostile",
    `<style>${css}</style><script type="module" src="/findling/findling-ui.js"></script>`,
    `<header><findling-search theme="light" mode="lexical"></findling-search></header>`,
  );

/** Takes pictures until three in a row are equal, so that late drawing is complete. */
async function settled(take) {
  let [last, alike] = [await take(), 1];
  for (let turn = 0; alike < 3 && turn < 50; turn++) {
    await sleep(100);
    const next = await take();
    alike = next.picture.equals(last.picture) ? alike + 1 : 1;
    last = next;
  }
  return last;
}

describe("a reader on a page with styles of its own", () => {
  let expected;
  let server;
  const session = new Session(async () => {
    server = await serve([build()], {});
    return server;
  });

  /** A picture of the dialog with results, and its readable text. */
  const look = async (css) => {
    server.pages["/"] = html(css);
    const page = await session.visitSearch("", { reducedMotion: "reduce" });
    await page.evaluate(() => document.querySelector("findling-search").show());
    await ask(page, "pinholes");
    await page.getByRole("option").first().waitFor();
    await page.mouse.move(2, 2);
    const dialog = page.getByRole("dialog");
    return settled(async () => {
      const seen = await page.evaluate(() => {
        const { shadowRoot } = document.querySelector("findling-search");
        const parts = ["dialog", "input", ".hit", ".title", ".text", ".facets", ".foot", ".close"];
        const boxes = parts.map((part) => {
          const { x, y, width, height } = shadowRoot.querySelector(part).getBoundingClientRect();
          return [part, ...[x, y, width, height].map(Math.round)].join(" ");
        });
        return [...boxes, shadowRoot.querySelector(".hit").innerText];
      });
      const { x, y, width, height } = await dialog.boundingBox();
      // Without the edges, where the page is visible.
      const clip = { x: x + 16, y: y + 16, width: width - 32, height: height - 32 };
      return { seen, picture: await page.screenshot({ clip }) };
    });
  };

  before(async () => {
    expected = await look("");
  });

  for (const [name, css] of Object.entries(HOSTILE))
    test(`sees the same search: ${name}`, async () => {
      const { seen, picture } = await look(css);
      assert.deepEqual(seen, expected.seen);
      assert.ok(picture.equals(expected.picture), "the picture differs");
    });

  for (const [name, file] of Object.entries(FRAMEWORKS))
    test(`sees the same search in a page with ${name}`, async () => {
      const { seen, picture } = await look(
        readFileSync(require.resolve(`${name}/${file}`), "utf8"),
      );
      assert.deepEqual(seen, expected.seen);
      assert.ok(picture.equals(expected.picture), "the picture differs");
    });

  test("can select text in it, and use a button in a header without pointer events", async () => {
    server.pages["/"] = html("header { pointer-events: none; user-select: none }");
    const page = await session.visitSearch();
    await page.getByRole("button", { name: "Search" }).click();
    await ask(page, "pinholes");
    const selects = await page
      .locator("findling-search .text")
      .first()
      .evaluate((text) => getComputedStyle(text).userSelect);
    assert.notEqual(selects, "none");
  });

  test("opens it from a header that is not shown", async () => {
    server.pages["/"] = html("header { visibility: hidden }");
    const page = await session.visit();
    await page.locator("findling-search:defined").waitFor({ state: "attached" });
    assert.equal(await page.locator("findling-search .trigger").isVisible(), false);
    await page.evaluate(() => document.querySelector("findling-search").show());
    await ask(page, "pinholes");
    assert.ok(await page.getByRole("option").first().isVisible());
  });

  test("uses it from a part of the page that is inert", async () => {
    server.pages["/"] = html("").replace("<header>", "<header inert>");
    const page = await session.visitSearch();
    await page.evaluate(() => document.querySelector("findling-search").show());
    await page.keyboard.type("pinholes");
    await page.getByRole("option").first().waitFor();
  });

  test("uses it in a sandboxed frame, below a path", async () => {
    server.pages["/"] = html("");
    server.pages["/frame"] = pageWith(
      "Frame",
      "",
      `<iframe sandbox="allow-scripts" src="/" width="900" height="600"></iframe>
<iframe id="written" width="900" height="600"></iframe>`,
    );
    server.isShared = true;
    const page = await session.visit("frame");
    await page.locator("#written").evaluate((frame, text) => {
      frame.srcdoc = text;
    }, html(""));
    for (const frame of ["[sandbox]", "#written"]) {
      const inner = await (await page.locator(frame).elementHandle()).contentFrame();
      await inner.locator("findling-search:defined").waitFor();
      await inner.evaluate(() => document.querySelector("findling-search").show());
      await inner.locator("findling-search input").fill("pinholes");
      const first = inner.locator("findling-search [role=option]").first();
      await first.waitFor();
      const href = await first.evaluate((row) => row.href);
      assert.ok(href.startsWith(`${server.url}guide/`), href);
    }
  });

  test("reads texts in the size that the reader has chosen", async () => {
    server.pages["/"] = html("html { font-size: 10px }");
    const page = await session.visitSearch();
    await page.evaluate(() => document.querySelector("findling-search").show());
    const size = await page
      .locator("findling-search .panel")
      .evaluate((panel) => getComputedStyle(panel).fontSize);
    assert.equal(size, "16px");
  });
});
