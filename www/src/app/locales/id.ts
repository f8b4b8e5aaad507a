/** Indonesian. */

import type { AppTexts } from "../texts";

export default {
  skip: "Lompat ke isi",
  locked: "Buka alamat yang ditampilkan",
  lockedHint:
    "Server ini hanya menjawab halaman yang memiliki tokennya. Buka alamat yang " +
    "ditampilkan {command}; tokennya baru setiap kali.",
  searchAll: "Cari di koleksi Anda",
  collections: "Koleksi",
  syncAll: "Sinkronkan semua",
  noCollections: "Belum ada koleksi. Tambahkan koleksi di shell, lalu muat ulang halaman ini:",
  listedIn: "Daftarnya ada di {file}.",
  sync: "Sinkronkan",
  pageCount: "Halaman",
  sectionCount: "Bagian",
  fileCount: "Berkas",
  size: "Ukuran",
  lastSync: "Sinkronisasi terakhir",
  languages: "Bahasa",
  comparing: "Membandingkan",
  imported: "Diimpor",
  upToDate: "Mutakhir",
  changedFiles: "Berkas berubah: {n}",
  sourcesMissing: "Sumber tidak ditemukan",
  syncing: "Menyinkronkan",
  syncFailed: "Sinkronisasi gagal",
  notBuilt: "Belum dibangun",
  notSearchable: "Tidak dapat dicari",
  synced: "Baru: {added}, berubah: {changed}, dihapus: {deleted}",
  unreadable: "Berkas yang tidak dapat dibaca: {n}",
  collection: "Koleksi",
  file: "Berkas",
  cite: "Kutip",
  copy: "Salin",
  copied: "Disalin",
  code: "Kode",
  before: "Bagian sebelumnya: {n}",
  after: "Bagian sesudahnya: {n}",
  turn: "Giliran {n}",
  user: "Pengguna",
  assistant: "Asisten",
  tool: "Alat",
  system: "Sistem",
  cannotShow: "Halaman ini tidak dapat ditampilkan",
  resultsFor: "Hasil untuk “{query}”",
  openWeb: "Buka di web",
  openPdf: "Buka PDF",
  keptText:
    "Berkas telah berubah sejak sinkronisasi terakhir atau terlalu panjang. Ini teks " +
    "yang diindeks.",
  contents: "Daftar isi",
  previousMatch: "Kecocokan sebelumnya",
  nextMatch: "Kecocokan berikutnya",
  matches: "Kecocokan: {n}",
  noServer:
    "Server di komputer ini tidak menjawab. Jalankan lagi {command} dan buka alamat " +
    "yang ditampilkan.",
} satisfies AppTexts;
