//! What lies on disk and on the wire: every format of a bundle, its writer and its reader in one
//! module.
//!
//! A bundle is a directory of immutable shards named by their contents, and one small file that
//! names the current manifest. The same parts make a single file.
//!
//! | where | what | module |
//! |---|---|---|
//! | `findling.idx` | names the manifest; the only file that changes | [`entry`] |
//! | `shards/<32 hex digits>.bin` | the manifest: schema, statistics, encoder, shard directory | [`Manifest`] |
//! | `shards/<8 or 16 hex digits>.bin` | shards, one kind each, framed alike | [`frame`], [`names`] |
//! | `NAME.findling` | all of it in one file | [`single_file`] |
//!
//! | shard | answers | module |
//! |---|---|---|
//! | structure; in large bundles vectors of sections | which section and page is this? | [`structure`] |
//! | terms | where does this term occur, how often, in how long a text? | [`lexicon`] |
//! | positions, their directory | where in those fields? | [`positions`] |
//! | vectors | what does this section mean? | [`vectors`] |
//! | graph | which vectors are near this one? | [`graph`] |
//! | centroids, cell | which vectors are near a query, without fetching all? | [`cells`] |
//! | spelling | which words does the site have, as they are spelt? | [`spelling`] |
//! | column | which pages have this value? | [`column`] |
//! | texts | what is shown of this page? | [`texts`] |
//! | addresses | which page has this address? | [`addresses`] |
//!
//! ```
//! use findling_bundle::lexicon::TermsBuilder;
//! use findling_bundle::structure::StructureBuilder;
//! use findling_bundle::{Level, Posting, ShardKind, Stats, TermsShard, decode_shard, encode_shard};
//!
//! // A page with a section of two passages.
//! let mut structure = StructureBuilder::default();
//! structure.page();
//! structure.section(1);
//! structure.passage();
//! structure.passage();
//! let structure = structure.finish();
//! let mut terms = TermsBuilder::new();
//! terms.push("borrow", 1, [&[], &[], &[Posting::new(Level::Passage, 1, [2, 1], [5, 3])]], &structure)?;
//! let (entry, stored) = encode_shard(ShardKind::Terms, &terms.finish())?;
//!
//! // Elsewhere, from bytes that came over the network:
//! let stats = Stats { n_pages: 1, n_sections: 1, n_passages: 2, n_terms: 1, ..Stats::default() };
//! let shard = TermsShard::from_bytes(decode_shard(&entry, &stored)?, &stats)?;
//! let borrow = shard.find("borrow").unwrap();
//! let mut postings = shard.postings(&borrow, Level::Passage, &structure);
//! assert_eq!(postings.next(), Some(Posting { id: 1, tf: [2, 1], len: [5, 3] }));
//! # Ok::<(), findling_bundle::Error>(())
//! ```
//!
//! # Rules that hold for every format
//!
//! - Numbers are little-endian, or LEB128 varints; strings are UTF-8 behind a varint length; ids
//!   are dense from 0.
//! - The same contents give the same bytes.
//! - Readers take bytes that nobody vouches for. `from_bytes` checks everything ([`texts`] checks a
//!   page when it is read) and gives an [`Error`] that says what was expected, what was found and
//!   what to do; after it, accessors are total: an id that does not exist gives nothing, never a
//!   panic.
//! - What a reader allocates is at most 256 times its input's length (for the manifest, what
//!   [`limits`] says; for packed terms, some 200 kB of models more), whatever the input claims;
//!   `tests/allocation.rs` measures it.
//! - Nothing here does IO, reads a clock or spawns a thread.

pub mod addresses;
pub mod cells;
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
pub mod names;
mod numbers;
pub mod order;
pub mod positions;
pub mod projection;
mod range_coder;
pub mod rows;
pub mod sentences;
pub mod single_file;
pub mod spelling;
pub mod structure;
pub mod texts;
pub mod vectors;

pub use addresses::Addresses;
pub use cells::{CellShard, Centroids};
pub use codec::{hash128, hex};
pub use column::Column;
pub use entry::Entry;
pub use error::Error;
pub use frame::{
    announced_len, decode_manifest, decode_shard, encode_manifest, encode_shard, rename_shard,
};
pub use graph::Graph;
pub use ids::{PageId, PassageId, SectionId, ShardId, VectorId};
pub use lexicon::{Level, Posting, TermEntry, TermsShard};
pub use manifest::*;
pub use names::{RangeStart, ShardHash, shard_hash};
pub use positions::{PositionsDirectory, PositionsShard};
pub use sentences::SentencesShard;
pub use single_file::SingleFile;
pub use spelling::SpellingShard;
pub use structure::Structure;
pub use texts::TextsShard;
pub use vectors::VectorsShard;
