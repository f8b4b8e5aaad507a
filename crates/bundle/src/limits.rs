//! The limits of a reader. Every number that decides how much memory is allocated is checked
//! against them first. Within them, the allocation is bounded by the length of the input.

use crate::{Error, ShardKind, Stats};

/// Maximum number of bytes of the manifest, before and after decompression.
pub const MAX_MANIFEST_LEN: usize = 32 << 20;

/// Maximum number of ranges of the manifest, of all lists together. A range may take much less than
/// a bit, so the length of the input does not bound their number.
pub const MAX_RANGES: usize = 200_000;

/// Maximum number of vectors whose cells the centroids list.
pub const MAX_TOLD: u32 = 25_000;

/// Longest term in bytes. Longer terms are cut at a character boundary when they are written and
/// when they are looked up ([`crate::lexicon::cap_term`]).
pub const MAX_TERM_LEN: usize = 128;

/// Maximum number of pages, sections, passages or vectors: ids stay below this.
pub const MAX_IDS: u32 = 1 << 28;

/// Maximum number of vectors for each section or passage of the bundle.
pub const MAX_VECTORS_PER_UNIT: u64 = 64;

/// Maximum number of dimensions of a vector.
pub const MAX_DIM: u32 = 4096;

/// Refuses a number of dimensions that is not `expected`, is 0 or is above [`MAX_DIM`].
pub(crate) fn check_dim(what: &'static str, got: u32, expected: u32) -> Result<(), Error> {
    if got != expected {
        return Err(Error::Length { what, expected: expected.into(), got: got.into() });
    }
    if got == 0 || got > MAX_DIM {
        return Err(Error::Limit { what: "dimensions", limit: MAX_DIM.into(), got: got.into() });
    }
    Ok(())
}

/// Maximum number of languages of a bundle.
pub const MAX_LANGUAGES: usize = 16;

/// Maximum number of ranges of terms with a second tier. A reader scans all ranges to find one.
pub const MAX_SECOND_TIERS: usize = 10_000;

/// Maximum number of words with synonyms. Every reader fetches them.
pub const MAX_SYNONYMS: usize = 2_000;

/// Maximum number of bytes of a name, a path or another short string of the manifest.
pub const MAX_NAME_LEN: usize = 1024;

/// Maximum number of layers of the graph, including the base layer.
pub const MAX_LAYERS: usize = 32;

/// Maximum number of bytes that a compressed byte can represent (RFC 1951: 258 bytes in two bits,
/// rounded up).
pub const MAX_INFLATION: u64 = 1040;

/// Maximum number of bytes of a number of variable length that fits 32 bits.
const MAX_VARINT_LEN: u64 = 5;

/// Returns the largest size of a shard after decompression in a bundle with these counts. Otherwise
/// a file of one megabyte could expand to 512, more memory than some hosts have.
pub fn max_raw_len_of(kind: ShardKind, stats: &Stats) -> u32 {
    let [pages, sections, passages] =
        [stats.n_pages, stats.n_sections, stats.n_passages].map(u64::from);
    let numbers = match kind {
        // The counts; a number for each page, section and passage; each section that continues one.
        ShardKind::Structure => 5 + pages + 2 * sections + passages,
        ShardKind::VectorCounts => sections,
        _ => return max_raw_len(kind),
    };
    let most = numbers.saturating_mul(MAX_VARINT_LEN);
    u32::try_from(most).unwrap_or(u32::MAX).min(max_raw_len(kind))
}

/// Returns the largest size of a shard after decompression.
pub fn max_raw_len(kind: ShardKind) -> u32 {
    match kind {
        // One shard for the whole corpus.
        ShardKind::Structure | ShardKind::Graph | ShardKind::VectorCounts => 512 << 20,
        ShardKind::Terms
        | ShardKind::SecondTier
        | ShardKind::Positions
        | ShardKind::PositionsDirectory
        | ShardKind::Vectors
        | ShardKind::Column
        | ShardKind::Texts
        | ShardKind::Rows
        | ShardKind::Projection
        | ShardKind::Centroids
        | ShardKind::Spelling
        | ShardKind::Addresses
        | ShardKind::Sentences
        | ShardKind::Cell
        | ShardKind::SectionVectors => 128 << 20,
    }
}
