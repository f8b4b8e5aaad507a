//! Distillation: a transformer's space, taught to a table.
//!
//! The static encoder embeds a query by adding up rows; this trains the rows. Short texts are
//! gathered ([`texts`]), embedded by the teacher (through the embedding cache, so that an
//! interrupted run goes on where it stopped), the space is projected onto fewer dimensions
//! ([`pca`]), rows are trained against the projected embeddings ([`train`]) and quantised. The
//! report says what was lost on texts held out.

pub mod pca;
#[cfg(feature = "transformer")]
mod run;
pub mod texts;

#[cfg(feature = "transformer")]
pub use run::{Distilled, Options, Report, distill};
