// Search for Starlight: a plugin that replaces the component `Search`. The bundles of the languages
// are built after the pages. The development server searches the last build.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE, buildSite } from "../common/build.mjs";
import { handler } from "../common/serve.mjs";

/** @param {import("./index.mjs").Options} options */
export default function findling(options = {}) {
  return {
    name: "findling",
    hooks: {
      "config:setup"({ config, updateConfig, addIntegration }) {
        updateConfig({
          pagefind: false,
          components: { ...config.components, Search: "findling/starlight/Search.astro" },
        });
        const languages = Object.keys(config.locales ?? {}).filter((key) => key !== "root");
        addIntegration(integration(languages, options));
      },
    },
  };
}

function integration(languages, options) {
  let config;
  return {
    name: "findling",
    hooks: {
      "astro:config:done"(given) {
        config = given.config;
      },
      async "astro:build:done"({ dir, logger }) {
        const pages = await buildSite(fileURLToPath(dir), languages, options);
        logger.info(`${pages} pages can be searched`);
      },
      "astro:server:setup"({ server, logger }) {
        const site = fileURLToPath(config.outDir);
        if (!existsSync(join(site, BUNDLE)))
          logger.info("the search index is not built yet: run `astro build` once");
        const known = ["", ...languages];
        const locate = (key) => (known.includes(key) ? join(site, key, BUNDLE) : undefined);
        server.middlewares.use(handler(config.base.replace(/\/?$/, "/"), locate));
      },
    },
  };
}
