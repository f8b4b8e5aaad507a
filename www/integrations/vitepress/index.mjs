// Search for VitePress: a plugin of Vite. It puts `<findling-search>` in place of the default
// theme's search, builds the bundles when the site is built, and builds them from the Markdown
// while the site is written.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE, buildBundle, buildSite, excluding } from "../common/build.mjs";
import { handler } from "../common/serve.mjs";

const COMPONENT = fileURLToPath(new URL("search.mjs", import.meta.url));
const SETTINGS = "virtual:findling/settings";
const BUTTON = "virtual:findling/button";

/** Milliseconds without a change before the Markdown is read again. */
const PAUSE = 300;

/** @param {import("./index.mjs").Options} options */
export default function findling(options = {}) {
  let components = "";
  let site;
  return {
    name: "findling",
    enforce: "pre",
    // Otherwise Vite would bundle the theme before this plugin sees its imports.
    config: () => ({
      optimizeDeps: { exclude: ["@theme/index", "findling", SETTINGS, BUTTON] },
      ssr: { noExternal: ["findling"] },
    }),
    configResolved(config) {
      site = config.vitepress;
      if (!site)
        throw new Error(
          "findling/vitepress expected the configuration of a VitePress site, found none: add it " +
            "to `vite.plugins` in .vitepress/config",
        );
      if (config.command === "build") buildAtTheEnd(site, options);
    },
    resolveId(source, importer) {
      if (/\/VPNavBarSearch\.vue$/.test(source)) {
        components = dirname(join(dirname(importer.split("?", 1)[0]), source));
        return COMPONENT;
      }
      if (source === SETTINGS) return `\0${SETTINGS}`;
      // The theme's own button, which follows its colours, its width and its texts.
      if (source === BUTTON) return join(components, "VPNavBarSearchButton.vue");
      return undefined;
    },
    load(id) {
      return id === `\0${SETTINGS}`
        ? `export default ${JSON.stringify({ labels: options.labels ?? {}, bundle: BUNDLE })}`
        : undefined;
    },
    configureServer(server) {
      server.middlewares.use(indexOfSources(site, server, options));
    },
  };
}

/** Directories of the site's languages that are not at its root. */
const languages = (site) => Object.keys(site.site.locales).filter((key) => key !== "root");

/** Builds the bundles once VitePress has written its pages, in the order of its own hooks. */
function buildAtTheEnd(site, options) {
  // Vite resolves its configuration twice: for the browser and for the server.
  if (site.findling) return;
  site.findling = true;
  const own = site.buildEnd;
  site.buildEnd = async (config) => {
    await own?.(config);
    const pages = await buildSite(config.outDir, languages(config), options);
    config.logger.info(`findling: ${pages} pages can be searched`);
  };
}

/** Serves bundles of the Markdown, which are built again after each change. */
function indexOfSources(site, server, options) {
  const keys = ["", ...languages(site)];
  const output = (key) => join(site.cacheDir, "findling", key || "root");
  const excluded = [...(site.userConfig.srcExclude ?? []), "node_modules", ".vitepress"];
  const arguments_ = [
    "--format=markdown",
    `--markdown-urls=${site.cleanUrls ? "bare" : "html"}`,
    `--language=${site.site.lang}`,
    ...excluding(excluded),
  ];
  const build = async () => {
    for (const key of keys) {
      const others = key === "" ? excluding(languages(site)) : [];
      await buildBundle(join(site.srcDir, key), output(key), options, [...arguments_, ...others]);
    }
  };
  let building;
  const start = () => {
    building = (building ?? Promise.resolve()).then(build).catch((error) => {
      server.config.logger.error(error.message);
    });
  };
  let pause;
  server.watcher.on("all", (_event, path) => {
    if (!path.endsWith(".md")) return;
    clearTimeout(pause);
    pause = setTimeout(start, PAUSE);
  });
  start();
  return handler(
    site.site.base,
    (key) => (keys.includes(key) ? output(key) : undefined),
    () => building,
  );
}
