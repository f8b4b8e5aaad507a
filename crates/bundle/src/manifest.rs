//! The manifest: everything that a reader must know before the first query. Schema, statistics, the
//! encoder's identity and the shard directory. It has its fields first, one after the other
//! (`fields.rs`), then, column by column, the lists that grow with the site (`tables.rs`).

mod fields;
mod paths;
mod tables;
mod validate;

use core::ops::Range;

use bincode::{Decode, Encode};

use crate::codec::Reader;
use crate::limits::MAX_MANIFEST_LEN;
use crate::{
    AttributeKind, AttributeLevel, Error, PageId, SectionId, ShardEntry, ShardId, ShardKind, Stats,
    VectorId,
};

const WHAT: &str = "manifest";

/// The description of a whole bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The tool and version that wrote the bundle, for people: `findling 0.1.0`.
    pub generator: String,
    /// Languages of the pages, BCP 47 (`en`), most frequent first, at most 16. Queries are analysed
    /// in each of them.
    pub languages: Vec<String>,
    /// Hash of the analysis rules of these languages at build time (`findling_text::conformance`).
    /// A reader with another hash would look for other terms than were indexed, so it refuses the
    /// bundle.
    pub analysis: u64,
    /// Collection statistics.
    pub stats: Stats,
    /// Typed attributes, by name, sorted.
    pub attributes: Vec<Attribute>,
    /// The encoder of the documents and their vectors; `None` in a bundle without vectors.
    pub dense: Option<Dense>,
    /// The lexicon's shards, in term order.
    pub lexicon: Vec<LexiconRange>,
    /// The shards of the site's words as they are spelt, in order; empty in a bundle without
    /// correction.
    pub spelling: Vec<SpellingRange>,
    /// The site's synonyms, sorted by word.
    pub synonyms: Vec<Synonym>,
    /// Ranking parameters: a number for each one of [`RANKING_MAX`]; empty for the engine's
    /// defaults.
    pub ranking: Vec<f32>,
    /// The text shards, in page order.
    pub texts: Vec<TextRange>,
    /// The shard directory. A [`crate::ShardId`] is an index into this list.
    pub shards: Vec<ShardEntry>,
}

/// The maximum of each ranking parameter. The minimum is 0. BM25F divides by one minus the length
/// normalisation, so this stays below 1.
///
/// - 0 to 3: length normalisation of title, heading, text, code
/// - 4 to 9: weights of parts of identifiers, stop words, completions, synonyms, relatives, forms
/// - 10 to 14: shares of meaning, of meaning in sentences, of coverage, of a page's maxima, of its
///   second section
/// - 15 to 20: `k1`; weights of title, path, heading, headings above, code, against 1 for text
/// - 21, 22: factors for a title, and for a heading, that equals the query
pub const RANKING_MAX: [f32; 23] = {
    let mut max = [1.0; 23];
    let mut i = 0;
    while i < 4 {
        max[i] = 0.95;
        i += 1;
    }
    i = 15;
    while i < 23 {
        max[i] = 100.0;
        i += 1;
    }
    max
};

/// A typed attribute of pages or of sections.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name, as filters spell it.
    pub name: String,
    /// The type.
    pub kind: AttributeKind,
    /// The kind of item that has its values.
    pub level: AttributeLevel,
    /// The shard with its column.
    pub column: crate::ShardId,
    /// Whether `facets: ["*"]` counts it: it is marked for that (`data-findling-filter`), or comes
    /// from front matter and has few values. Any attribute is counted if a request names it.
    pub facet: bool,
}

impl Attribute {
    /// Reads its column.
    ///
    /// # Errors
    /// The errors of [`crate::Column::from_bytes`].
    pub fn column(&self, raw: &[u8], stats: &Stats) -> Result<crate::Column, Error> {
        crate::Column::from_bytes(raw, self.kind, self.level.count(stats))
    }
}

