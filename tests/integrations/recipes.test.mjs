// Sites of generators and frameworks of npm that have no plugin here, made by the lines of
// docs/integrations.md alone.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { build, follow, followAny } from "./lib/documented.mjs";
import { copy, missing } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missing("recipes");

/** A page of the handbook as markup, for generators of components. */
function markup({ title, sections }) {
  const parts = sections.map(([heading, text]) => {
    const id = heading.toLowerCase().replaceAll(" ", "-");
    return `<h2 id="${id}">${heading}</h2><p>${text}</p>`;
  });
  return `<h1>${title}</h1>${parts.join("")}`;
}

/** Writes a file for each page; the first page is the root. */
function writePages(directory, file, text) {
  for (const page of PAGES.en) {
    const path = join(directory, page.path === "index" ? "" : page.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text(page));
  }
}

const RECIPES = {
  Eleventy: {
    write: (site) => {
      writeMarkdown(site, PAGES.en, { title: "field", extra: "layout: layout.njk\n" });
      followAny(join(site, "_includes/layout.njk"));
    },
    output: "_site",
    keepsWindow: false,
  },
  Astro: {
    write: (site) => {
      writePages(join(site, "src/pages"), "index.astro", (page) => {
        const levels = page.path === "index" ? 1 : page.path.split("/").length + 1;
        const layout = `${"../".repeat(levels)}layouts/Layout.astro`;
        const head = `---\nimport Layout from "${layout}";\n---\n`;
        return `${head}<Layout title="${page.title}"><article>${markup(page)}</article></Layout>`;
      });
      followAny(join(site, "src/layouts/Layout.astro"));
    },
    output: "dist",
    keepsWindow: false,
  },
  SvelteKit: {
    write: (site) => {
      writePages(join(site, "src/routes"), "+page.svelte", markup);
      follow(site, "SvelteKit");
    },
    output: "build",
    keepsWindow: true,
  },
  "Next.js": {
    write: (site) => {
      writePages(
        join(site, "app"),
        "page.tsx",
        (page) => `export default function Page() { return <article>${markup(page)}</article>; }`,
      );
      follow(site, "Next.js");
    },
    output: "out",
    keepsWindow: false,
  },
  Nuxt: {
    write(site) {
      for (const page of PAGES.en) {
        const file = join(site, "app/pages", `${page.path}.vue`);
        mkdirSync(dirname(file), { recursive: true });
        const menu = '<nav>Zwischenraum <NuxtLink to="/guide/firing/">Firing</NuxtLink></nav>';
        const article = `<main><article>${markup(page)}</article></main>`;
        writeFileSync(file, `<template><div>${menu}${article}</div></template>`);
      }
      follow(site, "Nuxt");
    },
    output: ".output/public",
    keepsWindow: true,
  },
};

const environment = {
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
};

for (const [name, { write, output, keepsWindow }] of Object.entries(RECIPES))
  describe(`a reader of a site of ${name}, made by the documented lines`, { skip }, () => {
    const picture = `recipe-${name.toLowerCase().replace(/\W.*/, "")}`;
    const session = new Session(() => {
      const site = copy("recipes", picture.replace("recipe-", ""));
      write(site);
      build(site, name, { env: environment });
      return host(join(site, output));
    });

    test("finds the page and the heading, and goes there", async () => {
      const page = await session.visit();
      await reader.mark(page);
      const address = "**/guide/firing/#cooling-down";
      await reader.goesToCooling(page, "Control+k", `${picture}-light`, address);
      assert.equal(await reader.isMarked(page), keepsWindow);
    });

    test("opens the search by a click, and finds nothing of the menus", async () => {
      const page = await session.visit();
      await page.locator("findling-search").getByRole("button").click({ timeout: 10_000 });
      await reader.findsNoFrame(page);
    });
  });
