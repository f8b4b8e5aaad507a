// Reads and indexes a reader's files, beside the page. Nothing is sent anywhere.
//
// The page sends `{ files: [[path, File]], base }`, and later `{ page, id }` for pages as they were
// read. It is answered by `{ progress }`, then `{ built }` or `{ error }`, and `{ page, id }`.

import init, { Indexer, isTaken } from "./findling_playground.js";

/** Most bytes of all files: the indexer takes no more (`crates/playground`). */
const MAX_BYTES = 50_000_000;
/** Milliseconds between two messages about progress. */
const TICK = 100;

let bundle;

self.onmessage = async ({ data }) => {
  if (data.files) await build(data);
  else postMessage({ id: data.id, page: JSON.parse(bundle?.page(data.page) ?? "null") });
};

async function build({ files, base }) {
  const start = performance.now();
  let indexer;
  try {
    await init({ module_or_path: new URL("findling_playground_bg.wasm", import.meta.url) });
    indexer = new Indexer(base);
    await take(indexer, files);
    read(indexer);
    postMessage({ progress: { stage: "index" } });
    bundle = indexer.build();
    const bytes = bundle.singleFile().buffer;
    const { pages, sections } = bundle;
    const problems = JSON.parse(bundle.problems());
    const ms = performance.now() - start;
    postMessage({ built: { pages, sections, problems, bytes, ms } }, [bytes]);
  } catch (thrown) {
    postMessage({ error: messageOf(thrown, indexer) });
  }
}

/** A .zip that the reader chose. Those inside a folder are files of the site, not pages. */
const isArchive = (path) => /^[^/]+\.zip$/i.test(path);

/** Hands the files to the indexer. Others than pages are not even read, nor more than it takes. */
async function take(indexer, files) {
  const tell = ticking("take", files.length);
  let left = MAX_BYTES;
  for (const [place, [path, file]] of files.entries()) {
    tell(place);
    if (!isArchive(path) && !isTaken(path)) continue;
    left -= file.size;
    if (left < 0)
      throw new Error(
        `expected at most ${MAX_BYTES / 1e6} MB of files, found more at ${path}: drop a part of ` +
          "the site, or index it with `findling build`, which has no limit",
      );
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (isArchive(path)) indexer.addArchive(bytes);
    else indexer.add(path, bytes);
  }
}

function read(indexer) {
  const total = indexer.begin();
  const tell = ticking("read", total);
  for (let done = 0; done < total; done++) {
    tell(done);
    indexer.step();
  }
}

function ticking(stage, total) {
  let last = Number.NEGATIVE_INFINITY;
  return (done) => {
    const now = performance.now();
    if (now - last < TICK) return;
    last = now;
    postMessage({ progress: { stage, done, total } });
  };
}

/** A trap ends the module: what follows it cannot be read by this worker. */
function messageOf(thrown, indexer) {
  if (!(thrown instanceof WebAssembly.RuntimeError)) return thrown.message;
  let file;
  try {
    file = indexer?.nextFile();
  } catch {
    // The indexer is still borrowed by the call that trapped.
  }
  return `The indexer failed${file ? ` on ${file}` : ""}: ${thrown.message}. Please report it.`;
}
