/** Hungarian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Ugrás a tartalomhoz",
  locked: "Nyissa meg a kiírt címet",
  lockedHint:
    "Ez a kiszolgáló csak azoknak az oldalaknak válaszol, amelyek ismerik a tokenjét. " +
    "Nyissa meg a {command} által kiírt címet; minden alkalommal új token van benne.",
  searchAll: "Keresés a gyűjteményeiben",
  collections: "Gyűjtemények",
  syncAll: "Összes szinkronizálása",
  noCollections:
    "Még nincs gyűjtemény. Adjon hozzá egyet a parancssorban, és töltse újra ezt az " + "oldalt:",
  listedIn: "Felsorolásuk itt van: {file}.",
  sync: "Szinkronizálás",
  pageCount: "Oldalak",
  sectionCount: "Szakaszok",
  fileCount: "Fájlok",
  size: "Méret",
  lastSync: "Utolsó szinkronizálás",
  languages: "Nyelvek",
  comparing: "Összehasonlítás",
  imported: "Importált",
  upToDate: "Naprakész",
  changedFiles: "Módosult fájlok: {n}",
  sourcesMissing: "A források hiányoznak",
  syncing: "Szinkronizálás folyamatban",
  syncFailed: "A szinkronizálás nem sikerült",
  notBuilt: "Nincs felépítve",
  notSearchable: "Nem kereshető",
  synced: "Új: {added}, módosult: {changed}, törölt: {deleted}",
  unreadable: "Nem olvasható fájlok: {n}",
  collection: "Gyűjtemény",
  file: "Fájl",
  cite: "Hivatkozás",
  copy: "Másolás",
  copied: "Másolva",
  code: "Kód",
  before: "Szakaszok előtte: {n}",
  after: "Szakaszok utána: {n}",
  turn: "{n}. üzenet",
  user: "Felhasználó",
  assistant: "Asszisztens",
  tool: "Eszköz",
  system: "Rendszer",
  cannotShow: "Ez az oldal nem jeleníthető meg",
  resultsFor: "Találatok erre: „{query}”",
  openWeb: "Megnyitás a weben",
  openPdf: "PDF megnyitása",
  keptText:
    "A fájl az utolsó szinkronizálás óta megváltozott, vagy túl hosszú. Ez az indexelt " +
    "szöveg.",
  contents: "Tartalom",
  previousMatch: "Előző találat",
  nextMatch: "Következő találat",
  matches: "Találatok: {n}",
  noServer:
    "A gépen futó kiszolgáló nem válaszol. Indítsa el újra a {command} parancsot, és " +
    "nyissa meg a kiírt címet.",
} satisfies AppTexts;
