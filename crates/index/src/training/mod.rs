//! Training of the static encoder's rows.
//!
//! The static encoder embeds a text by summing one row for each of its tokens. Training moves the
//! rows until that sum has the direction of the vector that the teacher (a transformer) gives the
//! text.
//!
//! For a text with tokens `t_1 .. t_m` and the teacher's projected, normalised embedding `y`, the
//! loss is `1 - cos(sum_i row(t_i), y)`. The length of a row acts as the weight of its token, so
//! the weighted mean needs no separate weights. [`initial_rows`] gives the start: the teacher's
//! embedding of each token alone, centred, times the smooth inverse frequency `a / (a + p)` (Arora,
//! Liang and Ma, ICLR 2017). The optimiser is Adam (Kingma and Ba, ICLR 2015); it updates only the
//! rows that a batch uses.
//!
//! After a first training, the rows of tokens that occur in many texts show how the embedding of a
//! token alone relates to its row. [`predict_rows`] fits a linear map to them. The map gives a row
//! to tokens that occur in no text, and a better start to tokens that occur in few.
//!
//! If texts are parts of documents, training can also push them away from other documents
//! ([`Contrast`]). Let `u` be the direction of the sum, `d` the vector of the text's own document
//! and `d_j` the vectors of all documents in the batch. The loss is then `1 - cos(u, y) + T (log
//! sum_j exp(u d_j / T) - u d / T)`: InfoNCE (van den Oord, Li and Vinyals, 2018) with the
//! negatives of the batch (Karpukhin et al., EMNLP 2020).
//!
//! Training runs on all cores. The same seed gives the same rows on any number of cores: gradients
//! are computed text by text and summed row by row, each in a fixed order.

mod adam;
mod examples;
mod initial_rows;
mod predict_rows;
mod train;

pub use examples::{Contrast, Examples};
pub use initial_rows::initial_rows;
pub use predict_rows::predict_rows;
pub use train::{Options, Trained, mean_cosine, sum_rows, train, train_some};
