//! The manifest: what a reader must know before the first query. Schema, statistics, the encoder's
//! identity and the shard directory. bincode, behind [`Manifest::to_bytes`] and [`Manifest::from_bytes`] alone.

use bincode::{Decode, Encode};

/// What the whole bundle says of itself.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Manifest {
    /// The tool and version that wrote the bundle, for people: `findling 0.1.0`.
    pub generator: String,
    /// Languages of the pages, BCP 47 (`en`), most frequent first, at most 16. Queries are analysed in each.
    pub languages: Vec<String>,
    /// Hash of the analysis rules at build time (`findling_text::conformance()` of the builder). A reader whose own differs
    /// would look for other terms than were indexed, and refuses.
    pub analysis: u64,
    /// How many there are of what.
    pub stats: Stats,
    /// Typed attributes, by name, sorted.
    pub attributes: Vec<Attribute>,
    /// The encoder of the documents, and what its space looks like; `None` in a bundle without vectors.
    pub dense: Option<Dense>,
    /// The lexicon's shards, in term order.
    pub lexicon: Vec<LexiconRange>,
    /// The text shards, in page order.
    pub texts: Vec<TextRange>,
    /// The shard directory. A [`crate::ShardId`] is a place in it.
    pub shards: Vec<ShardEntry>,
}

/// Collection statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Encode, Decode)]
pub struct Stats {
    /// Pages.
    pub n_pages: u32,
    /// Sections of all pages.
    pub n_sections: u32,
    /// Passages of all sections.
    pub n_passages: u32,
    /// Vectors of all sections.
    pub n_vectors: u32,
    /// Distinct terms.
    pub n_terms: u32,
    /// Mean number of tokens in each field, over passages (a page's title counts once for each of its
    /// passages, since BM25F scores passages). In the order of [`crate::Field`].
    pub mean_len: [f32; 6],
}

/// The fields of lexical retrieval, two on each level.
///
/// Postings of a page carry the term frequencies of `Title` and `Path`, postings of a section those of
/// `Heading` and `Ancestors`, postings of a passage those of `Body` and `Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
#[repr(u8)]
pub enum Field {
    /// The page's title.
    Title = 0,
    /// The words of the page's path or URL.
    Path = 1,
    /// The section's own heading.
    Heading = 2,
    /// The headings above the section's.
    Ancestors = 3,
    /// Running text.
    Body = 4,
    /// Code blocks and inline code.
    Code = 5,
}

/// A typed attribute of pages.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Attribute {
    /// Its name, as filters spell it.
    pub name: String,
    /// Its type.
    pub kind: AttributeKind,
    /// The shard with its column.
    pub column: crate::ShardId,
    /// Whether it was marked for faceting (`data-findling-filter`) rather than sorting alone.
    pub facet: bool,
}

/// The types an attribute can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum AttributeKind {
    /// One string.
    String,
    /// A set of strings.
    Strings,
    /// A number (f64).
    Number,
    /// A date: milliseconds since 1970-01-01 UTC, as f64-exact integers.
    Date,
    /// True or false.
    Bool,
}

/// The value of one attribute of one page.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// One string.
    String(String),
    /// A set of strings, sorted, without duplicates.
    Strings(Vec<String>),
    /// A number; never NaN.
    Number(f64),
    /// Milliseconds since 1970-01-01 UTC.
    Date(i64),
    /// True or false.
    Bool(bool),
}

/// The dense side: which space the vectors live in, and where they are.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Dense {
    /// The documents' encoder.
    pub encoder: EncoderCard,
    /// The mean of all vectors as stored, in f32, `encoder.dim` long: the zero point of convex fusion.
    pub mean: Vec<f32>,
    /// Shards of int8 vectors, in vector order.
    pub vectors: Vec<VectorRange>,
    /// The HNSW graph; `None` where the corpus is too small for one to help.
    pub graph: Option<crate::ShardId>,
    /// Query encoders deployed beside the bundle, in the order a client should prefer them.
    pub query_encoders: Vec<QueryEncoder>,
}

/// A query encoder deployed beside the bundle. All of them land in the documents' space.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct QueryEncoder {
    /// `transformer`; later tiers have names of their own.
    pub kind: String,
    /// Its files, relative to the bundle, to be concatenated; empty where the engine needs none (`hash`).
    pub files: Vec<FilePart>,
}

/// One part of a file that hosts' size limits may have split.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct FilePart {
    /// Path relative to the bundle, with `/`.
    pub path: String,
    /// Bytes.
    pub len: u64,
    /// First 16 bytes of BLAKE3.
    pub hash: [u8; 16],
}

/// An encoder, identified so that a query is never embedded into another space than the documents'.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct EncoderCard {
    /// `all-minilm-l6-v2`, `hash`.
    pub name: String,
    /// Length of a vector.
    pub dim: u32,
    /// Hash of the weights, the vocabulary and everything else that decides the vectors, 32 hex digits.
    pub fingerprint: String,
    /// Most tokens of an input, special tokens included; longer ones were truncated.
    pub max_tokens: u32,
    /// Put in front of queries, such as `query: `.
    pub query_prefix: String,
    /// Put in front of documents, such as `passage: `.
    pub document_prefix: String,
    /// Whether the vectors carry meaning. False for `hash`.
    pub semantic: bool,
}

/// A range of terms: which shards hold the dictionary with its postings, and the positions.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct LexiconRange {
    /// First term of the range. The range ends before the next one's first.
    pub first_term: String,
    /// Dictionary and postings.
    pub terms: crate::ShardId,
    /// Positions, fetched only for phrases.
    pub positions: crate::ShardId,
}

/// A range of pages whose texts share a shard.
#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
pub struct TextRange {
    /// First page. The range ends before the next one's first.
    pub first_page: crate::PageId,
    /// The shard.
    pub shard: crate::ShardId,
}

/// A range of vectors that share a shard.
#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
pub struct VectorRange {
    /// First vector. The range ends before the next one's first.
    pub first_vector: crate::VectorId,
    /// The shard.
    pub shard: crate::ShardId,
}

/// One line of the shard directory.
#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
pub struct ShardEntry {
    /// What is inside.
    pub kind: ShardKind,
    /// First 16 bytes of BLAKE3 over the stored bytes; in hex, the file's name.
    pub hash: [u8; 16],
    /// Bytes as stored.
    pub stored_len: u32,
    /// Bytes after decompression.
    pub raw_len: u32,
}

/// The kinds of shard. One module of this crate each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
#[repr(u8)]
pub enum ShardKind {
    /// Which sections, passages and vectors belong to what, and field lengths. Exactly one.
    Structure = 0,
    /// A range of the dictionary with its postings.
    Terms = 1,
    /// The positions for a range of the dictionary.
    Positions = 2,
    /// A range of vectors.
    Vectors = 3,
    /// The HNSW graph.
    Graph = 4,
    /// An attribute.
    Column = 5,
    /// The texts of a range of pages.
    Texts = 6,
}
