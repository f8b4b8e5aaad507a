// The script of a standalone file (`findling build --single-page`): the user interface, the client
// and the worker in one classic script, which loads nothing.
//
// After the script there is a line for each language: `//# locale NAME JSON`. The tool keeps those
// of the site (crates/site/src/client/standalone.rs).

import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as esbuild from "esbuild";

/** Replacements of modules that fetch. */
const STAND_INS = ["begin-opening", "client", "compile-module", "locale", "spawn"];

const SRC = "/src/";
const OWN = `${SRC}standalone/`;

/** Lets modules outside of `standalone/` import the ones in it. */
const standIns = {
  name: "stand-ins",
  setup(build) {
    build.onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind, resolveDir }) => {
      const name = path.split("/").at(-1);
      const replaced =
        STAND_INS.includes(name) &&
        !importer.includes(OWN) &&
        // The replacement of the client calls the client's own functions.
        (name !== "client" || kind === "dynamic-import");
      if (!replaced) return undefined;
      const src = resolveDir.slice(0, `${resolveDir}/`.lastIndexOf(SRC) + SRC.length);
      return { path: join(src, "standalone", `${name}.ts`) };
    });
  },
};

/** The text of the script. */
export async function buildStandalone(www, shared, css) {
  const text = async (options) => {
    const { outputFiles } = await esbuild.build({
      ...shared,
      write: false,
      format: "iife",
      plugins: [standIns, css],
      // package.json names what has side effects in dist/; here all of src/ may.
      ignoreAnnotations: true,
      define: { "import.meta.url": "FINDLING_SCRIPT" },
      ...options,
    });
    return outputFiles[0].text.trim();
  };
  const worker = await text({
    entryPoints: ["src/standalone/worker.ts"],
    globalName: "FINDLING_SERVED",
  });
  const page = await text({ entryPoints: ["src/standalone/standalone.ts"] });
  const script = [
    "(()=>{",
    "const FINDLING_SCRIPT=document.currentScript?.src||document.baseURI,",
    `FINDLING_WORKER=function(){${worker}return FINDLING_SERVED};`,
    page,
    "})();",
  ].join("");
  // In a page, this text ends the script.
  if (/<\/script|<!--/i.test(script))
    throw new Error(
      "the script has text that a page takes for markup: expected neither </script nor <!--",
    );
  const locales = readdirSync(join(www, "src/ui/locales")).map((file) => file.replace(/\.ts$/, ""));
  const lines = await Promise.all(
    locales.map(async (name) => {
      const source = await text({
        entryPoints: [`src/ui/locales/${name}.ts`],
        globalName: "FINDLING_LOCALE",
      });
      const { default: texts } = new Function(`${source};return FINDLING_LOCALE`)();
      return `//# locale ${name} ${JSON.stringify(texts)}`;
    }),
  );
  return `${script}\n${lines.join("\n")}\n`;
}
