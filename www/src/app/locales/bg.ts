/** Bulgarian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Към съдържанието",
  locked: "Отворете изписания адрес",
  lockedHint:
    "Този сървър отговаря само на страници, които имат неговия токен. Отворете адреса, " +
    "който {command} изписа; всеки път токенът е нов.",
  searchAll: "Търсене в колекциите ви",
  collections: "Колекции",
  syncAll: "Синхронизиране на всички",
  noCollections:
    "Все още няма колекции. Добавете колекция в командния ред и презаредете страницата:",
  listedIn: "Изброени са в {file}.",
  sync: "Синхронизиране",
  pageCount: "Страници",
  sectionCount: "Раздели",
  fileCount: "Файлове",
  size: "Размер",
  lastSync: "Последно синхронизиране",
  languages: "Езици",
  comparing: "Сравняване",
  imported: "Импортирана",
  upToDate: "Актуална",
  changedFiles: "Променени файлове: {n}",
  sourcesMissing: "Източниците липсват",
  syncing: "Синхронизира се",
  syncFailed: "Неуспешно синхронизиране",
  notBuilt: "Не е изградена",
  notSearchable: "Не може да се търси",
  synced: "Нови: {added}, променени: {changed}, изтрити: {deleted}",
  unreadable: "Файлове, които не можаха да се прочетат: {n}",
  collection: "Колекция",
  file: "Файл",
  cite: "Цитиране",
  copy: "Копиране",
  copied: "Копирано",
  code: "Код",
  before: "Раздели преди: {n}",
  after: "Раздели след: {n}",
  turn: "Реплика {n}",
  user: "Потребител",
  assistant: "Асистент",
  tool: "Инструмент",
  system: "Система",
  cannotShow: "Страницата не може да се покаже",
  resultsFor: "Резултати за „{query}“",
  openWeb: "Отваряне в мрежата",
  openPdf: "Отваряне на PDF",
  keptText:
    "Файлът е променен след последното синхронизиране или е твърде дълъг. Това е " +
    "индексираният текст.",
  contents: "Съдържание",
  previousMatch: "Предишно съвпадение",
  nextMatch: "Следващо съвпадение",
  matches: "Съвпадения: {n}",
  noServer:
    "Сървърът на този компютър не отговаря. Стартирайте отново {command} и отворете " +
    "изписания адрес.",
} satisfies AppTexts;
