/* The transformer's module as far as the client uses it, for type checks without that module. */
export interface Embedding {
  values: Float32Array;
  nTokens: number;
  truncated: boolean;
}
export class ModelPieces {
  constructor();
  push(piece: Uint8Array): void;
  finish(): TransformerEncoder;
  free(): void;
}
export class TransformerEncoder {
  constructor(artefact: Uint8Array);
  card(): string;
  encode(text: string): Embedding;
  free(): void;
}
export default function init(options: { module_or_path: unknown }): Promise<unknown>;
export function initSync(options: { module: WebAssembly.Module }): unknown;
