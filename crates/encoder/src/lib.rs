//! Text to vector.
//!
//! An [`Encoder`] maps texts to vectors of one space. Its card ([`findling_bundle::EncoderCard`])
//! identifies that space, so that a query is never compared with documents of another space. The
//! encoders:
//!
//! - [`hash::HashEncoder`]: feature hashing, for air-gapped builds and tests. It is not semantic,
//!   as its card states.
//! - `static_table::StaticTable` (feature `static-table`): a table lookup, trained to approximate a
//!   transformer's vectors.
//! - `transformer::Transformer` (feature `transformer`): a BERT-family sentence transformer, run by
//!   tract.
//! - `onnx::OnnxEncoder` (feature `onnx`): a user's own ONNX graph, run natively; not shipped to
//!   browsers.
//!
//! ```
//! use findling_encoder::{Encoder, Side, dot, hash::HashEncoder};
//!
//! let encoder = HashEncoder::default();
//! let vectors = encoder.encode(&["borrow checker", "the borrow checker"], Side::Query)?;
//! // Vectors have length 1, so this is their cosine.
//! assert!(dot(&vectors[0].values, &vectors[1].values) > 0.7);
//! assert!(!encoder.card().semantic);
//! # Ok::<(), findling_encoder::Error>(())
//! ```
//!
//! # Features
//!
//! | feature | adds | in a browser |
//! |---|---|---|
//! | (none) | the trait and `hash`; depends only on the manifest's types | yes |
//! | `static-table` | `static_table`: the static encoder's table | no: bundles carry its rows |
//! | `transformer` | `artefact` (the model file) and `transformer` (the forward pass) | yes |
//! | `import` | `import`: reads safetensors with `tokenizer.json` and `config.json` | no |
//! | `parallel` | documents on all cores | no |
//! | `tokenizers` | `published_tokenizer`: tokenizers of other families | no |
//! | `onnx` | `onnx`: a user's own ONNX graph, with `tokenizers` | no |
//! | `native` | `import` and `parallel` | no |
//!
//! Modules form layers (`layers.txt`): a module imports only from lower layers.

#[cfg(feature = "transformer")]
pub mod artefact;
mod dot;
mod encoder;
mod error;
pub mod hash;
#[cfg(feature = "import")]
pub mod import;
#[cfg(feature = "onnx")]
pub mod onnx;
#[cfg(feature = "tokenizers")]
pub mod published_tokenizer;
#[cfg(feature = "static-table")]
pub mod static_table;
#[cfg(feature = "transformer")]
pub mod transformer;

pub use dot::dot;
pub use encoder::{BoxedEncoder, Embedding, Encoder, Side};
pub use error::Error;
pub use findling_bundle::EncoderCard;
