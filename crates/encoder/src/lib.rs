//! Text to vector.
//!
//! An [`Encoder`] maps texts to vectors of one space; its card ([`findling_bundle::EncoderCard`])
//! names that space, so that a query is never compared with documents of another. There are:
//!
//! - [`hash::HashEncoder`]: feature hashing, for air-gapped builds and tests. Not semantic, and its
//!   card says so.
//! - `static_table::StaticTable` (feature `static-table`): a table lookup trained to land in a
//!   transformer's space.
//! - `transformer::Transformer` (feature `transformer`): a BERT-family sentence transformer, run by
//!   tract.
//! - `onnx::OnnxEncoder` (feature `onnx`): a user's own ONNX graph, run natively; not shipped to
//!   browsers.
//!
//! ```
//! use findling_encoder::{Encoder, Side, hash::HashEncoder};
//!
//! let encoder = HashEncoder::default();
//! let vectors = encoder.encode(&["borrow checker", "the borrow checker"], Side::Query)?;
//! let cosine: f32 = vectors[0].values.iter().zip(&vectors[1].values).map(|(a, b)| a * b).sum();
//! assert!(cosine > 0.7);
//! assert!(!encoder.card().semantic);
//! # Ok::<(), findling_encoder::Error>(())
//! ```
//!
//! # Features
//!
//! | feature | adds | in a browser |
//! |---|---|---|
//! | (none) | the trait and `hash`; no dependency but the manifest's types | yes |
//! | `static-table` | `static_table`: the static encoder's table | no: bundles carry its rows |
//! | `transformer` | `artefact` (our container of weights) and `transformer` (the forward pass) | yes |
//! | `import` | `import`: safetensors with `tokenizer.json` and `config.json` to an artefact | no |
//! | `parallel` | documents on all cores | no |
//! | `onnx` | `onnx`: a user's own ONNX graph | no |
//! | `native` | `import` and `parallel` | no |

#[cfg(feature = "transformer")]
pub mod artefact;
mod encoder;
mod error;
pub mod hash;
#[cfg(feature = "import")]
pub mod import;
#[cfg(feature = "onnx")]
pub mod onnx;
#[cfg(feature = "static-table")]
pub mod static_table;
#[cfg(feature = "transformer")]
pub mod transformer;

pub use encoder::{Embedding, Encoder, Side};
pub use error::Error;
pub use findling_bundle::EncoderCard;
