// The site of Findling: the repository's documents, and the pages in ../pages. It is searched by
// Findling.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import findling from "../../www/integrations/vitepress/index.mjs";
import { indexes } from "./beside/indexes.mjs";
import { charts } from "./charts.mjs";
import { code } from "./code.mjs";
import { links } from "./links.mjs";
import { addressOf, REPOSITORY, SOURCES } from "./pages.mjs";
import { playground } from "./playground/assets.mjs";
import { navigation, sidebar } from "./sidebar.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Packages that the documents and the plugin need. In the places of these files, nothing is
 * installed.
 */
const packages = {
  name: "packages-of-the-site",
  enforce: "pre",
  resolveId(source, importer, options) {
    const elsewhere = importer?.startsWith(root) && !importer.startsWith(join(root, "site/"));
    if (!elsewhere || !/^vue(?:\/|$)/.test(source)) return undefined;
    return this.resolve(source, fileURLToPath(import.meta.url), { ...options, skipSelf: true });
  },
};

export default defineConfig({
  title: "Findling",
  description: "Search by words and by meaning that ships with a static site",
  lang: "en",
  base: process.env.FINDLING_SITE_BASE ?? "/",
  srcDir: "..",
  srcExclude: SOURCES.excluded,
  rewrites: addressOf,
  cleanUrls: false,
  lastUpdated: false,
  head: [["link", { rel: "icon", href: "data:," }]],
  // The first page has no landmark for its content.
  transformHtml: (html) => html.replace('<div class="VPContent is-home"', '$& role="main"'),
  markdown: {
    // The default colours of code are too faint.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown) {
      markdown.use(code);
      markdown.use(links, root);
      markdown.use(charts, root);
    },
  },
  themeConfig: {
    nav: navigation,
    sidebar,
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    footer: { message: "MIT or Apache-2.0, at your choice." },
  },
  vite: { plugins: [packages, playground(root), findling(), indexes()] },
});
