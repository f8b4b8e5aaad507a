/** Serbian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Пређи на садржај",
  locked: "Отворите исписану адресу",
  lockedHint:
    "Овај сервер одговара само страницама које имају његов токен. Отворите адресу коју " +
    "је исписао {command}; сваки пут има нов токен.",
  searchAll: "Претражите своје збирке",
  collections: "Збирке",
  syncAll: "Синхронизуј све",
  noCollections: "Још нема збирки. Додајте збирку у љусци и поново учитајте ову страницу:",
  listedIn: "Наведене су у {file}.",
  sync: "Синхронизуј",
  pageCount: "Странице",
  sectionCount: "Одељци",
  fileCount: "Датотеке",
  size: "Величина",
  lastSync: "Последња синхронизација",
  languages: "Језици",
  comparing: "Поређење",
  imported: "Увезено",
  upToDate: "Ажурно",
  changedFiles: "Измењене датотеке: {n}",
  sourcesMissing: "Извори недостају",
  syncing: "Синхронизација у току",
  syncFailed: "Синхронизација није успела",
  notBuilt: "Није изграђено",
  notSearchable: "Не може се претражити",
  synced: "Нове: {added}, измењене: {changed}, обрисане: {deleted}",
  unreadable: "Датотеке које нису могле да се прочитају: {n}",
  collection: "Збирка",
  file: "Датотека",
  cite: "Цитирај",
  copy: "Копирај",
  copied: "Копирано",
  code: "Код",
  before: "Одељци пре: {n}",
  after: "Одељци после: {n}",
  turn: "Порука {n}",
  user: "Корисник",
  assistant: "Асистент",
  tool: "Алат",
  system: "Систем",
  cannotShow: "Ова страница не може да се прикаже",
  resultsFor: "Резултати за „{query}“",
  openWeb: "Отвори на вебу",
  openPdf: "Отвори PDF",
  keptText:
    "Датотека се променила од последње синхронизације или је предугачка. Ово је " +
    "индексирани текст.",
  contents: "Садржај",
  previousMatch: "Претходни погодак",
  nextMatch: "Следећи погодак",
  matches: "Погоци: {n}",
  noServer:
    "Сервер на овом рачунару не одговара. Поново покрените {command} и отворите " +
    "исписану адресу.",
} satisfies AppTexts;
