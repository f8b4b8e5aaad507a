//! The rows of the static query encoder: "what does this word add to a query's vector?"
//!
//! A query's vector is the normalised sum of its words' rows. Rows are quantised to 2, 4 or 8 bits
//! with a scale each, sorted by their key and cut into small shards. A query fetches only the
//! shards of its words. A key is a word, or a WordPiece token that begins a word. A word uses its
//! own row, or else the row of the longest key that is a prefix of it ([`standing_for`]). The
//! pieces that continue a word are never used: they would be in other shards, which would take the
//! query another round.
//!
//! | field | encoding |
//! |---|---|
//! | `n` | varint |
//! | `dim` | varint |
//! | `bits` | u8: 2, 4 or 8 |
//! | keys | `n` times: varint bytes shared with the key before, string: the rest |
//! | scales | `n` times u16: the upper half of an f32, finite, not negative |
//! | rows | `n` times `dim * bits / 8` bytes, rounded up; the first number in the lowest bits |
//!
//! A stored number `q` stands for `(q - (2^bits - 1) / 2) * scale`. The levels are symmetric around
//! 0, and 0 is not a level (a mid-rise quantiser). At 2 bits this suits a row of about Gaussian
//! numbers (Max, "Quantizing for minimum distortion", IRE Transactions 1960, table I). A bundle's
//! shards are packed, so they use uniform, wide steps, and 0 is a level ([`Bits::Steps`]): `q`
//! stands for `(q - 8) * scale`. Most numbers are near 0 and take few bits.
//!
//! A shard answers for any word in its range. A key that is a prefix of such a word sorts into the
//! range, or is a prefix of the range's first key. The writer repeats those few keys at the front
//! of the shard ([`prefixes`]).

mod keys;
pub(crate) mod packed;
mod quantise;
mod shard;
#[cfg(test)]
mod tests;

pub use keys::{CONTINUATION, MIN_PREFIX_CHARS, longest_prefix, pieces, prefixes, standing_for};
pub use quantise::{Bits, add_row, quantise};
pub use shard::{RowsBuilder, RowsShard};

/// The name of this format in errors.
const WHAT: &str = "encoder rows";
