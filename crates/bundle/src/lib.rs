//! What lies on disk and on the wire.
#![doc = "(front page to be written with the formats)"]

mod codec;
pub mod column;
pub mod entry;
mod error;
pub mod frame;
pub mod graph;
mod ids;
pub mod lexicon;
pub mod limits;
mod manifest;
pub mod positions;
pub mod single_file;
pub mod structure;
pub mod texts;
pub mod vectors;

pub use codec::{hash128, hex};
pub use column::Column;
pub use entry::Entry;
pub use error::Error;
pub use frame::{decode_manifest, decode_shard, encode_manifest, encode_shard};
pub use graph::Graph;
pub use ids::{PageId, PassageId, SectionId, ShardId, VectorId};
pub use lexicon::{Level, Posting, TermEntry, TermsShard};
pub use manifest::*;
pub use positions::PositionsShard;
pub use single_file::SingleFile;
pub use structure::Structure;
pub use texts::TextsShard;
pub use vectors::VectorsShard;
