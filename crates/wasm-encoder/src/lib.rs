//! The transformer encoder's interface for JavaScript: a separate WebAssembly module, loaded only
//! if a page needs it.
//!
//! ```js
//! import init, { TransformerEncoder } from "./findling_encoder.js";
//! await init();
//! const model = new ModelPieces();
//! const inflated = (await fetch(modelUrl)).body.pipeThrough(new DecompressionStream("deflate"));
//! for await (const piece of inflated) model.push(piece);
//! const encoder = model.finish();
//! const { values, nTokens, truncated } = encoder.encode("how do I share state between threads");
//! encoder.free();
//! ```
//!
//! It loads a quantised artefact of [`findling_encoder::artefact`]: 23 MB for all-MiniLM-L6-v2, or
//! 15 MB compressed for download. The layers' weights stay 8-bit integers, in the order in which
//! the kernel reads them. The word table is not converted; it is only read row by row.
//!
//! Errors are thrown as JavaScript's `Error` with the stable `code` of
//! [`findling_encoder::Error::code`].

use findling_encoder::artefact::{Artefact, Pieces};
use findling_encoder::transformer::Transformer;
use findling_encoder::{Encoder as _, Error, Side};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A text's vector. */
export interface Embedding {
  /** Numbers of length 1 taken together, as many as the card's `dim`. */
  values: Float32Array;
  /** Tokens that were embedded, special tokens included. */
  nTokens: number;
  /** Whether the text was longer than the model reads: its end is not in the vector then. */
  truncated: boolean;
}

/**
 * Identifies the vector space of an encoder. Compared with the bundle's, because similarities
 * between vectors of different spaces mean nothing.
 */
export interface EncoderCard {
  name: string;
  dim: number;
  fingerprint: string;
  maxTokens: number;
  queryPrefix: string;
  documentPrefix: string;
  semantic: boolean;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// JavaScript's `Error`, bound here so that the module needs no bindings crate for it alone.
    #[wasm_bindgen(js_name = Error)]
    pub type JsError;

    #[wasm_bindgen(constructor, js_class = "Error")]
    fn new(message: &str) -> JsError;

    #[wasm_bindgen(method, setter, structural)]
    fn set_code(this: &JsError, code: &str);

    /// A plain object.
    #[wasm_bindgen(js_name = Object)]
    pub type JsEmbedding;

    #[wasm_bindgen(constructor, js_class = "Object")]
    fn new() -> JsEmbedding;

    #[wasm_bindgen(method, setter, structural)]
    fn set_values(this: &JsEmbedding, values: Vec<f32>);

    #[wasm_bindgen(method, setter, structural, js_name = nTokens)]
    fn set_n_tokens(this: &JsEmbedding, n: u32);

    #[wasm_bindgen(method, setter, structural)]
    fn set_truncated(this: &JsEmbedding, truncated: bool);
}

/// A model that is being downloaded. It takes an artefact's inflated bytes as they arrive.
#[wasm_bindgen]
#[derive(Default)]
pub struct ModelPieces {
    pieces: Pieces,
}

#[wasm_bindgen]
impl ModelPieces {
    /// Creates an empty list of pieces.
    #[wasm_bindgen(constructor)]
    pub fn new() -> ModelPieces {
        Self::default()
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    ///
    /// Throws `encoder-artefact` as soon as it is clear that the bytes are not an artefact.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), JsError> {
        self.pieces.push(piece).map_err(thrown)
    }

    /// Prepares the model from all bytes.
    ///
    /// # Errors
    ///
    /// As [`TransformerEncoder::new`].
    pub fn finish(self) -> Result<TransformerEncoder, JsError> {
        let model = self.pieces.finish().and_then(Transformer::new).map_err(thrown)?;
        Ok(TransformerEncoder { model })
    }
}

/// A sentence transformer, ready to embed queries.
#[wasm_bindgen]
pub struct TransformerEncoder {
    model: Transformer,
}

#[wasm_bindgen]
impl TransformerEncoder {
    /// Prepares the model from the inflated bytes in `artefact`. The bytes may be released
    /// afterwards.
    ///
    /// # Errors
    ///
    /// Throws `encoder-artefact` for bytes that are not an artefact this version reads,
    /// `encoder-run` when the model cannot be prepared.
    #[wasm_bindgen(constructor)]
    pub fn new(artefact: Vec<u8>) -> Result<TransformerEncoder, JsError> {
        let model = Artefact::from_bytes(artefact).and_then(Transformer::new).map_err(thrown)?;
        Ok(Self { model })
    }

    /// Embeds a query. The model's prefix for queries is put before it.
    ///
    /// # Errors
    ///
    /// Throws `encoder-run` when the model fails to run.
    #[wasm_bindgen(unchecked_return_type = "Embedding")]
    pub fn encode(&self, text: &str) -> Result<JsEmbedding, JsError> {
        let embedding = self.model.encode_one(text, Side::Query).map_err(thrown)?;
        let object = JsEmbedding::new();
        object.set_values(embedding.values);
        object.set_n_tokens(embedding.n_tokens);
        object.set_truncated(embedding.truncated);
        Ok(object)
    }

    /// Returns the model's card, as the JSON of an `EncoderCard`.
    pub fn card(&self) -> String {
        let card = self.model.card();
        serde_json::json!({
            "name": card.name,
            "dim": card.dim,
            "fingerprint": card.fingerprint,
            "maxTokens": card.max_tokens,
            "queryPrefix": card.query_prefix,
            "documentPrefix": card.document_prefix,
            "semantic": card.semantic,
        })
        .to_string()
    }
}

fn thrown(error: Error) -> JsError {
    let object = JsError::new(&error.to_string());
    object.set_code(error.code());
    object
}
