//! The manifest: what a reader must know before the first query. Schema, statistics, the encoder's
//! identity and the shard directory. Its fields one after the other (`fields`), then the lists that
//! grow with the site in columns (`tables`).

mod fields;
mod paths;
mod tables;
mod validate;

use core::ops::Range;

use bincode::{Decode, Encode};

use crate::codec::Reader;
use crate::limits::MAX_MANIFEST_LEN;
use crate::{AttributeKind, Error, PageId, ShardEntry, ShardId, ShardKind, Stats, VectorId};

const WHAT: &str = "manifest";

/// What the whole bundle says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The tool and version that wrote the bundle, for people: `findling 0.1.0`.
    pub generator: String,
    /// Languages of the pages, BCP 47 (`en`), most frequent first, at most 16. Queries are
    /// analysed in each.
    pub languages: Vec<String>,
    /// Hash of the analysis rules at build time (`findling_text::conformance` of the builder, of
    /// these languages). A reader whose own differs would look for other terms than were
    /// indexed, and refuses.
    pub analysis: u64,
    /// How many there are of what.
    pub stats: Stats,
    /// Typed attributes, by name, sorted.
    pub attributes: Vec<Attribute>,
    /// The encoder of the documents, and what its space looks like; `None` in a bundle without
    /// vectors.
    pub dense: Option<Dense>,
    /// The lexicon's shards, in term order.
    pub lexicon: Vec<LexiconRange>,
    /// The site's words as they are spelt, in order; empty in a bundle that corrects nothing.
    pub spelling: Vec<SpellingRange>,
    /// The site's synonyms, by word.
    pub synonyms: Vec<Synonym>,
    /// How results are ranked: a number for each line of [`RANKING_MOST`]; empty for the engine's
    /// defaults.
    pub ranking: Vec<f32>,
    /// The text shards, in page order.
    pub texts: Vec<TextRange>,
    /// The shard directory. A [`crate::ShardId`] is a place in it.
    pub shards: Vec<ShardEntry>,
}

/// The most that each parameter of ranking may be; the least is 0. Frequencies are divided by what
/// the shares of a field's length leave, so that these stay below 1.
///
/// | lines | parameters |
/// |---|---|
/// | 0 to 3 | how much the length counts of title, heading, text, code |
/// | 4 to 9 | parts of identifiers, stop words, completions, synonyms, relatives, forms |
/// | 10 to 14 | the share of meaning, that in sentences, coverage; of a page its maxima, its second section |
/// | 15 to 20 | `k1`; weights of title, path, heading, the headings above, code, against 1 for text |
/// | 21, 22 | what a title, a heading is worth more that is the query |
pub const RANKING_MOST: [f32; 23] = {
    let mut most = [1.0; 23];
    let mut i = 0;
    while i < 4 {
        most[i] = 0.95;
        i += 1;
    }
    i = 15;
    while i < 23 {
        most[i] = 100.0;
        i += 1;
    }
    most
};

/// A typed attribute of pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name, as filters spell it.
    pub name: String,
    /// Its type.
    pub kind: AttributeKind,
    /// The shard with its column.
    pub column: crate::ShardId,
    /// Whether it is counted by itself (`facets: ["*"]`): marked for that
    /// (`data-findling-filter`), or of front matter and with few values. Any attribute is
    /// counted where it is named.
    pub facet: bool,
}

/// The dense side: which space the vectors live in, and where they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// The documents' encoder.
    pub encoder: EncoderCard,
    /// The mean of all vectors as stored, `encoder.dim` long: the zero point of convex fusion.
    /// Each in the upper 16 bits of an f32; the manifest keeps no others ([`upper_half`]).
    pub mean: Vec<f32>,
    /// Shards of int8 vectors, in vector order.
    pub vectors: Vec<VectorRange>,
    /// The HNSW graph; `None` where the corpus is too small for one to help.
    pub graph: Option<crate::ShardId>,
    /// The same vectors in cells, for readers who fetch few of them; `None` in a bundle that is
    /// read whole.
    pub centroids: Option<crate::ShardId>,
    /// Query encoders deployed beside the bundle, in the order a client should prefer them.
    pub query_encoders: Vec<QueryEncoder>,
    /// The projection from the encoder's own dimensions onto those stored; `None` where they are
    /// the same.
    pub projection: Option<crate::ShardId>,
    /// The static query encoder's rows; `None` in a bundle without that encoder.
    pub rows: Option<StaticRows>,
    /// The shards of codes of sentences, in page order; none in a bundle whose snippets are not
    /// chosen by them.
    pub sentences: Vec<SentencesRange>,
}

