// The indexes of the page that puts three searches beside each other: Pagefind's, and a list of
// sections for MiniSearch. Findling's own is the search of the site.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import MiniSearch from "minisearch";
import * as pagefind from "pagefind";
import { program } from "../../../www/bin/program.mjs";
import { OPTIONS } from "./minisearch.mjs";

/** Most bytes of the sections of the site. */
const MAX_SECTIONS = 64 << 20;

/** A plugin of Vite that writes them into `beside/` and `pagefind/` of a built site. */
export const indexes = () => ({
  name: "indexes-beside",
  configResolved({ command, vitepress: site }) {
    // Vite resolves its configuration twice: for the browser and for the server.
    if (command !== "build" || site.beside) return;
    site.beside = true;
    const own = site.buildEnd;
    site.buildEnd = async (config) => {
      await own?.(config);
      await writePagefind(config.outDir);
      writeMiniSearch(config.outDir, config.site.base);
    };
  },
});

/** Pagefind reads the main part of each page, as Findling does. */
async function writePagefind(site) {
  const { index, errors } = await pagefind.createIndex({ rootSelector: "main" });
  const added = await index.addDirectory({ path: site });
  const written = await index.writeFiles({ outputPath: join(site, "pagefind") });
  await pagefind.close();
  const failed = [...errors, ...added.errors, ...written.errors];
  if (failed.length > 0) throw new Error(`Pagefind: ${failed.join(", ")}`);
}

/** The sections that Findling reads, so that MiniSearch has the same texts and anchors. */
function writeMiniSearch(site, base) {
  const options = { encoding: "utf8", maxBuffer: MAX_SECTIONS };
  const lines = execFileSync(program(), ["--quiet", "sections", site], options);
  const sections = lines.split("\n").filter(Boolean).map(JSON.parse);
  const index = new MiniSearch(OPTIONS);
  index.addAll(
    sections.map(({ url, anchor, title, heading, text }, id) => ({
      id,
      href: base + url.replace(/^\//, "") + (anchor ? `#${anchor}` : ""),
      title,
      heading: heading ?? "",
      text,
    })),
  );
  mkdirSync(join(site, "beside"), { recursive: true });
  writeFileSync(join(site, "beside/sections.json"), JSON.stringify(index));
}
