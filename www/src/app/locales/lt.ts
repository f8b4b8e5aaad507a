/** Lithuanian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Pereiti prie turinio",
  locked: "Atverkite išvestą adresą",
  lockedHint:
    "Šis serveris atsako tik puslapiams, turintiems jo prieigos raktą. Atverkite " +
    "adresą, kurį išvedė {command}; kiekvieną kartą raktas yra naujas.",
  searchAll: "Ieškoti savo rinkiniuose",
  collections: "Rinkiniai",
  syncAll: "Sinchronizuoti visus",
  noCollections:
    "Rinkinių dar nėra. Pridėkite rinkinį komandų eilutėje ir įkelkite šį puslapį iš " + "naujo:",
  listedIn: "Jie išvardyti faile {file}.",
  sync: "Sinchronizuoti",
  pageCount: "Puslapiai",
  sectionCount: "Skyriai",
  fileCount: "Failai",
  size: "Dydis",
  lastSync: "Paskutinis sinchronizavimas",
  languages: "Kalbos",
  comparing: "Lyginama",
  imported: "Importuotas",
  upToDate: "Atnaujintas",
  changedFiles: "Pakeisti failai: {n}",
  sourcesMissing: "Trūksta šaltinių",
  syncing: "Sinchronizuojama",
  syncFailed: "Sinchronizuoti nepavyko",
  notBuilt: "Nesukurtas",
  notSearchable: "Ieškoti negalima",
  synced: "Nauji: {added}, pakeisti: {changed}, ištrinti: {deleted}",
  unreadable: "Failai, kurių nepavyko perskaityti: {n}",
  collection: "Rinkinys",
  file: "Failas",
  cite: "Cituoti",
  copy: "Kopijuoti",
  copied: "Nukopijuota",
  code: "Kodas",
  before: "Skyriai prieš: {n}",
  after: "Skyriai po: {n}",
  turn: "Žinutė {n}",
  user: "Naudotojas",
  assistant: "Asistentas",
  tool: "Įrankis",
  system: "Sistema",
  cannotShow: "Šio puslapio parodyti negalima",
  resultsFor: "„{query}“ rezultatai",
  openWeb: "Atverti internete",
  openPdf: "Atverti PDF",
  keptText:
    "Failas pasikeitė po paskutinio sinchronizavimo arba yra per ilgas. Tai " +
    "indeksuotas tekstas.",
  contents: "Turinys",
  previousMatch: "Ankstesnis atitikmuo",
  nextMatch: "Kitas atitikmuo",
  matches: "Atitikmenys: {n}",
  noServer:
    "Šio kompiuterio serveris neatsako. Iš naujo paleiskite {command} ir atverkite " +
    "išvestą adresą.",
} satisfies AppTexts;
