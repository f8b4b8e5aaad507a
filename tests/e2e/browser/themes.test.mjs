// The themes of the package: a site copies one file, and the search looks like its generator.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ask, withResults, withSearch } from "../lib/browser.mjs";
import { build, root } from "../lib/bundle.mjs";
import { faintTexts } from "../lib/contrast.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const directory = join(root, "www/integrations/themes");

/**
 * The themes: how a page becomes light and dark; `[background, text, accent]` of both if the page
 * has no variables of the generator; and the variables with the same values.
 */
const THEMES = {
  material: {
    light: `data-md-color-scheme="default"`,
    dark: `data-md-color-scheme="slate"`,
    colours: {
      light: ["#ffffff", "#212121", "#4051b5"],
      dark: ["#1e2129", "#bec1c6", "#7fa6ee"],
    },
    variables: ["--md-default-bg-color", "--md-default-fg-color"],
  },
  docusaurus: {
    light: `data-theme="light"`,
    dark: `data-theme="dark"`,
    colours: {
      light: ["#ffffff", "#1c1e21", "#2d66c3"],
      dark: ["#242526", "#e3e3e3", "#72a1ed"],
    },
    variables: ["--ifm-background-surface-color", "--ifm-font-color-base"],
  },
  vitepress: {
    light: `class=""`,
    dark: `class="dark"`,
    colours: {
      light: ["#ffffff", "#3c3c43", "#3451b2"],
      dark: ["#1b1b1f", "#dfdfd6", "#a8b1ff"],
    },
    variables: ["--vp-c-bg", "--vp-c-text-1"],
  },
  starlight: {
    light: `data-theme="light"`,
    dark: `data-theme="dark"`,
    colours: {
      light: ["#ffffff", "#17181c", "#3d50f5"],
      dark: ["#17181c", "#ffffff", "#b3c7ff"],
    },
    variables: ["--sl-color-bg", "--sl-color-white"],
  },
  github: {
    light: `data-color-mode="light"`,
    dark: `data-color-mode="dark"`,
    colours: {
      light: ["#ffffff", "#1f2328", "#0969da"],
      dark: ["#0d1117", "#f0f6fc", "#4493f8"],
    },
    variables: ["--bgColor-default", "--fgColor-default"],
  },
};
const SCHEMES = ["light", "dark"];

/** A page with a theme's file on it, light or dark by the switch of its generator. */
const themed = (name, scheme, more = "", element = withSearch) =>
  element(`theme="page" mode="lexical"`)
    .replace('<html lang="en">', `<html lang="en" ${THEMES[name][scheme]}>`)
    .replace(
      "</head>",
      `<link rel="stylesheet" href="/${name}.css">
<style>body { background: ${THEMES[name].colours[scheme][0]} } ${more}</style></head>`,
    );