/// The dense side: the space of the vectors, and their shards.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// The documents' encoder.
    pub encoder: EncoderCard,
    /// The mean of all stored vectors, `encoder.dim` numbers: the zero point of convex fusion. Each
    /// number has only the upper 16 bits of an f32 ([`upper_half`]).
    pub mean: Vec<f32>,
    /// Shards of int8 vectors, in vector order.
    pub vectors: Vec<VectorRange>,
    /// The HNSW graph; `None` if the corpus is too small for a graph to help.
    pub graph: Option<crate::ShardId>,
    /// The centroids of the same vectors in cells, for readers that fetch only a few of them;
    /// `None` in a bundle that is read as a whole.
    pub centroids: Option<crate::ShardId>,
    /// Query encoders deployed beside the bundle, in the order a client should prefer them.
    pub query_encoders: Vec<QueryEncoder>,
    /// The projection from the encoder's dimensions to the stored ones; `None` if these are the
    /// same.
    pub projection: Option<crate::ShardId>,
    /// The static query encoder's rows; `None` in a bundle without that encoder.
    pub rows: Option<StaticRows>,
    /// The shards of codes of sentences, in page order; empty in a bundle that does not use them
    /// for snippets.
    pub sentences: Vec<SentencesRange>,
    /// The shards of the vectors of each section, for readers that fetch only a few; empty if the
    /// centroids list the cell of each vector.
    pub sections: Vec<SectionsRange>,
}

/// The static query encoder, and the shards of its rows ([`crate::rows`]).
#[derive(Clone, Debug, PartialEq)]
pub struct StaticRows {
    /// Bits for each number of a row.
    pub bits: crate::rows::Bits,
    /// Whether words are lower-cased and freed of accents.
    pub lowercase: bool,
    /// For rows fitted to the site: the mean reciprocal rank that held-out spans gave their
    /// sections. The next build keeps the rows as long as they are as good.
    pub fitted: Option<f32>,
    /// The origin of the rows: their table, and what they were fitted to. Rows of another origin
    /// are in shards with other names ([`crate::names`]).
    pub origin: [u8; 4],
    /// The most frequent words of queries, sorted. Their rows are in `common`.
    pub common_keys: Vec<String>,
    /// The shard with the rows of `common_keys`.
    pub common: crate::ShardId,
    /// The shards of all other rows, in the order of their keys.
    pub ranges: Vec<RowRange>,
}

/// A range of pages whose codes of sentences share a shard ([`crate::sentences`]).
#[derive(Clone, Debug, PartialEq)]
pub struct SentencesRange {
    /// First page. The range ends before the next one's first.
    pub first_page: PageId,
    /// The shard.
    pub shard: crate::ShardId,
}

/// A range of sections whose vectors share a shard.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionsRange {
    /// First section. The range ends before the next one's first.
    pub first_section: SectionId,
    /// The shard.
    pub shard: crate::ShardId,
}

/// A range of keys whose rows share a shard.
#[derive(Clone, Debug, PartialEq)]
pub struct RowRange {
    /// First key. The range ends before the next one's first.
    pub first_key: String,
    /// The shard.
    pub shard: crate::ShardId,
}

/// A query encoder deployed beside the bundle. Its vectors are in the documents' space.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryEncoder {
    /// `transformer` or `hash`.
    pub kind: String,
    /// The files, to be concatenated; empty if the engine needs none (`hash`).
    pub files: Vec<FilePart>,
}

/// A part of a file. Files are split because hosts limit their size.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePart {
    /// Path relative to the bundle, with `/`.
    pub path: String,
    /// Bytes.
    pub len: u64,
    /// First 16 bytes of BLAKE3.
    pub hash: [u8; 16],
}

/// The identity of an encoder, so that a query is never embedded into another space than the
/// documents'.
// The files of encoders contain it too.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct EncoderCard {
    /// `all-minilm-l6-v2`, `hash`.
    pub name: String,
    /// Length of a vector.
    pub dim: u32,
    /// Hash of the weights, the vocabulary and everything else that decides the vectors, 32 hex
    /// digits.
    pub fingerprint: String,
    /// Maximum number of tokens of an input, including special tokens; longer inputs were
    /// truncated.
    pub max_tokens: u32,
    /// Prefix of queries, such as `query: `.
    pub query_prefix: String,
    /// Prefix of documents, such as `passage: `.
    pub document_prefix: String,
    /// Whether the vectors carry meaning. False for `hash`.
    pub semantic: bool,
}

/// A range of terms, and the shard with its dictionary and postings. Positions are in a grid of
/// their own ([`crate::positions`]).
#[derive(Clone, Debug, PartialEq)]
pub struct LexiconRange {
    /// First term of the range. The range ends before the next one's first.
    pub first_term: String,
    /// Dictionary and postings.
    pub terms: crate::ShardId,
    /// The shard with the second tier of its postings; `None` if no term has one.
    pub second: Option<crate::ShardId>,
}

/// Synonyms of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synonym {
    /// A word or several, as written.
    pub from: String,
    /// The words, or sequences of words, that a query for `from` also looks for.
    pub to: Vec<String>,
}

