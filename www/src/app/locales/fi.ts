/** Finnish. */

import type { AppTexts } from "../texts";

export default {
  skip: "Siirry sisältöön",
  locked: "Avaa tulostettu osoite",
  lockedHint:
    "Palvelin vastaa vain sivuille, joilla on sen tunnus. Avaa osoite, jonka {command} " +
    "tulosti; siinä on joka kerta uusi tunnus.",
  searchAll: "Hae kokoelmistasi",
  collections: "Kokoelmat",
  syncAll: "Synkronoi kaikki",
  noCollections: "Kokoelmia ei vielä ole. Lisää sellainen komentotulkissa ja lataa sivu uudelleen:",
  listedIn: "Ne luetellaan tiedostossa {file}.",
  sync: "Synkronoi",
  pageCount: "Sivut",
  sectionCount: "Osiot",
  fileCount: "Tiedostot",
  size: "Koko",
  lastSync: "Viimeisin synkronointi",
  languages: "Kielet",
  comparing: "Verrataan",
  imported: "Tuotu",
  upToDate: "Ajan tasalla",
  changedFiles: "Muuttuneita tiedostoja: {n}",
  sourcesMissing: "Lähteet puuttuvat",
  syncing: "Synkronoidaan",
  syncFailed: "Synkronointi epäonnistui",
  notBuilt: "Ei koottu",
  notSearchable: "Ei voida hakea",
  synced: "Uusia: {added}, muuttuneita: {changed}, poistettuja: {deleted}",
  unreadable: "Tiedostoja, joita ei voitu lukea: {n}",
  collection: "Kokoelma",
  file: "Tiedosto",
  cite: "Viittaa",
  copy: "Kopioi",
  copied: "Kopioitu",
  code: "Koodi",
  before: "Osioita ennen: {n}",
  after: "Osioita jälkeen: {n}",
  turn: "Vuoro {n}",
  user: "Käyttäjä",
  assistant: "Avustaja",
  tool: "Työkalu",
  system: "Järjestelmä",
  cannotShow: "Sivua ei voida näyttää",
  resultsFor: "Tulokset haulle ”{query}”",
  openWeb: "Avaa verkossa",
  openPdf: "Avaa PDF",
  keptText:
    "Tiedosto on muuttunut viimeisimmän synkronoinnin jälkeen tai se on liian pitkä. " +
    "Tämä on indeksoitu teksti.",
  contents: "Sisällys",
  previousMatch: "Edellinen osuma",
  nextMatch: "Seuraava osuma",
  matches: "Osumia: {n}",
  noServer:
    "Tämän koneen palvelin ei vastaa. Käynnistä {command} uudelleen ja avaa tulostettu " +
    "osoite.",
} satisfies AppTexts;
