/**
 * The texts of the application's pages in English. Texts that the elements also use are in
 * `ui/labels.ts`. Other languages are in `locales/`, one file each. Numbers come after the thing
 * that they count, so that no text needs plural forms.
 */

export const APP_TEXTS = {
  skip: "Skip to the content",
  locked: "Open the printed address",
  lockedHint:
    "This server answers only to pages that have its token. Open the address that {command} has " +
    "printed; it has a new token each time.",
  searchAll: "Search your collections",
  collections: "Collections",
  syncAll: "Sync all",
  noCollections: "There are no collections yet. Add one in a shell, and reload this page:",
  listedIn: "They are listed in {file}.",
  sync: "Sync",
  pageCount: "Pages",
  sectionCount: "Sections",
  fileCount: "Files",
  size: "Size",
  lastSync: "Last sync",
  languages: "Languages",
  comparing: "Comparing",
  imported: "Imported",
  upToDate: "Up to date",
  changedFiles: "Changed files: {n}",
  sourcesMissing: "Sources missing",
  syncing: "Syncing",
  syncFailed: "Sync failed",
  notBuilt: "Not built",
  notSearchable: "Cannot be searched",
  synced: "New: {added}, changed: {changed}, deleted: {deleted}",
  unreadable: "Files that could not be read: {n}",
  collection: "Collection",
  file: "File",
  cite: "Cite",
  copy: "Copy",
  copied: "Copied",
  code: "Code",
  /** Sections of a long page that are not shown. */
  before: "Sections before: {n}",
  after: "Sections after: {n}",
  /** A turn of a conversation, and who speaks in it. */
  turn: "Turn {n}",
  user: "User",
  assistant: "Assistant",
  tool: "Tool",
  system: "System",
  cannotShow: "This page cannot be shown",
  resultsFor: "Results for \u201C{query}\u201D",
  openWeb: "Open on the web",
  openPdf: "Open the PDF",
  keptText: "The file has changed since the last sync, or is too long. This is the indexed text.",
  contents: "Contents",
  previousMatch: "Previous match",
  nextMatch: "Next match",
  matches: "Matches: {n}",
  noServer:
    "The server on this machine does not answer. Start {command} again, and open the address " +
    "that it prints.",
};

export type AppTexts = typeof APP_TEXTS;