/// A range of the site's words ([`crate::spelling`]).
#[derive(Clone, Debug, PartialEq)]
pub struct SpellingRange {
    /// First word. The range ends before the next one's first.
    pub first_word: String,
    /// The shard.
    pub shard: crate::ShardId,
}

/// A range of pages whose texts share a shard. The range has only a part of its first page if it
/// begins after that page's first section. It has only a part of its last page if the next range
/// begins inside that page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextRange {
    /// First page. The range ends before the next one's first page and section.
    pub first_page: crate::PageId,
    /// The place in that page of the first section.
    pub first_section: u32,
    /// The shard.
    pub shard: crate::ShardId,
}

/// A range of vectors that share a shard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorRange {
    /// First vector. The range ends before the next one's first.
    pub first_vector: crate::VectorId,
    /// The shard.
    pub shard: crate::ShardId,
}

/// Returns a number as [`Dense::mean`] stores it: the nearest f32 whose lower 16 bits are 0, within
/// .2%.
pub fn upper_half(value: f32) -> f32 {
    f32::from_bits(value.to_bits().saturating_add(0x8000) & 0xffff_0000)
}

impl Manifest {
    /// Returns the contents, without header. [`crate::frame::encode_manifest`] makes the file.
    ///
    /// # Errors
    /// If it is longer than [`MAX_MANIFEST_LEN`], shards of a group have different hashes
    /// ([`Manifest::share_hashes`]), or the mean vector has bits that are not stored
    /// ([`upper_half`]).
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut pairs = (1..).zip(self.shards.windows(2));
        if pairs.any(|(at, pair)| pair[0].hash != pair[1].hash && !self.begins_group(at)) {
            return Err(Error::malformed(WHAT, "shards of a group have different hashes"));
        }
        let mut mean = self.dense.iter().flat_map(|dense| &dense.mean);
        if mean.any(|value| value.to_bits() & 0xffff != 0) {
            return Err(Error::malformed(WHAT, "the mean vector has bits that are not stored"));
        }
        let mut bytes = Vec::new();
        fields::write(self, &mut bytes);
        tables::write(self, &mut bytes);
        if bytes.len() > MAX_MANIFEST_LEN {
            return Err(Error::Limit {
                what: "bytes of the manifest",
                limit: MAX_MANIFEST_LEN as u64,
                got: bytes.len() as u64,
            });
        }
        Ok(bytes)
    }

    /// Decodes the contents without validating them.
    ///
    /// # Errors
    /// If the bytes break the format.
    pub fn from_bytes(raw: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let mut manifest = fields::read(&mut reader)?;
        tables::read(&mut manifest, &mut reader)?;
        reader.finish()?;
        Ok(manifest)
    }

    /// Returns the manifest for a directory of files. It omits the lengths of shards that hold
    /// ranges: these are the most numerous, and files have their own length. Cells keep theirs,
    /// since readers choose cells by them.
    pub fn of_files(&self) -> Self {
        let mut manifest = self.clone();
        manifest
            .shards
            .iter_mut()
            .filter(|shard| shard.kind.is_range())
            .for_each(|shard| shard.stored_len = 0);
        manifest
    }

    /// Returns the number of ranges and common words, of all lists.
    fn n_ranges(&self) -> usize {
        let dense = self.dense.as_ref().map_or(0, |dense| {
            let rows =
                dense.rows.as_ref().map_or(0, |rows| rows.ranges.len() + rows.common_keys.len());
            dense.vectors.len() + dense.sentences.len() + dense.sections.len() + rows
        });
        self.lexicon.len() + self.spelling.len() + self.texts.len() + dense
    }

    /// Returns a line of the shard directory.
    #[inline]
    pub fn shard(&self, id: ShardId) -> Option<&ShardEntry> {
        self.shards.get(id.index())
    }

    /// Returns the shard with the structure; `None` in a manifest that was not validated.
    pub fn structure(&self) -> Option<ShardId> {
        self.only(ShardKind::Structure)
    }

    /// Returns the shard of addresses; `None` in a bundle without one.
    pub fn addresses(&self) -> Option<ShardId> {
        self.only(ShardKind::Addresses)
    }

    /// Returns the shard of vector counts; `None` if the structure has them.
    pub fn vector_counts(&self) -> Option<ShardId> {
        self.only(ShardKind::VectorCounts)
    }

    /// Returns the directory of positions; `None` in a bundle without positions.
    pub fn positions(&self) -> Option<ShardId> {
        self.only(ShardKind::PositionsDirectory)
    }

    fn only(&self, kind: ShardKind) -> Option<ShardId> {
        let at = self.shards.iter().position(|shard| shard.kind == kind)?;
        Some(ShardId(at as u32))
    }

    /// Returns an attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        let at =
            self.attributes.binary_search_by(|attribute| attribute.name.as_str().cmp(name)).ok()?;
        self.attributes.get(at)
    }

    /// Returns the index in `lexicon` of the range that would contain a term; `None` if none would.
    pub fn lexicon_of(&self, term: &str) -> Option<usize> {
        let term = crate::lexicon::cap_term(term);
        self.lexicon.partition_point(|range| range.first_term.as_str() <= term).checked_sub(1)
    }

    /// Returns the indexes in `lexicon` of the ranges that can contain terms with this prefix.
    pub fn lexicon_with_prefix(&self, prefix: &str) -> Range<usize> {
        with_prefix(&self.lexicon, prefix, |range| &range.first_term)
    }

    /// Returns the indexes in `spelling` of the ranges that can contain words with this prefix.
    pub fn spelling_with_prefix(&self, prefix: &str) -> Range<usize> {
        with_prefix(&self.spelling, prefix, |range| &range.first_word)
    }

    /// Returns the shard with the texts of a section, given by its index in a page, and the page's
    /// index in that shard.
    pub fn text_of(&self, page: PageId, section: u32) -> Option<(ShardId, u32)> {
        let begins = |range: &TextRange| (range.first_page, range.first_section) <= (page, section);
        let at = self.texts.partition_point(begins).checked_sub(1)?;
        let range = self.texts.get(at)?;
        Some((range.shard, page.0 - range.first_page.0))
    }

    /// Returns the shard with the codes of a page's sentences, and the page's index in that shard.
    pub fn sentences_of(&self, page: PageId) -> Option<(ShardId, u32)> {
        let ranges = &self.dense.as_ref()?.sentences;
        let range =
            ranges.get(ranges.partition_point(|range| range.first_page <= page).checked_sub(1)?)?;
        Some((range.shard, page.0 - range.first_page.0))
    }

    /// Returns the shard with the vectors of a section; `None` in a bundle without such shards.
    pub fn vectors_of(&self, section: SectionId) -> Option<ShardId> {
        let ranges = &self.dense.as_ref()?.sections;
        let at = ranges.partition_point(|range| range.first_section <= section);
        Some(ranges.get(at.checked_sub(1)?)?.shard)
    }

    /// Returns the shards with the texts of all parts of a page, in order, and the page's index in
    /// each.
    pub fn texts_of(&self, page: PageId) -> impl Iterator<Item = (ShardId, u32)> + '_ {
        let after = self
            .texts
            .partition_point(|range| (range.first_page, range.first_section) <= (page, 0));
        let later = self.texts.iter().skip(after).take_while(move |range| range.first_page == page);
        self.text_of(page, 0).into_iter().chain(later.map(|range| (range.shard, 0)))
    }
}

