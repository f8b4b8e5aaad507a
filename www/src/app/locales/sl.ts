/** Slovenian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Preskoči na vsebino",
  locked: "Odprite izpisani naslov",
  lockedHint:
    "Ta strežnik odgovarja le stranem, ki imajo njegov žeton. Odprite naslov, ki ga je " +
    "izpisal {command}; vsakič ima nov žeton.",
  searchAll: "Iščite po svojih zbirkah",
  collections: "Zbirke",
  syncAll: "Sinhroniziraj vse",
  noCollections: "Zbirk še ni. Dodajte jo v lupini in znova naložite to stran:",
  listedIn: "Navedene so v {file}.",
  sync: "Sinhroniziraj",
  pageCount: "Strani",
  sectionCount: "Razdelki",
  fileCount: "Datoteke",
  size: "Velikost",
  lastSync: "Zadnja sinhronizacija",
  languages: "Jeziki",
  comparing: "Primerjanje",
  imported: "Uvoženo",
  upToDate: "Posodobljeno",
  changedFiles: "Spremenjene datoteke: {n}",
  sourcesMissing: "Viri manjkajo",
  syncing: "Sinhroniziranje",
  syncFailed: "Sinhronizacija ni uspela",
  notBuilt: "Ni zgrajeno",
  notSearchable: "Iskanje ni mogoče",
  synced: "Nove: {added}, spremenjene: {changed}, izbrisane: {deleted}",
  unreadable: "Datoteke, ki jih ni bilo mogoče prebrati: {n}",
  collection: "Zbirka",
  file: "Datoteka",
  cite: "Navedi",
  copy: "Kopiraj",
  copied: "Kopirano",
  code: "Koda",
  before: "Razdelki prej: {n}",
  after: "Razdelki potem: {n}",
  turn: "Sporočilo {n}",
  user: "Uporabnik",
  assistant: "Pomočnik",
  tool: "Orodje",
  system: "Sistem",
  cannotShow: "Te strani ni mogoče prikazati",
  resultsFor: "Zadetki za »{query}«",
  openWeb: "Odpri v spletu",
  openPdf: "Odpri PDF",
  keptText:
    "Datoteka se je od zadnje sinhronizacije spremenila ali je predolga. To je " +
    "indeksirano besedilo.",
  contents: "Kazalo",
  previousMatch: "Prejšnji zadetek",
  nextMatch: "Naslednji zadetek",
  matches: "Zadetki: {n}",
  noServer:
    "Strežnik na tem računalniku se ne odziva. Znova zaženite {command} in odprite " +
    "izpisani naslov.",
} satisfies AppTexts;
