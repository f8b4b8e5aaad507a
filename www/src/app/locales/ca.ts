/** Catalan. */

import type { AppTexts } from "../texts";

export default {
  skip: "Ves al contingut",
  locked: "Obriu l’adreça mostrada",
  lockedHint:
    "Aquest servidor només respon a les pàgines que tenen el seu testimoni. Obriu " +
    "l’adreça que ha mostrat {command}; cada vegada té un testimoni nou.",
  searchAll: "Cerca a les vostres col·leccions",
  collections: "Col·leccions",
  syncAll: "Sincronitza-ho tot",
  noCollections:
    "Encara no hi ha col·leccions. Afegiu-ne una en un terminal i torneu a carregar " +
    "aquesta pàgina:",
  listedIn: "Són a {file}.",
  sync: "Sincronitza",
  pageCount: "Pàgines",
  sectionCount: "Seccions",
  fileCount: "Fitxers",
  size: "Mida",
  lastSync: "Darrera sincronització",
  languages: "Llengües",
  comparing: "S’està comparant",
  imported: "Importada",
  upToDate: "Al dia",
  changedFiles: "Fitxers canviats: {n}",
  sourcesMissing: "Falten les fonts",
  syncing: "S’està sincronitzant",
  syncFailed: "Ha fallat la sincronització",
  notBuilt: "No construïda",
  notSearchable: "No s’hi pot cercar",
  synced: "Nous: {added}, canviats: {changed}, suprimits: {deleted}",
  unreadable: "Fitxers que no s’han pogut llegir: {n}",
  collection: "Col·lecció",
  file: "Fitxer",
  cite: "Cita",
  copy: "Copia",
  copied: "Copiat",
  code: "Codi",
  before: "Seccions anteriors: {n}",
  after: "Seccions posteriors: {n}",
  turn: "Torn {n}",
  user: "Usuari",
  assistant: "Assistent",
  tool: "Eina",
  system: "Sistema",
  cannotShow: "Aquesta pàgina no es pot mostrar",
  resultsFor: "Resultats de «{query}»",
  openWeb: "Obre al web",
  openPdf: "Obre el PDF",
  keptText:
    "El fitxer ha canviat des de la darrera sincronització o és massa llarg. Aquest és " +
    "el text indexat.",
  contents: "Contingut",
  previousMatch: "Coincidència anterior",
  nextMatch: "Coincidència següent",
  matches: "Coincidències: {n}",
  noServer:
    "El servidor d’aquest ordinador no respon. Torneu a iniciar {command} i obriu " +
    "l’adreça que mostra.",
} satisfies AppTexts;
