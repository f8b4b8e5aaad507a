// The files of the playground that are no part of the page: its worker, the indexer as WebAssembly,
// and the client with the rules of all languages. The site's own client has only its own language.

import { cpSync, createReadStream, existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const CLIENT =
  /^findling(?:-(?:ui|worker|history|assistant|locale-[\w-]+))?\.js$|^findling_engine.*\.wasm$/;

/** A plugin of Vite that puts the files into `playground/` of a site. */
export function playground(root) {
  const files = () =>
    [
      [join(root, "site/playground"), /\.js$/],
      [join(root, "www/wasm/playground"), /\.(?:js|wasm)$/],
      [join(root, "www/dist"), CLIENT],
    ].flatMap(([directory, wanted]) =>
      existsSync(directory)
        ? readdirSync(directory)
            .filter((name) => wanted.test(name))
            .map((name) => join(directory, name))
        : [],
    );
  return {
    name: "playground-of-the-site",
    configResolved({ command, vitepress: site, logger }) {
      // Vite resolves its configuration twice: for the browser and for the server.
      if (command !== "build" || site.playground) return;
      site.playground = true;
      if (!existsSync(join(root, "www/wasm/playground")))
        logger.warn("the playground has no indexer: `cargo xtask site` builds it");
      const own = site.buildEnd;
      site.buildEnd = async (config) => {
        await own?.(config);
        const target = join(config.outDir, "playground");
        mkdirSync(target, { recursive: true });
        for (const file of files()) cpSync(file, join(target, basename(file)));
      };
    },
    configureServer(server) {
      const { base } = server.config;
      server.middlewares.use((request, response, next) => {
        const [path] = request.url.split("?", 1);
        const name = path.startsWith(`${base}playground/`) ? basename(path) : "";
        const file = files().find((known) => basename(known) === name);
        if (!file) return next();
        response.setHeader("content-type", TYPES[/\.\w+$/.exec(name)[0]]);
        createReadStream(file).pipe(response);
      });
    },
  };
}
