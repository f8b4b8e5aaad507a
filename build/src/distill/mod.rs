//! Distillation: trains a table to approximate a transformer.
//!
//! The static encoder embeds a query by adding up rows; this trains the rows. The steps: short
//! texts are gathered ([`texts`]); the teacher embeds them (through the embedding cache, so that an
//! interrupted run can continue); the embeddings are projected onto fewer dimensions ([`pca`]);
//! rows are trained to match them; rows are quantised. The report measures the result on held-out
//! texts.

pub mod pca;
#[cfg(feature = "transformer")]
mod pieces;
#[cfg(feature = "transformer")]
mod run;
pub mod texts;

#[cfg(feature = "transformer")]
pub use run::{Distilled, Options, Report, distill};
