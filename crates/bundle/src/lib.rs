//! What lies on disk and on the wire.
#![doc = "(front page to be written with the formats)"]

mod ids;
mod manifest;

pub use ids::{PageId, PassageId, SectionId, ShardId, VectorId};
pub use manifest::*;
