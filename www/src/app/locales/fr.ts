/** French. */

import type { AppTexts } from "../texts";

export default {
  skip: "Aller au contenu",
  locked: "Ouvrez l’adresse affichée",
  lockedHint:
    "Ce serveur ne répond qu’aux pages qui ont son jeton. Ouvrez l’adresse que " +
    "{command} a affichée ; elle a chaque fois un nouveau jeton.",
  searchAll: "Rechercher dans vos collections",
  collections: "Collections",
  syncAll: "Tout synchroniser",
  noCollections:
    "Il n’y a pas encore de collection. Ajoutez-en une dans un terminal, puis " +
    "rechargez cette page :",
  listedIn: "Elles sont listées dans {file}.",
  sync: "Synchroniser",
  pageCount: "Pages",
  sectionCount: "Sections",
  fileCount: "Fichiers",
  size: "Taille",
  lastSync: "Dernière synchronisation",
  languages: "Langues",
  comparing: "Comparaison",
  imported: "Importée",
  upToDate: "À jour",
  changedFiles: "Fichiers modifiés : {n}",
  sourcesMissing: "Sources introuvables",
  syncing: "Synchronisation en cours",
  syncFailed: "Échec de la synchronisation",
  notBuilt: "Non construite",
  notSearchable: "Recherche impossible",
  synced: "Nouveaux : {added}, modifiés : {changed}, supprimés : {deleted}",
  unreadable: "Fichiers illisibles : {n}",
  collection: "Collection",
  file: "Fichier",
  cite: "Citer",
  copy: "Copier",
  copied: "Copié",
  code: "Code",
  before: "Sections avant : {n}",
  after: "Sections après : {n}",
  turn: "Message {n}",
  user: "Utilisateur",
  assistant: "Assistant",
  tool: "Outil",
  system: "Système",
  cannotShow: "Cette page ne peut pas être affichée",
  resultsFor: "Résultats pour « {query} »",
  openWeb: "Ouvrir sur le Web",
  openPdf: "Ouvrir le PDF",
  keptText:
    "Le fichier a changé depuis la dernière synchronisation ou il est trop long. Voici " +
    "le texte indexé.",
  contents: "Sommaire",
  previousMatch: "Occurrence précédente",
  nextMatch: "Occurrence suivante",
  matches: "Occurrences : {n}",
  noServer:
    "Le serveur de cette machine ne répond pas. Relancez {command} et ouvrez l’adresse " +
    "affichée.",
} satisfies AppTexts;
