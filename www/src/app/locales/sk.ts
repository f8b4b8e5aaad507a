/** Slovak. */

import type { AppTexts } from "../texts";

export default {
  skip: "Prejsť na obsah",
  locked: "Otvorte vypísanú adresu",
  lockedHint:
    "Tento server odpovedá len stránkam, ktoré majú jeho token. Otvorte adresu, ktorú " +
    "vypísal {command}; zakaždým má nový token.",
  searchAll: "Hľadať vo vašich zbierkach",
  collections: "Zbierky",
  syncAll: "Synchronizovať všetko",
  noCollections:
    "Zatiaľ tu nie sú žiadne zbierky. Pridajte zbierku v shelli a načítajte stránku " + "znova:",
  listedIn: "Sú uvedené v {file}.",
  sync: "Synchronizovať",
  pageCount: "Stránky",
  sectionCount: "Oddiely",
  fileCount: "Súbory",
  size: "Veľkosť",
  lastSync: "Posledná synchronizácia",
  languages: "Jazyky",
  comparing: "Porovnáva sa",
  imported: "Importované",
  upToDate: "Aktuálne",
  changedFiles: "Zmenené súbory: {n}",
  sourcesMissing: "Zdroje chýbajú",
  syncing: "Synchronizuje sa",
  syncFailed: "Synchronizácia zlyhala",
  notBuilt: "Nezostavené",
  notSearchable: "Nedá sa prehľadať",
  synced: "Nové: {added}, zmenené: {changed}, zmazané: {deleted}",
  unreadable: "Súbory, ktoré sa nedajú prečítať: {n}",
  collection: "Zbierka",
  file: "Súbor",
  cite: "Citovať",
  copy: "Kopírovať",
  copied: "Skopírované",
  code: "Kód",
  before: "Oddiely predtým: {n}",
  after: "Oddiely potom: {n}",
  turn: "Príspevok {n}",
  user: "Používateľ",
  assistant: "Asistent",
  tool: "Nástroj",
  system: "Systém",
  cannotShow: "Túto stránku nemožno zobraziť",
  resultsFor: "Výsledky pre „{query}“",
  openWeb: "Otvoriť na webe",
  openPdf: "Otvoriť PDF",
  keptText:
    "Súbor sa od poslednej synchronizácie zmenil alebo je príliš dlhý. Toto je " +
    "indexovaný text.",
  contents: "Obsah",
  previousMatch: "Predchádzajúca zhoda",
  nextMatch: "Ďalšia zhoda",
  matches: "Zhody: {n}",
  noServer:
    "Server na tomto počítači neodpovedá. Spustite znova {command} a otvorte vypísanú " + "adresu.",
} satisfies AppTexts;
