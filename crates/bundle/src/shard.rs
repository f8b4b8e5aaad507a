//! The kinds of shard, and a line of the shard directory.

/// A hash of a shard: the first bits of BLAKE3 over its stored bytes, or over the bytes of all
/// shards of its group. The number of bits depends on the kind; the rest are 0.
pub type ShardHash = [u8; 4];

/// The kinds of shard. The format of each is in a module of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ShardKind {
    /// The structure of the site: pages, sections, passages, vectors. Exactly one.
    Structure = 0,
    /// A range of the dictionary with its postings, or with their first tier.
    Terms = 1,
    /// The positions of some ranges of terms in a block of pages. Listed by the directory of
    /// positions, not by the manifest.
    Positions = 2,
    /// A range of vectors.
    Vectors = 3,
    /// The HNSW graph.
    Graph = 4,
    /// One attribute of all pages.
    Column = 5,
    /// The texts of a range of pages.
    Texts = 6,
    /// A range of the static query encoder's rows.
    Rows = 7,
    /// The projection from the transformer's dimensions to the bundle's dimensions. One at most.
    Projection = 8,
    /// The centroids, and the list of cells.
    Centroids = 9,
    /// The vectors around one centroid. Listed by the centroids' shard, not by the manifest.
    Cell = 10,
    /// A range of the site's words as they are spelt.
    Spelling = 11,
    /// Hashes of the addresses of all pages. One at most.
    Addresses = 12,
    /// The codes of the sentences of a range of pages.
    Sentences = 13,
    /// The directory of positions. One at most.
    PositionsDirectory = 14,
    /// The second tier of the postings of a range of terms ([`crate::lexicon`]).
    SecondTier = 15,
    /// The number of vectors of each section, if the structure does not have it
    /// ([`crate::structure`]). One at most.
    VectorCounts = 16,
    /// The vectors of a range of sections, coded like a cell's vectors.
    SectionVectors = 17,
}

impl ShardKind {
    /// All kinds, by their numbers.
    pub(crate) const ALL: [Self; 18] = [
        Self::Structure,
        Self::Terms,
        Self::Positions,
        Self::Vectors,
        Self::Graph,
        Self::Column,
        Self::Texts,
        Self::Rows,
        Self::Projection,
        Self::Centroids,
        Self::Cell,
        Self::Spelling,
        Self::Addresses,
        Self::Sentences,
        Self::PositionsDirectory,
        Self::SecondTier,
        Self::VectorCounts,
        Self::SectionVectors,
    ];

    /// Returns the kind of a number; `None` if this version knows no such kind.
    pub(crate) fn of(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// One line of the shard directory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShardEntry {
    /// The kind of shard.
    pub kind: ShardKind,
    /// A hash of its stored bytes. Its file's name depends on this hash and on the start of its
    /// range ([`crate::names`]).
    pub hash: crate::ShardHash,
    /// Stored bytes; 0 if the directory does not say ([`crate::Manifest::of_files`]).
    pub stored_len: u32,
}

impl ShardKind {
    /// Returns whether the names of its shards depend on the start of their ranges.
    pub fn is_range(self) -> bool {
        matches!(
            self,
            Self::Terms
                | Self::SecondTier
                | Self::Texts
                | Self::Sentences
                | Self::Rows
                | Self::Cell
        )
    }

    /// Returns whether few searches read its shards. Browsers load the functions that decode these
    /// kinds later.
    pub fn is_rare(self) -> bool {
        matches!(
            self,
            Self::Positions
                | Self::PositionsDirectory
                | Self::Projection
                | Self::Graph
                | Self::Spelling
                | Self::Addresses
                | Self::Sentences
                | Self::VectorCounts
        )
    }

    /// Returns whether its shards form groups that share a hash. Each then contains a checksum.
    pub fn is_grouped(self) -> bool {
        matches!(self, Self::Texts | Self::Rows)
    }

    /// Returns the number of hex digits of the hashes of this kind.
    pub(crate) fn n_digits(self) -> usize {
        match self {
            Self::Rows => 2,
            _ if self.is_range() => 5,
            _ => 8,
        }
    }
}
