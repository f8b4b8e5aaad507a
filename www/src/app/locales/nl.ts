/** Dutch. */

import type { AppTexts } from "../texts";

export default {
  skip: "Naar de inhoud",
  locked: "Open het getoonde adres",
  lockedHint:
    "Deze server antwoordt alleen pagina’s die zijn token hebben. Open het adres dat " +
    "{command} heeft getoond; het heeft telkens een nieuw token.",
  searchAll: "Zoeken in uw verzamelingen",
  collections: "Verzamelingen",
  syncAll: "Alles synchroniseren",
  noCollections:
    "Er zijn nog geen verzamelingen. Voeg er een toe in een shell en laad deze pagina " +
    "opnieuw:",
  listedIn: "Ze staan in {file}.",
  sync: "Synchroniseren",
  pageCount: "Pagina’s",
  sectionCount: "Secties",
  fileCount: "Bestanden",
  size: "Grootte",
  lastSync: "Laatste synchronisatie",
  languages: "Talen",
  comparing: "Bezig met vergelijken",
  imported: "Geïmporteerd",
  upToDate: "Bijgewerkt",
  changedFiles: "Gewijzigde bestanden: {n}",
  sourcesMissing: "Bronnen ontbreken",
  syncing: "Bezig met synchroniseren",
  syncFailed: "Synchronisatie mislukt",
  notBuilt: "Niet gebouwd",
  notSearchable: "Kan niet worden doorzocht",
  synced: "Nieuw: {added}, gewijzigd: {changed}, verwijderd: {deleted}",
  unreadable: "Bestanden die niet gelezen konden worden: {n}",
  collection: "Verzameling",
  file: "Bestand",
  cite: "Citeren",
  copy: "Kopiëren",
  copied: "Gekopieerd",
  code: "Code",
  before: "Secties ervoor: {n}",
  after: "Secties erna: {n}",
  turn: "Beurt {n}",
  user: "Gebruiker",
  assistant: "Assistent",
  tool: "Hulpmiddel",
  system: "Systeem",
  cannotShow: "Deze pagina kan niet worden getoond",
  resultsFor: "Resultaten voor ‘{query}’",
  openWeb: "Op het web openen",
  openPdf: "Pdf openen",
  keptText:
    "Het bestand is sinds de laatste synchronisatie gewijzigd of is te lang. Dit is de " +
    "geïndexeerde tekst.",
  contents: "Inhoud",
  previousMatch: "Vorige treffer",
  nextMatch: "Volgende treffer",
  matches: "Treffers: {n}",
  noServer:
    "De server op deze computer antwoordt niet. Start {command} opnieuw en open het " +
    "getoonde adres.",
} satisfies AppTexts;
