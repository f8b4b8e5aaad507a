// Sites of generators without an integration of their own: two lines in the layout, and one command
// after the build(docs/integrations.md).

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { findling, root } from "../e2e/lib/bundle.mjs";
import { PAGES, writeMarkdown } from "./lib/content.mjs";
import { copy, missing, run } from "./lib/fixture.mjs";
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
  eleventy: {
    write: (site) =>
      writeMarkdown(site, PAGES.en, { title: "field", extra: "layout: layout.njk\n" }),
    build: ["eleventy"],
    output: "_site",
    keepsWindow: false,
  },
  sveltekit: {
    write: (site) => writePages(join(site, "src/routes"), "+page.svelte", markup),
    build: ["vite", "build"],
    output: "build",
    keepsWindow: true,
  },
  next: {
    write: (site) =>
      writePages(
        join(site, "app"),
        "page.jsx",
        (page) => `export default function Page() { return <article>${markup(page)}</article>; }`,
      ),
    build: ["next", "build"],
    output: "out",
    keepsWindow: false,
  },
  nuxt: {
    write(site) {
      for (const page of PAGES.en) {
        const file = join(site, "app/pages", `${page.path}.vue`);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, `<template><article>${markup(page)}</article></template>`);
      }
    },
    build: ["nuxt", "generate"],
    output: ".output/public",
    keepsWindow: false,
  },
};

for (const [name, { write, build, output, keepsWindow }] of Object.entries(RECIPES))
  describe(`a reader of a site made with the recipe for ${name}`, { skip }, () => {
    const session = new Session(() => {
      const site = copy("recipes", name);
      write(site);
      const [program, ...args] = build;
      run(site, program, args);
      const index = ["build", output, "--output", `${output}/findling`, "--encoder", "static"];
      run(site, findling, ["--quiet", ...index, "--client", join(root, "www/dist")]);
      return host(join(site, output));
    });

    test("finds the page and the heading, and goes there", async () => {
      const page = await session.visit();
      await reader.mark(page);
      await reader.goesToCooling(
        page,
        "Control+k",
        `recipe-${name}-light`,
        "**/guide/firing/#cooling-down",
      );
      assert.equal(await reader.isMarked(page), keepsWindow);
    });

    test("finds nothing of the menus", async () => {
      const page = await session.visit();
      await reader.press(page, "Control+k");
      await reader.findsNoFrame(page);
    });
  });