impl StaticRows {
    /// Returns the shard of the range that contains a key. Common words have a shard of their own.
    /// `None` if there is no such shard.
    pub fn shard_of(&self, key: &str) -> Option<ShardId> {
        if self.common_keys.binary_search_by(|common| common.as_str().cmp(key)).is_ok() {
            return Some(self.common);
        }
        let at =
            self.ranges.partition_point(|range| range.first_key.as_str() <= key).checked_sub(1)?;
        self.ranges.get(at).map(|range| range.shard)
    }
}

impl Dense {
    /// Returns the shard of a vector, and the vector's index in that shard.
    pub fn vector_of(&self, vector: VectorId) -> Option<(ShardId, u32)> {
        let at =
            self.vectors.partition_point(|range| range.first_vector <= vector).checked_sub(1)?;
        let range = self.vectors.get(at)?;
        Some((range.shard, vector.0 - range.first_vector.0))
    }
}

/// Returns the indexes of the ranges, ascending by their first key, that can contain a key with
/// this prefix.
fn with_prefix<T>(ranges: &[T], prefix: &str, first: impl Fn(&T) -> &String) -> Range<usize> {
    let start = ranges.partition_point(|range| first(range).as_str() <= prefix).saturating_sub(1);
    let end = ranges.partition_point(|range| {
        first(range).as_str() <= prefix || first(range).starts_with(prefix)
    });
    start..end
}
