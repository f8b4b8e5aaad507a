/** Italian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Vai al contenuto",
  locked: "Apri l’indirizzo mostrato",
  lockedHint:
    "Questo server risponde solo alle pagine che hanno il suo token. Apri l’indirizzo " +
    "mostrato da {command}; ogni volta ha un nuovo token.",
  searchAll: "Cerca nelle tue raccolte",
  collections: "Raccolte",
  syncAll: "Sincronizza tutto",
  noCollections:
    "Non ci sono ancora raccolte. Aggiungine una in una shell e ricarica questa pagina:",
  listedIn: "Sono elencate in {file}.",
  sync: "Sincronizza",
  pageCount: "Pagine",
  sectionCount: "Sezioni",
  fileCount: "File",
  size: "Dimensione",
  lastSync: "Ultima sincronizzazione",
  languages: "Lingue",
  comparing: "Confronto in corso",
  imported: "Importata",
  upToDate: "Aggiornata",
  changedFiles: "File modificati: {n}",
  sourcesMissing: "Fonti mancanti",
  syncing: "Sincronizzazione in corso",
  syncFailed: "Sincronizzazione non riuscita",
  notBuilt: "Non creata",
  notSearchable: "Ricerca non possibile",
  synced: "Nuovi: {added}, modificati: {changed}, eliminati: {deleted}",
  unreadable: "File che non è stato possibile leggere: {n}",
  collection: "Raccolta",
  file: "File",
  cite: "Cita",
  copy: "Copia",
  copied: "Copiato",
  code: "Codice",
  before: "Sezioni precedenti: {n}",
  after: "Sezioni successive: {n}",
  turn: "Turno {n}",
  user: "Utente",
  assistant: "Assistente",
  tool: "Strumento",
  system: "Sistema",
  cannotShow: "Impossibile mostrare questa pagina",
  resultsFor: "Risultati per “{query}”",
  openWeb: "Apri sul web",
  openPdf: "Apri il PDF",
  keptText:
    "Il file è cambiato dopo l’ultima sincronizzazione o è troppo lungo. Questo è il " +
    "testo indicizzato.",
  contents: "Indice",
  previousMatch: "Corrispondenza precedente",
  nextMatch: "Corrispondenza successiva",
  matches: "Corrispondenze: {n}",
  noServer:
    "Il server di questo computer non risponde. Riavvia {command} e apri l’indirizzo " +
    "mostrato.",
} satisfies AppTexts;
