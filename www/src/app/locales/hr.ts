/** Croatian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Prijeđi na sadržaj",
  locked: "Otvorite ispisanu adresu",
  lockedHint:
    "Ovaj poslužitelj odgovara samo stranicama koje imaju njegov token. Otvorite " +
    "adresu koju je ispisao {command}; svaki put ima novi token.",
  searchAll: "Pretražite svoje zbirke",
  collections: "Zbirke",
  syncAll: "Sinkroniziraj sve",
  noCollections: "Još nema zbirki. Dodajte zbirku u ljusci i ponovno učitajte ovu stranicu:",
  listedIn: "Navedene su u {file}.",
  sync: "Sinkroniziraj",
  pageCount: "Stranice",
  sectionCount: "Odjeljci",
  fileCount: "Datoteke",
  size: "Veličina",
  lastSync: "Zadnja sinkronizacija",
  languages: "Jezici",
  comparing: "Uspoređivanje",
  imported: "Uvezeno",
  upToDate: "Ažurno",
  changedFiles: "Promijenjene datoteke: {n}",
  sourcesMissing: "Izvori nedostaju",
  syncing: "Sinkronizacija u tijeku",
  syncFailed: "Sinkronizacija nije uspjela",
  notBuilt: "Nije izgrađeno",
  notSearchable: "Ne može se pretražiti",
  synced: "Nove: {added}, promijenjene: {changed}, izbrisane: {deleted}",
  unreadable: "Datoteke koje se nisu mogle pročitati: {n}",
  collection: "Zbirka",
  file: "Datoteka",
  cite: "Citiraj",
  copy: "Kopiraj",
  copied: "Kopirano",
  code: "Kod",
  before: "Odjeljci prije: {n}",
  after: "Odjeljci poslije: {n}",
  turn: "Poruka {n}",
  user: "Korisnik",
  assistant: "Asistent",
  tool: "Alat",
  system: "Sustav",
  cannotShow: "Ova se stranica ne može prikazati",
  resultsFor: "Rezultati za „{query}”",
  openWeb: "Otvori na webu",
  openPdf: "Otvori PDF",
  keptText:
    "Datoteka se promijenila od zadnje sinkronizacije ili je preduga. Ovo je " +
    "indeksirani tekst.",
  contents: "Sadržaj",
  previousMatch: "Prethodni pogodak",
  nextMatch: "Sljedeći pogodak",
  matches: "Pogoci: {n}",
  noServer:
    "Poslužitelj na ovom računalu ne odgovara. Ponovno pokrenite {command} i otvorite " +
    "ispisanu adresu.",
} satisfies AppTexts;
