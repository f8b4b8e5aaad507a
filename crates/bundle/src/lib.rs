//! The bundle: every format on disk and on the wire, with its writer and its reader in one module.
//!
//! A bundle is a directory of immutable shards named by their contents, and one small entry file
//! that names the current manifest. The same parts also make a single file. `docs/format.md` in the
//! repository specifies every format byte by byte.
//!
//! | file | content | module |
//! |---|---|---|
//! | `findling.idx` | the entry file: names the manifest; the only file that changes | [`entry`] |
//! | `shards/<32 hex digits>.bin` | the manifest: schema, statistics, shards | [`Manifest`] |
//! | `shards/<8 or 16 hex digits>.bin` | a shard | [`frame`], [`names`] |
//! | `shards/<24 hex digits>.bin` | a pack: many shards in one file | [`packs`] |
//! | `NAME.findling` | all of them in one file | [`single_file`] |
//!
//! | kind | shard | answers | module |
//! |---|---|---|---|
//! | 0 | structure | which section and page is this? | [`structure`] |
//! | 1 | terms | where does this term occur, how often, in how long a text? | [`lexicon`] |
//! | 2 | positions | at which tokens of those fields? | [`positions`] |
//! | 3 | vectors | what does this section mean? | [`vectors`] |
//! | 4 | graph | which vectors are near this one? | [`graph`] |
//! | 5 | column | which pages or sections have this value of an attribute? | [`column`] |
//! | 6 | texts | what is shown of this page? | [`texts`] |
//! | 7 | rows | what does this word add to a query's vector? | [`rows`] |
//! | 8 | projection | how does a transformer's vector become one of the bundle? | [`projection`] |
//! | 9 | centroids | which cells are near a query? | [`cells`] |
//! | 10 | cell | which vectors are near this centroid? | [`cells`] |
//! | 11 | spelling | which words does the site have, as they are spelt? | [`spelling`] |
//! | 12 | addresses | which page has this address? | [`addresses`] |
//! | 13 | sentences | which sentence of a section is most like a query? | [`sentences`] |
//! | 14 | directory of positions | which shards have the positions of a term? | [`positions`] |
//! | 15 | second tier | where else does this very common term occur? | [`lexicon`] |
//! | 16 | vector counts | how many vectors does each section have? | [`structure`] |
//! | 17 | section vectors | which vectors have these sections? | [`cells`] |
//!
//! ```
//! use findling_bundle::lexicon::TermsBuilder;
//! use findling_bundle::structure::StructureBuilder;
//! use findling_bundle::{Level, Posting, ShardKind, Stats, TermsShard, decode_shard, encode_shard};
//!
//! // A page with one section of two passages.
//! let mut structure = StructureBuilder::default();
//! structure.page();
//! structure.section(1);
//! structure.passage();
//! structure.passage();
//! let structure = structure.finish();
//! let mut terms = TermsBuilder::new();
//! let posting = Posting::new(Level::Passage, 1, [2, 1], [5, 3]);
//! terms.push("borrow", 1, [&[], &[], &[posting]], &structure)?;
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
//! # Rules for every format
//!
//! - Numbers are little-endian, or LEB128 varints. Strings are UTF-8, preceded by a varint length.
//!   Ids are dense from 0.
//! - The same contents give the same bytes.
//! - Readers take untrusted bytes. `from_bytes` checks everything ([`texts`] checks a page when it
//!   is read) and returns an [`Error`] with what was expected, what was found and what to do. After
//!   that, accessors are total: for an id that does not exist they return nothing, and never panic.
//! - A reader allocates at most 256 times the length of its input, whatever the input claims. The
//!   manifest is bounded by [`limits`], and packed terms need another 200 kB of models.
//!   `tests/allocation.rs` measures this.
//! - Nothing here does IO, reads a clock or starts a thread.
//!
//! Modules form layers (`layers.txt`): a module imports only from lower layers.

pub mod addresses;
mod attribute;
pub mod cells;
mod codec;
pub mod column;
pub mod entry;
mod error;
pub mod frame;
pub mod graph;
mod header;
mod ids;
pub mod lexicon;
pub mod limits;
mod manifest;
pub mod names;
mod numbers;
pub mod opening;
pub mod order;
pub mod packs;
pub mod positions;
pub mod projection;
mod range_coder;
pub mod rows;
pub mod sentences;
mod shard;
pub mod single_file;
pub mod spelling;
mod stats;
pub mod structure;
pub mod texts;
pub mod vectors;

pub use addresses::Addresses;
pub use attribute::{AttributeKind, AttributeLevel, AttributeValue};
pub use cells::{CellShard, Centroids};
pub use codec::{hash128, hex};
pub use column::Column;
pub use entry::{Entry, EntryFile, OpeningFile};
pub use error::Error;
pub use frame::{
    announced_len, decode_manifest, decode_shard, decode_shard_of, encode_manifest, encode_shard,
    has_first_name, rename_shard,
};
pub use graph::Graph;
pub use ids::{PageId, PassageId, SectionId, ShardId, VectorId};
pub use lexicon::{Level, Posting, TermEntry, TermsShard};
pub use manifest::*;
pub use names::{RangeStart, shard_hash, shard_hash_of};
pub use packs::PackDirectory;
pub use positions::{PositionsDirectory, PositionsShard};
pub use sentences::SentencesShard;
pub use shard::{ShardEntry, ShardHash, ShardKind};
pub use single_file::SingleFile;
pub use spelling::SpellingShard;
pub use stats::{Field, Stats};
pub use structure::Structure;
pub use texts::TextsShard;
pub use vectors::VectorsShard;
