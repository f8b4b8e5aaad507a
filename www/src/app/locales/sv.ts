/** Swedish. */

import type { AppTexts } from "../texts";

export default {
  skip: "Hoppa till innehållet",
  locked: "Öppna adressen som skrivits ut",
  lockedHint:
    "Servern svarar bara sidor som har dess token. Öppna adressen som {command} har " +
    "skrivit ut; den har en ny token varje gång.",
  searchAll: "Sök i dina samlingar",
  collections: "Samlingar",
  syncAll: "Synka alla",
  noCollections: "Det finns inga samlingar ännu. Lägg till en i ett skal och ladda om sidan:",
  listedIn: "De finns i {file}.",
  sync: "Synka",
  pageCount: "Sidor",
  sectionCount: "Avsnitt",
  fileCount: "Filer",
  size: "Storlek",
  lastSync: "Senaste synkning",
  languages: "Språk",
  comparing: "Jämför",
  imported: "Importerad",
  upToDate: "Aktuell",
  changedFiles: "Ändrade filer: {n}",
  sourcesMissing: "Källor saknas",
  syncing: "Synkar",
  syncFailed: "Synkningen misslyckades",
  notBuilt: "Inte byggd",
  notSearchable: "Kan inte genomsökas",
  synced: "Nya: {added}, ändrade: {changed}, borttagna: {deleted}",
  unreadable: "Filer som inte kunde läsas: {n}",
  collection: "Samling",
  file: "Fil",
  cite: "Citera",
  copy: "Kopiera",
  copied: "Kopierat",
  code: "Kod",
  before: "Avsnitt före: {n}",
  after: "Avsnitt efter: {n}",
  turn: "Inlägg {n}",
  user: "Användare",
  assistant: "Assistent",
  tool: "Verktyg",
  system: "System",
  cannotShow: "Sidan kan inte visas",
  resultsFor: "Resultat för ”{query}”",
  openWeb: "Öppna på webben",
  openPdf: "Öppna PDF",
  keptText:
    "Filen har ändrats sedan senaste synkningen eller är för lång. Detta är den " +
    "indexerade texten.",
  contents: "Innehåll",
  previousMatch: "Föregående träff",
  nextMatch: "Nästa träff",
  matches: "Träffar: {n}",
  noServer:
    "Servern på den här datorn svarar inte. Starta {command} igen och öppna adressen " +
    "som skrivs ut.",
} satisfies AppTexts;
