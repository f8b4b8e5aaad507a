// Search tools in JavaScript, behind one interface.
//
// `index(documents, scratch)` of a tool returns `{ search, ids, files }`: `search(text)` is timed,
// `ids(answer)` are the documents of its first ten results, `files` are the files of the index that
// a static site would deploy, without code.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { create, insertMultiple, save, search as searchOrama } from "@orama/orama";
import MiniSearch from "minisearch";
import * as pagefind from "pagefind";

const LIMIT = 10;

function filesBelow(directory, wanted) {
  const names = readdirSync(directory, { recursive: true }).filter(
    (name) => wanted(name) && statSync(join(directory, name)).isFile(),
  );
  return names.sort().map((name) => readFileSync(join(directory, name)));
}

/** Opens a bundle with the wasm engine. Shards are read from disk. */
export async function openBundle(bundle, engineDirectory) {
  const path = join(resolve(engineDirectory), "findling_engine.js");
  if (!existsSync(path))
    throw new Error(`${path}: there is no such module; build it (\`cargo xtask wasm\`)`);
  const { initSync, Engine, manifestOf } = await import(pathToFileURL(path));
  initSync({ module: readFileSync(join(engineDirectory, "findling_engine_bg.wasm")) });
  const read = (name) => readFileSync(join(bundle, name));
  const entry = read("findling.idx");
  if (entry.length > 48)
    throw new Error(`${bundle}: its shards are in packs; build it with --host files`);
  // Shards come after the manifest in its file (docs/format.md).
  const manifest = read(manifestOf(entry)).subarray(0, entry.readUInt32LE(12));
  // Streamed, as in a browser: only the cells near the query are read.
  const engine = Engine.open(entry, manifest, true);
  return (request) => {
    const search = engine.search(JSON.stringify(request));
    try {
      for (;;) {
        const answer = search.step(engine);
        if (!answer.startsWith("[")) return JSON.parse(answer);
        for (const { id, path: shard } of JSON.parse(answer)) engine.provide(id, read(shard));
      }
    } finally {
      search.free();
    }
  };
}

/** Findling in wasm, with options of the build. */
function findling(program, engineDirectory, mode, options) {
  return async (documents, scratch) => {
    const corpus = join(scratch, "corpus.jsonl");
    writeFileSync(
      corpus,
      documents
        .map(({ id, title, text }) => `${JSON.stringify({ _id: id, title, text })}\n`)
        .join(""),
    );
    const bundle = join(scratch, "findling");
    const line = [
      "build",
      corpus,
      "-o",
      bundle,
      "--no-client",
      "--language",
      "en",
      "--quiet",
      "--host=files",
      ...options,
    ];
    const { error, stderr } = spawnSync(program, line, {
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (error || !existsSync(join(bundle, "findling.idx")))
      throw new Error(`findling build failed: ${error ?? stderr.trim()}`);
    const ask = await openBundle(bundle, engineDirectory);
    return {
      search: (query) => ask({ query, mode, limit: LIMIT }),
      ids: ({ results }) => results.map(({ id }) => id),
      files: filesBelow(bundle, () => true),
    };
  };
}

function miniSearch(searchOptions) {
  return async (documents) => {
    const index = new MiniSearch({ fields: ["title", "text"] });
    index.addAll(documents);
    const options = { boost: { title: 2 }, prefix: false, combineWith: "OR", ...searchOptions };
    return {
      search: (query) => index.search(query, options),
      ids: (results) => results.slice(0, LIMIT).map(({ id }) => id),
      files: [Buffer.from(JSON.stringify(index))],
    };
  };
}

async function orama(documents) {
  const tokenizer = { language: "english", stemming: true };
  const db = create({ schema: { title: "string", text: "string" }, components: { tokenizer } });
  await insertMultiple(db, documents);
  return {
    search: (term) =>
      searchOrama(db, { term, properties: ["title", "text"], boost: { title: 2 }, limit: LIMIT }),
    ids: ({ hits }) => hits.map(({ id }) => id),
    files: [Buffer.from(JSON.stringify(save(db)))],
  };
}

const escaped = (text) =>
  text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

/** Defines the parts of a browser that Pagefind's client needs: a page, and `fetch` of files. */
function actAsBrowser(language) {
  const { fetch } = globalThis;
  globalThis.document ??= {
    querySelector: () => ({ getAttribute: () => language }),
    currentScript: null,
  };
  globalThis.window ??= { location: new URL("http://localhost/") };
  globalThis.fetch = async (url, ...rest) => {
    const bare = String(url).split("?")[0];
    const path = bare.startsWith("file:")
      ? fileURLToPath(bare)
      : bare.startsWith("/") && existsSync(bare)
        ? bare
        : null;
    return path === null ? fetch(url, ...rest) : new Response(readFileSync(path));
  };
}

/**
 * Pagefind's client over an index of documents, and the id of a document by the URL of its page. A
 * document is an HTML page with the title as heading, since Pagefind weights headings; with `site`,
 * the documents are the HTML files of that directory.
 */
export async function openPagefind(documents, scratch, site, language = "en") {
  const { index, errors } = await pagefind.createIndex({ forceLanguage: language });
  if (!index) throw new Error(`pagefind failed: ${errors.join(", ")}`);
  if (site) {
    const added = await index.addDirectory({ path: site });
    if (added.errors.length > 0) throw new Error(`pagefind failed: ${added.errors.join(", ")}`);
  }
  for (const [i, { title, text }] of site ? [] : documents.entries()) {
    const content =
      `<!doctype html><html lang="en"><title>${escaped(title)}</title>` +
      `<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p></body></html>`;
    const added = await index.addHTMLFile({ url: `/${i}`, content });
    if (added.errors.length > 0) throw new Error(`pagefind failed: ${added.errors.join(", ")}`);
  }
  const out = join(scratch, "pagefind");
  const written = await index.writeFiles({ outputPath: out });
  await pagefind.close();
  if (written.errors.length > 0) throw new Error(`pagefind failed: ${written.errors.join(", ")}`);
  actAsBrowser(language);
  const client = await import(pathToFileURL(join(out, "pagefind.js")));
  await client.options({ basePath: `${out}/`, baseUrl: "/", noWorker: true });
  await client.init();
  const idOf = (url) => (site ? decodeURI(url.slice(1)) : documents[Number(url.slice(1))].id);
  return { client, idOf, out };
}

async function pagefindOf(documents, scratch) {
  const { client, idOf, out } = await openPagefind(documents, scratch, null);
  return {
    search: (query) => client.search(query),
    ids: async ({ results }) => {
      const pages = await Promise.all(results.slice(0, LIMIT).map((result) => result.data()));
      return pages.map(({ raw_url: url }) => idOf(url));
    },
    files: filesBelow(out, (name) => /\.pf_\w+$|entry\.json$/.test(name)),
  };
}

/**
 * All tools, by their names in the table. `hybrid` adds hybrid search, which embeds all documents.
 */
export function tools({ program, engineDirectory, hybrid }) {
  return {
    "findling, words": findling(program, engineDirectory, "lexical", ["--encoder", "none"]),
    ...(hybrid
      ? {
          "findling, hybrid": findling(program, engineDirectory, "hybrid", [
            "--encoder",
            "all-minilm-l6-v2",
            "--query-encoder",
            "static",
          ]),
        }
      : {}),
    minisearch: miniSearch({ fuzzy: false }),
    "minisearch, fuzzy": miniSearch({ fuzzy: 0.2 }),
    orama,
    pagefind: pagefindOf,
  };
}
