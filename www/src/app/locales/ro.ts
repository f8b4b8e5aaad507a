/** Romanian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Salt la conținut",
  locked: "Deschideți adresa afișată",
  lockedHint:
    "Acest server răspunde doar paginilor care au jetonul său. Deschideți adresa " +
    "afișată de {command}; are de fiecare dată un jeton nou.",
  searchAll: "Căutați în colecțiile dvs.",
  collections: "Colecții",
  syncAll: "Sincronizează tot",
  noCollections:
    "Nu există încă nicio colecție. Adăugați una într-un terminal și reîncărcați " + "pagina:",
  listedIn: "Sunt listate în {file}.",
  sync: "Sincronizează",
  pageCount: "Pagini",
  sectionCount: "Secțiuni",
  fileCount: "Fișiere",
  size: "Dimensiune",
  lastSync: "Ultima sincronizare",
  languages: "Limbi",
  comparing: "Se compară",
  imported: "Importată",
  upToDate: "La zi",
  changedFiles: "Fișiere modificate: {n}",
  sourcesMissing: "Sursele lipsesc",
  syncing: "Se sincronizează",
  syncFailed: "Sincronizarea a eșuat",
  notBuilt: "Neconstruită",
  notSearchable: "Nu se poate căuta",
  synced: "Noi: {added}, modificate: {changed}, șterse: {deleted}",
  unreadable: "Fișiere care nu au putut fi citite: {n}",
  collection: "Colecție",
  file: "Fișier",
  cite: "Citează",
  copy: "Copiază",
  copied: "Copiat",
  code: "Cod",
  before: "Secțiuni înainte: {n}",
  after: "Secțiuni după: {n}",
  turn: "Replica {n}",
  user: "Utilizator",
  assistant: "Asistent",
  tool: "Instrument",
  system: "Sistem",
  cannotShow: "Această pagină nu poate fi afișată",
  resultsFor: "Rezultate pentru „{query}”",
  openWeb: "Deschide pe web",
  openPdf: "Deschide PDF-ul",
  keptText:
    "Fișierul s-a schimbat de la ultima sincronizare sau este prea lung. Acesta este " +
    "textul indexat.",
  contents: "Cuprins",
  previousMatch: "Potrivirea anterioară",
  nextMatch: "Potrivirea următoare",
  matches: "Potriviri: {n}",
  noServer:
    "Serverul de pe acest calculator nu răspunde. Porniți din nou {command} și " +
    "deschideți adresa afișată.",
} satisfies AppTexts;
