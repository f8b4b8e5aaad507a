/** Polish. */

import type { AppTexts } from "../texts";

export default {
  skip: "Przejdź do treści",
  locked: "Otwórz wyświetlony adres",
  lockedHint:
    "Ten serwer odpowiada tylko stronom, które mają jego token. Otwórz adres, który " +
    "wyświetlił {command}; za każdym razem ma nowy token.",
  searchAll: "Przeszukaj swoje kolekcje",
  collections: "Kolekcje",
  syncAll: "Synchronizuj wszystkie",
  noCollections: "Nie ma jeszcze kolekcji. Dodaj kolekcję w powłoce i odśwież tę stronę:",
  listedIn: "Ich lista jest w {file}.",
  sync: "Synchronizuj",
  pageCount: "Strony",
  sectionCount: "Sekcje",
  fileCount: "Pliki",
  size: "Rozmiar",
  lastSync: "Ostatnia synchronizacja",
  languages: "Języki",
  comparing: "Porównywanie",
  imported: "Zaimportowana",
  upToDate: "Aktualna",
  changedFiles: "Zmienione pliki: {n}",
  sourcesMissing: "Brak źródeł",
  syncing: "Synchronizowanie",
  syncFailed: "Synchronizacja nie powiodła się",
  notBuilt: "Nie zbudowano",
  notSearchable: "Nie można przeszukać",
  synced: "Nowe: {added}, zmienione: {changed}, usunięte: {deleted}",
  unreadable: "Pliki, których nie można odczytać: {n}",
  collection: "Kolekcja",
  file: "Plik",
  cite: "Cytuj",
  copy: "Kopiuj",
  copied: "Skopiowano",
  code: "Kod",
  before: "Sekcje przed: {n}",
  after: "Sekcje po: {n}",
  turn: "Wypowiedź {n}",
  user: "Użytkownik",
  assistant: "Asystent",
  tool: "Narzędzie",
  system: "System",
  cannotShow: "Nie można wyświetlić tej strony",
  resultsFor: "Wyniki dla „{query}”",
  openWeb: "Otwórz w sieci",
  openPdf: "Otwórz PDF",
  keptText:
    "Plik zmienił się od ostatniej synchronizacji albo jest za długi. To jest " +
    "zindeksowany tekst.",
  contents: "Spis treści",
  previousMatch: "Poprzednie trafienie",
  nextMatch: "Następne trafienie",
  matches: "Trafienia: {n}",
  noServer:
    "Serwer na tym komputerze nie odpowiada. Uruchom ponownie {command} i otwórz " +
    "wyświetlony adres.",
} satisfies AppTexts;
