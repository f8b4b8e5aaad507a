// The files of a folder that a reader drops or chooses, with their paths.

/** Most entries of a folder that are looked at. */
const MAX_ENTRIES = 50_000;

const isPassedOver = (name) => name.startsWith(".") || name === "node_modules";

/** The files of a choice: `[path, File]`. The paths of a folder's files begin with its name. */
export const chosen = (input) =>
  [...input.files].map((file) => [file.webkitRelativePath || file.name, file]);

/**
 * The files of a drop: `[path, File]`. Hidden files and `node_modules` are passed over. Must be
 * called while the event is dispatched: afterwards, browsers take the items back.
 */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  const found = [];
  for (let entry = entries.pop(); entry; entry = entries.pop()) {
    if (isPassedOver(entry.name)) continue;
    if (found.length + entries.length > MAX_ENTRIES)
      throw new Error(`expected at most ${MAX_ENTRIES} files, found more: drop a part of them`);
    if (entry.isDirectory) entries.push(...(await entriesOf(entry)));
    else found.push([entry.fullPath.slice(1), await fileOf(entry)]);
  }
  // In the order of their paths, whatever the browser's is.
  return found.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The contents of a directory. Browsers list at most a hundred entries at a time. */
async function entriesOf(directory) {
  const reader = directory.createReader();
  const entries = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return entries;
    entries.push(...some);
  }
}

const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));
