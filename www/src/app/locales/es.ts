/** Spanish. */

import type { AppTexts } from "../texts";

export default {
  skip: "Ir al contenido",
  locked: "Abra la dirección mostrada",
  lockedHint:
    "Este servidor solo responde a páginas que tienen su token. Abra la dirección que " +
    "ha mostrado {command}; tiene un token nuevo cada vez.",
  searchAll: "Buscar en sus colecciones",
  collections: "Colecciones",
  syncAll: "Sincronizar todo",
  noCollections: "Aún no hay colecciones. Añada una en una terminal y vuelva a cargar esta página:",
  listedIn: "Están en {file}.",
  sync: "Sincronizar",
  pageCount: "Páginas",
  sectionCount: "Secciones",
  fileCount: "Archivos",
  size: "Tamaño",
  lastSync: "Última sincronización",
  languages: "Idiomas",
  comparing: "Comparando",
  imported: "Importada",
  upToDate: "Al día",
  changedFiles: "Archivos modificados: {n}",
  sourcesMissing: "Faltan las fuentes",
  syncing: "Sincronizando",
  syncFailed: "Error de sincronización",
  notBuilt: "Sin construir",
  notSearchable: "No se puede buscar",
  synced: "Nuevos: {added}, modificados: {changed}, eliminados: {deleted}",
  unreadable: "Archivos que no se pudieron leer: {n}",
  collection: "Colección",
  file: "Archivo",
  cite: "Citar",
  copy: "Copiar",
  copied: "Copiado",
  code: "Código",
  before: "Secciones anteriores: {n}",
  after: "Secciones siguientes: {n}",
  turn: "Turno {n}",
  user: "Usuario",
  assistant: "Asistente",
  tool: "Herramienta",
  system: "Sistema",
  cannotShow: "No se puede mostrar esta página",
  resultsFor: "Resultados de «{query}»",
  openWeb: "Abrir en la web",
  openPdf: "Abrir el PDF",
  keptText:
    "El archivo ha cambiado desde la última sincronización o es demasiado largo. Este " +
    "es el texto indexado.",
  contents: "Contenido",
  previousMatch: "Coincidencia anterior",
  nextMatch: "Coincidencia siguiente",
  matches: "Coincidencias: {n}",
  noServer:
    "El servidor de este equipo no responde. Inicie {command} de nuevo y abra la " +
    "dirección que muestra.",
} satisfies AppTexts;