/** The colours of the open dialog, without what can be seen through it. */
const drawn = (page) =>
  page.evaluate(() => {
    const search = document.querySelector("findling-search").shadowRoot;
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const opaque = (color, below) => {
      for (const layer of [below, color]) {
        canvas.fillStyle = layer;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
      return `#${[red, green, blue].map((value) => value.toString(16).padStart(2, "0")).join("")}`;
    };
    const of = (selector) => getComputedStyle(search.querySelector(selector));
    const background = of("dialog").backgroundColor;
    return [
      opaque(background, "white"),
      opaque(of("dialog").color, background),
      opaque(of(".path, .sub span").color, background),
    ];
  });

/** Opens the search with an answer that has filters, a chosen one, sections and a selected row. */
async function answer(page) {
  await page.keyboard.press("Control+k");
  await ask(page, "kiln");
  await page.locator("findling-search .chip").first().click();
  await page.locator('findling-search .chip[aria-pressed="true"]').waitFor();
  await page.locator("findling-search .panel[aria-busy=false]").waitFor();
  await page.getByRole("combobox").focus();
  await page.keyboard.press("ArrowDown");
  await page.locator('findling-search .hit[aria-selected="true"]').waitFor();
}

/** Sets an attribute of the page, as the switch of its generator does. */
const set = (page, attribute) =>
  page.evaluate(
    ([name, value]) => document.documentElement.setAttribute(name, value),
    /([\w-]+)="(.*)"/.exec(attribute).slice(1),
  );

/** The pages of all themes, by path. */
const pages = Object.fromEntries(
  Object.entries(THEMES).flatMap(
    ([
      name,
      {
        variables: [background, text],
      },
    ]) => [
      ...SCHEMES.flatMap((scheme) => [
        [`/${name}/${scheme}`, themed(name, scheme)],
        [`/${name}/${scheme}/results`, themed(name, scheme, "", withResults)],
      ]),
      [
        `/${name}/own`,
        themed(
          name,
          "light",
          `:root { ${background}: #fdf6e3; ${text}: #073642 }
:root:is(.dark, [data-theme=dark], [data-md-color-scheme=slate], [data-color-mode=dark]) {
  ${background}: #002b36; ${text}: #eee8d5 }`,
        ),
      ],
    ],
  ),
);

/** Asserts that every text of an element has a contrast of at least 4.5:1. */
async function noFaintText(page, name) {
  const element = await page.locator(name).elementHandle();
  const { faint, count } = await page.evaluate(
    ([faintTexts, element]) => new Function(`return ${faintTexts}`)()(element, 4.5),
    [String(faintTexts), element],
  );
  assert.ok(count > 20, `${count} texts`);
  assert.deepEqual(faint, []);
}

describe("a site with a theme of the package", () => {
  const session = new Session(() => serve([build(), directory], pages));

  test("finds each theme in a file of its own", () => {
    const files = readdirSync(directory).map((file) => file.replace(/\.css$/, ""));
    assert.deepEqual(files.sort(), Object.keys(THEMES).sort());
    for (const name of files)
      assert.doesNotMatch(readFileSync(join(directory, `${name}.css`), "utf8"), /url\(|@import/);
  });

  for (const [name, { colours, dark }] of Object.entries(THEMES)) {
    for (const scheme of SCHEMES)
      test(`has the colours of ${name}, ${scheme}, and no faint text`, async () => {
        const page = await session.visitSearch(`${name}/${scheme}`);
        await answer(page);
        assert.deepEqual(await drawn(page), colours[scheme]);
        await noFaintText(page, "findling-search");
      });

    for (const scheme of SCHEMES)
      test(`has no faint text on a page of results of ${name}, ${scheme}`, async () => {
        const page = await session.visitResults(`${name}/${scheme}/results?q=kiln&f.kind=faq`);
        const text = await page
          .locator("findling-results")
          .evaluate((element) => getComputedStyle(element).getPropertyValue("--findling-text"));
        assert.notEqual(text, "", "the theme is for the page of results, too");
        await noFaintText(page, "findling-results");
      });

    test(`changes with the switch of ${name}, while the search is open`, async () => {
      const page = await session.visitSearch(`${name}/light`);
      await answer(page);
      await set(page, dark);
      assert.deepEqual(await drawn(page), colours.dark);
    });

    test(`keeps the colours that a site of ${name} has chosen`, async () => {
      const page = await session.visitSearch(`${name}/own`);
      await answer(page);
      assert.deepEqual((await drawn(page)).slice(0, 2), ["#fdf6e3", "#073642"]);
      await set(page, dark);
      assert.deepEqual((await drawn(page)).slice(0, 2), ["#002b36", "#eee8d5"]);
    });
  }

  test("follows the reader's setting where a page of GitHub's look does", async () => {
    const page = await session.visitSearch("github/light", { colorScheme: "dark" });
    await answer(page);
    assert.equal((await drawn(page))[0], THEMES.github.colours.light[0]);
    await set(page, `data-color-mode="auto"`);
    assert.equal((await drawn(page))[0], THEMES.github.colours.dark[0]);
  });
});
