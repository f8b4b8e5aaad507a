/** German. */

import type { AppTexts } from "../texts";

export default {
  skip: "Zum Inhalt springen",
  locked: "Die ausgegebene Adresse öffnen",
  lockedHint:
    "Dieser Server antwortet nur Seiten, die sein Token haben. Öffnen Sie die Adresse, " +
    "die {command} ausgegeben hat; sie hat jedes Mal ein neues Token.",
  searchAll: "In Ihren Sammlungen suchen",
  collections: "Sammlungen",
  syncAll: "Alle synchronisieren",
  noCollections:
    "Es gibt noch keine Sammlungen. Legen Sie in einer Shell eine an und laden Sie " +
    "diese Seite neu:",
  listedIn: "Sie stehen in {file}.",
  sync: "Synchronisieren",
  pageCount: "Seiten",
  sectionCount: "Abschnitte",
  fileCount: "Dateien",
  size: "Größe",
  lastSync: "Letzte Synchronisierung",
  languages: "Sprachen",
  comparing: "Wird verglichen",
  imported: "Importiert",
  upToDate: "Aktuell",
  changedFiles: "Geänderte Dateien: {n}",
  sourcesMissing: "Quellen fehlen",
  syncing: "Wird synchronisiert",
  syncFailed: "Synchronisierung fehlgeschlagen",
  notBuilt: "Nicht erstellt",
  notSearchable: "Kann nicht durchsucht werden",
  synced: "Neu: {added}, geändert: {changed}, gelöscht: {deleted}",
  unreadable: "Dateien, die nicht gelesen werden konnten: {n}",
  collection: "Sammlung",
  file: "Datei",
  cite: "Zitieren",
  copy: "Kopieren",
  copied: "Kopiert",
  code: "Code",
  before: "Abschnitte davor: {n}",
  after: "Abschnitte danach: {n}",
  turn: "Beitrag {n}",
  user: "Benutzer",
  assistant: "Assistent",
  tool: "Werkzeug",
  system: "System",
  cannotShow: "Diese Seite kann nicht angezeigt werden",
  resultsFor: "Ergebnisse für „{query}“",
  openWeb: "Im Web öffnen",
  openPdf: "PDF öffnen",
  keptText:
    "Die Datei hat sich seit der letzten Synchronisierung geändert oder ist zu lang. " +
    "Dies ist der indexierte Text.",
  contents: "Inhalt",
  previousMatch: "Vorheriger Treffer",
  nextMatch: "Nächster Treffer",
  matches: "Treffer: {n}",
  noServer:
    "Der Server auf diesem Rechner antwortet nicht. Starten Sie {command} neu und " +
    "öffnen Sie die Adresse, die ausgegeben wird.",
} satisfies AppTexts;