/// The static query encoder: which shards hold its rows (see [`crate::rows`]).
#[derive(Clone, Debug, PartialEq)]
pub struct StaticRows {
    /// Bits for each number of a row.
    pub bits: crate::rows::Bits,
    /// Whether words are read in lower case, without accents.
    pub lowercase: bool,
    /// Where the rows were fitted to the site: the mean reciprocal rank of their sections that
    /// spans held out had by them then. The next build keeps the rows as long as they are as
    /// good.
    pub fitted: Option<f32>,
    /// Which table the rows are of, fitted to what: those of another are in shards of other names
    /// ([`crate::names`]).
    pub origin: [u8; 4],
    /// The most frequent words of queries in general, sorted; their rows are in `common`.
    pub common_keys: Vec<String>,
    /// The rows of `common_keys`: one shard for all.
    pub common: crate::ShardId,
    /// The shards of all others, in the order of their keys.
    pub ranges: Vec<RowRange>,
}

/// A range of pages the codes of whose sentences share a shard (see [`crate::sentences`]).
#[derive(Clone, Debug, PartialEq)]
pub struct SentencesRange {
    /// First page. The range ends before the next one's first.
    pub first_page: PageId,
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

/// A query encoder deployed beside the bundle. All of them land in the documents' space.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryEncoder {
    /// `transformer`; later tiers have names of their own.
    pub kind: String,
    /// Its files, relative to the bundle, to be concatenated; empty where the engine needs none
    /// (`hash`).
    pub files: Vec<FilePart>,
}

/// One part of a file that hosts' size limits may have split.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePart {
    /// Path relative to the bundle, with `/`.
    pub path: String,
    /// Bytes.
    pub len: u64,
    /// First 16 bytes of BLAKE3.
    pub hash: [u8; 16],
}

/// An encoder, identified so that a query is never embedded into another space than the documents'.
// In the files of encoders besides.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct EncoderCard {
    /// `all-minilm-l6-v2`, `hash`.
    pub name: String,
    /// Length of a vector.
    pub dim: u32,
    /// Hash of the weights, the vocabulary and everything else that decides the vectors, 32 hex
    /// digits.
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

/// A range of terms: which shard holds the dictionary with its postings. Positions are in a grid of
/// their own ([`crate::positions`]).
#[derive(Clone, Debug, PartialEq)]
pub struct LexiconRange {
    /// First term of the range. The range ends before the next one's first.
    pub first_term: String,
    /// Dictionary and postings.
    pub terms: crate::ShardId,
    /// The second tier of its everyday words' postings; `None` where it has no such word.
    pub second: Option<crate::ShardId>,
}

/// What else a word of a query is asked for as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synonym {
    /// A word or several, as written.
    pub from: String,
    /// What it is asked for as too: words or rows of words.
    pub to: Vec<String>,
}

/// A range of the site's words (see [`crate::spelling`]).
#[derive(Clone, Debug, PartialEq)]
pub struct SpellingRange {
    /// First word. The range ends before the next one's first.
    pub first_word: String,
    /// The shard.
    pub shard: crate::ShardId,
}

/// A range of pages whose texts share a shard: of the first a part where it begins behind the
/// page's first section, of the last where the next one does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextRange {
    /// First page. The range ends before the next one's first, or with its part of it.
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

/// A number as [`Dense::mean`] has it: the nearest whose lower 16 bits are 0, which is within .2%.
pub fn upper_half(value: f32) -> f32 {
    f32::from_bits(value.to_bits().saturating_add(0x8000) & 0xffff_0000)
}

