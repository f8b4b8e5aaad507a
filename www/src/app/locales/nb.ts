/** Norwegian Bokmål. */

import type { AppTexts } from "../texts";

export default {
  skip: "Gå til innholdet",
  locked: "Åpne adressen som ble skrevet ut",
  lockedHint:
    "Serveren svarer bare sider som har dens token. Åpne adressen som {command} har " +
    "skrevet ut; den har et nytt token hver gang.",
  searchAll: "Søk i samlingene dine",
  collections: "Samlinger",
  syncAll: "Synkroniser alle",
  noCollections: "Det finnes ingen samlinger ennå. Legg til en i et skall, og last siden på nytt:",
  listedIn: "De står i {file}.",
  sync: "Synkroniser",
  pageCount: "Sider",
  sectionCount: "Avsnitt",
  fileCount: "Filer",
  size: "Størrelse",
  lastSync: "Siste synkronisering",
  languages: "Språk",
  comparing: "Sammenligner",
  imported: "Importert",
  upToDate: "Oppdatert",
  changedFiles: "Endrede filer: {n}",
  sourcesMissing: "Kilder mangler",
  syncing: "Synkroniserer",
  syncFailed: "Synkroniseringen mislyktes",
  notBuilt: "Ikke bygd",
  notSearchable: "Kan ikke søkes i",
  synced: "Nye: {added}, endrede: {changed}, slettede: {deleted}",
  unreadable: "Filer som ikke kunne leses: {n}",
  collection: "Samling",
  file: "Fil",
  cite: "Siter",
  copy: "Kopier",
  copied: "Kopiert",
  code: "Kode",
  before: "Avsnitt før: {n}",
  after: "Avsnitt etter: {n}",
  turn: "Innlegg {n}",
  user: "Bruker",
  assistant: "Assistent",
  tool: "Verktøy",
  system: "System",
  cannotShow: "Siden kan ikke vises",
  resultsFor: "Resultater for «{query}»",
  openWeb: "Åpne på nettet",
  openPdf: "Åpne PDF",
  keptText:
    "Filen er endret siden siste synkronisering eller er for lang. Dette er den " +
    "indekserte teksten.",
  contents: "Innhold",
  previousMatch: "Forrige treff",
  nextMatch: "Neste treff",
  matches: "Treff: {n}",
  noServer:
    "Serveren på denne maskinen svarer ikke. Start {command} på nytt, og åpne adressen " +
    "som skrives ut.",
} satisfies AppTexts;
