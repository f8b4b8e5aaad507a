// Search for Docusaurus: a theme with the component `SearchBar`, for which no other theme needs to
// be changed. The bundle of each language is built after its pages. The development server searches
// the last build.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE, buildBundle, client, excluding } from "../common/build.mjs";

const THEME = fileURLToPath(new URL("theme", import.meta.url));

/** @param {import("./index.mjs").Options} options */
export default function findling(context, options) {
  const { i18n, outDir, baseUrl } = context;
  const bundle = join(outDir, BUNDLE);
  return {
    name: "findling",
    getThemePath: () => THEME,
    contentLoaded({ actions }) {
      actions.setGlobalData({ labels: options.labels?.[i18n.currentLocale] ?? {} });
    },
    configureWebpack: () => ({
      devServer: {
        static: [bundle, client].map((directory) => ({
          directory,
          publicPath: `${baseUrl}${BUNDLE}`,
          watch: false,
        })),
      },
    }),
    async postBuild() {
      const others = i18n.locales
        .filter((locale) => locale !== i18n.currentLocale)
        .map((locale) => i18n.localeConfigs[locale]?.path ?? locale);
      const { pages } = await buildBundle(outDir, bundle, options, excluding(others));
      console.log(`findling: ${pages} pages can be searched`);
    },
  };
}