impl Manifest {
    /// The bytes, without the frame. See [`crate::frame::encode_manifest`] for what is stored.
    ///
    /// # Errors
    /// Where it is longer than [`MAX_MANIFEST_LEN`], shards of a group have different hashes
    /// ([`Manifest::share_hashes`]), or the mean vector has digits that are not kept
    /// ([`upper_half`]).
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut pairs = (1..).zip(self.shards.windows(2));
        if pairs.any(|(at, pair)| pair[0].hash != pair[1].hash && !self.begins_group(at)) {
            return Err(Error::malformed(WHAT, "shards of a group have different hashes"));
        }
        let mut mean = self.dense.iter().flat_map(|dense| &dense.mean);
        if mean.any(|value| value.to_bits() & 0xffff != 0) {
            return Err(Error::malformed(WHAT, "the mean vector has digits that are not kept"));
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

    /// Decodes without validating.
    ///
    /// # Errors
    /// Where the bytes are not a manifest's.
    pub fn from_bytes(raw: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let mut manifest = fields::read(&mut reader)?;
        tables::read(&mut manifest, &mut reader)?;
        reader.finish()?;
        Ok(manifest)
    }

    /// The manifest for a directory of files, which says of ranges no lengths: there are most of
    /// them, and files have lengths of their own. Of the numerous alone cells do, which readers
    /// choose by them.
    pub fn of_files(&self) -> Self {
        let mut manifest = self.clone();
        manifest
            .shards
            .iter_mut()
            .filter(|shard| shard.kind.is_range())
            .for_each(|shard| shard.stored_len = 0);
        manifest
    }

    /// Lines of all ranges.
    fn n_ranges(&self) -> usize {
        let dense = self.dense.as_ref().map_or(0, |dense| {
            let rows =
                dense.rows.as_ref().map_or(0, |rows| rows.ranges.len() + rows.common_keys.len());
            dense.vectors.len() + dense.sentences.len() + rows
        });
        self.lexicon.len() + self.spelling.len() + self.texts.len() + dense
    }

    /// A line of the directory.
    #[inline]
    pub fn shard(&self, id: ShardId) -> Option<&ShardEntry> {
        self.shards.get(id.index())
    }

    /// The shard with the structure; `None` in a manifest that was not validated.
    pub fn structure(&self) -> Option<ShardId> {
        self.only(ShardKind::Structure)
    }

    /// The shard with the pages' addresses, found by its kind as the structure is; `None` in a
    /// bundle without.
    pub fn addresses(&self) -> Option<ShardId> {
        self.only(ShardKind::Addresses)
    }

    /// How many vectors each section has; `None` where the structure says so.
    pub fn vector_counts(&self) -> Option<ShardId> {
        self.only(ShardKind::VectorCounts)
    }

    /// The directory of positions; `None` in a bundle without.
    pub fn positions(&self) -> Option<ShardId> {
        self.only(ShardKind::PositionsDirectory)
    }

    fn only(&self, kind: ShardKind) -> Option<ShardId> {
        let at = self.shards.iter().position(|shard| shard.kind == kind)?;
        Some(ShardId(at as u32))
    }

    /// An attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        let at =
            self.attributes.binary_search_by(|attribute| attribute.name.as_str().cmp(name)).ok()?;
        self.attributes.get(at)
    }

    /// The place in `lexicon` of the range that would hold a term; `None` where no range can.
    pub fn lexicon_of(&self, term: &str) -> Option<usize> {
        let term = crate::lexicon::cap_term(term);
        self.lexicon.partition_point(|range| range.first_term.as_str() <= term).checked_sub(1)
    }

    /// The places in `lexicon` of the ranges that can hold terms which begin with `prefix`.
    pub fn lexicon_with_prefix(&self, prefix: &str) -> Range<usize> {
        with_prefix(&self.lexicon, prefix, |range| &range.first_term)
    }

    /// The places in `spelling` of the ranges that can hold words which begin with `prefix`.
    pub fn spelling_with_prefix(&self, prefix: &str) -> Range<usize> {
        with_prefix(&self.spelling, prefix, |range| &range.first_word)
    }

    /// The text shard of a page's section, named by its place in the page, and the page's index
    /// inside it.
    pub fn text_of(&self, page: PageId, section: u32) -> Option<(ShardId, u32)> {
        let begins = |range: &TextRange| (range.first_page, range.first_section) <= (page, section);
        let at = self.texts.partition_point(begins).checked_sub(1)?;
        let range = self.texts.get(at)?;
        Some((range.shard, page.0 - range.first_page.0))
    }

    /// The shard with the codes of a page's sentences, and the page's index inside it.
    pub fn sentences_of(&self, page: PageId) -> Option<(ShardId, u32)> {
        let ranges = &self.dense.as_ref()?.sentences;
        let range =
            ranges.get(ranges.partition_point(|range| range.first_page <= page).checked_sub(1)?)?;
        Some((range.shard, page.0 - range.first_page.0))
    }

    /// The text shards of all parts of a page, in order, each with the page's index inside it.
    pub fn texts_of(&self, page: PageId) -> impl Iterator<Item = (ShardId, u32)> + '_ {
        let after = self
            .texts
            .partition_point(|range| (range.first_page, range.first_section) <= (page, 0));
        let later = self.texts.iter().skip(after).take_while(move |range| range.first_page == page);
        self.text_of(page, 0).into_iter().chain(later.map(|range| (range.shard, 0)))
    }
}

impl StaticRows {
    /// The shard whose range a key falls into, the common words' own for one of them; `None` where
    /// there is none.
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
    /// The shard of a vector, and the vector's index inside it.
    pub fn vector_of(&self, vector: VectorId) -> Option<(ShardId, u32)> {
        let at =
            self.vectors.partition_point(|range| range.first_vector <= vector).checked_sub(1)?;
        let range = self.vectors.get(at)?;
        Some((range.shard, vector.0 - range.first_vector.0))
    }
}

/// Where in ranges, ascending by what they begin with, something can stand that begins with
/// `prefix`.
fn with_prefix<T>(ranges: &[T], prefix: &str, first: impl Fn(&T) -> &String) -> Range<usize> {
    let start = ranges.partition_point(|range| first(range).as_str() <= prefix).saturating_sub(1);
    let end = ranges.partition_point(|range| {
        first(range).as_str() <= prefix || first(range).starts_with(prefix)
    });
    start..end
}
