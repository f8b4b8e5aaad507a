/** Malay. */

import type { AppTexts } from "../texts";

export default {
  skip: "Langkau ke kandungan",
  locked: "Buka alamat yang dipaparkan",
  lockedHint:
    "Pelayan ini hanya menjawab halaman yang mempunyai tokennya. Buka alamat yang " +
    "dipaparkan oleh {command}; tokennya baharu setiap kali.",
  searchAll: "Cari dalam koleksi anda",
  collections: "Koleksi",
  syncAll: "Segerakkan semua",
  noCollections: "Belum ada koleksi. Tambah koleksi dalam shell, kemudian muat semula halaman ini:",
  listedIn: "Senarainya ada dalam {file}.",
  sync: "Segerakkan",
  pageCount: "Halaman",
  sectionCount: "Bahagian",
  fileCount: "Fail",
  size: "Saiz",
  lastSync: "Penyegerakan terakhir",
  languages: "Bahasa",
  comparing: "Membandingkan",
  imported: "Diimport",
  upToDate: "Terkini",
  changedFiles: "Fail berubah: {n}",
  sourcesMissing: "Sumber tiada",
  syncing: "Menyegerakkan",
  syncFailed: "Penyegerakan gagal",
  notBuilt: "Belum dibina",
  notSearchable: "Tidak dapat dicari",
  synced: "Baharu: {added}, berubah: {changed}, dipadam: {deleted}",
  unreadable: "Fail yang tidak dapat dibaca: {n}",
  collection: "Koleksi",
  file: "Fail",
  cite: "Petik",
  copy: "Salin",
  copied: "Disalin",
  code: "Kod",
  before: "Bahagian sebelum: {n}",
  after: "Bahagian selepas: {n}",
  turn: "Giliran {n}",
  user: "Pengguna",
  assistant: "Pembantu",
  tool: "Alat",
  system: "Sistem",
  cannotShow: "Halaman ini tidak dapat dipaparkan",
  resultsFor: "Hasil untuk “{query}”",
  openWeb: "Buka di web",
  openPdf: "Buka PDF",
  keptText:
    "Fail telah berubah sejak penyegerakan terakhir atau terlalu panjang. Ini teks " +
    "yang diindeks.",
  contents: "Kandungan",
  previousMatch: "Padanan sebelumnya",
  nextMatch: "Padanan seterusnya",
  matches: "Padanan: {n}",
  noServer:
    "Pelayan pada komputer ini tidak menjawab. Mulakan semula {command} dan buka " +
    "alamat yang dipaparkan.",
} satisfies AppTexts;
