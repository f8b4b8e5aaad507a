/** Portuguese. */

import type { AppTexts } from "../texts";

export default {
  skip: "Ir para o conteúdo",
  locked: "Abra o endereço mostrado",
  lockedHint:
    "Este servidor só responde a páginas que têm o seu token. Abra o endereço que " +
    "{command} mostrou; tem um novo token de cada vez.",
  searchAll: "Pesquisar nas suas coleções",
  collections: "Coleções",
  syncAll: "Sincronizar tudo",
  noCollections: "Ainda não há coleções. Adicione uma num terminal e recarregue esta página:",
  listedIn: "Estão em {file}.",
  sync: "Sincronizar",
  pageCount: "Páginas",
  sectionCount: "Secções",
  fileCount: "Ficheiros",
  size: "Tamanho",
  lastSync: "Última sincronização",
  languages: "Idiomas",
  comparing: "A comparar",
  imported: "Importada",
  upToDate: "Atualizada",
  changedFiles: "Ficheiros alterados: {n}",
  sourcesMissing: "Fontes em falta",
  syncing: "A sincronizar",
  syncFailed: "Falha na sincronização",
  notBuilt: "Não construída",
  notSearchable: "Não é possível pesquisar",
  synced: "Novos: {added}, alterados: {changed}, eliminados: {deleted}",
  unreadable: "Ficheiros que não foi possível ler: {n}",
  collection: "Coleção",
  file: "Ficheiro",
  cite: "Citar",
  copy: "Copiar",
  copied: "Copiado",
  code: "Código",
  before: "Secções anteriores: {n}",
  after: "Secções seguintes: {n}",
  turn: "Turno {n}",
  user: "Utilizador",
  assistant: "Assistente",
  tool: "Ferramenta",
  system: "Sistema",
  cannotShow: "Não é possível mostrar esta página",
  resultsFor: "Resultados de “{query}”",
  openWeb: "Abrir na web",
  openPdf: "Abrir o PDF",
  keptText:
    "O ficheiro mudou desde a última sincronização ou é demasiado longo. Este é o " +
    "texto indexado.",
  contents: "Conteúdo",
  previousMatch: "Ocorrência anterior",
  nextMatch: "Ocorrência seguinte",
  matches: "Ocorrências: {n}",
  noServer:
    "O servidor desta máquina não responde. Inicie {command} de novo e abra o endereço " +
    "mostrado.",
} satisfies AppTexts;
