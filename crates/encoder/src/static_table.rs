//! The static encoder: a query's vector by table lookup.
//!
//! A table has one row for each token of a transformer's vocabulary, its teacher. `findling
//! distill` trains the rows so that the sum of a short text's rows has the direction of the
//! teacher's embedding of that text. Encoding takes microseconds and needs no model. A bundle
//! contains only the rows that its queries can need, in shards ([`findling_bundle::rows`]).
//!
//! The file has the teacher's card, the projection to fewer dimensions, the vocabulary with the
//! frequency of each token in training, and the quantised rows.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 4 | magic, `FNDT` |
//! | 4 | 4 | format version, u32 |
//! | 8 | 16 | first 16 bytes of BLAKE3 over the rest |
//! | 24 | | body: bincode of the table, deflated |
//!
//! As an [`Encoder`] the table also embeds documents, for a build without a teacher. That costs
//! quality, and the build tool warns about it.

use std::convert::Infallible;
use std::sync::Arc;

use bincode::{Decode, Encode};
use findling_bundle::projection::Projection;
use findling_bundle::rows::{self, Bits, add_row, longest_prefix, quantise};
use findling_bundle::{EncoderCard, hash128, hex};
use findling_text::wordpiece::{Normaliser, WordPiece, for_each_word};

use crate::encoder::normalise;
use crate::{Embedding, Encoder, Error, Side};

const MAGIC: [u8; 4] = *b"FNDT";
const VERSION: u32 = 1;
/// Maximum number of bytes of an inflated table.
const MAX_LEN: usize = 256 << 20;

/// The contents of the file.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Stored {
    teacher: EncoderCard,
    /// [`Projection::to_bytes`].
    projection: Vec<u8>,
    lowercase: bool,
    bits: Bits,
    /// In the order of their ids.
    vocabulary: Vec<String>,
    /// Occurrences of each token in training: 0, or 1 + the binary logarithm of the number.
    frequencies: Vec<u8>,
    /// The scale of each token's row; 0 if the token has no row.
    scales: Vec<u16>,
    /// The packed rows of the tokens with a scale above 0.
    rows: Vec<u8>,
}

/// A static encoder's table.
pub struct StaticTable {
    stored: Stored,
    projection: Projection,
    wordpiece: WordPiece,
    /// The beginning of each token's row in `stored.rows`.
    starts: Vec<u32>,
    card: EncoderCard,
}

/// A shared table.
pub type SharedTable = Arc<StaticTable>;

impl StaticTable {
    /// Makes a table of trained rows (`projection.to_dim()` numbers for each token) and the number
    /// of times that each token occurred in training. Tokens that never occurred get no row.
    ///
    /// # Errors
    /// If lengths do not match, or the vocabulary is not one of WordPiece.
    pub fn new(
        teacher: EncoderCard,
        projection: Projection,
        vocabulary: Vec<String>,
        lowercase: bool,
        rows: &[f32],
        counts: &[u64],
        bits: Bits,
    ) -> Result<Self, Error> {
        let dim = projection.to_dim() as usize;
        if rows.len() != vocabulary.len() * dim || counts.len() != vocabulary.len() {
            return Err(Error::Artefact(format!(
                "expected {} rows of {dim} numbers, found {} numbers and {} counts",
                vocabulary.len(),
                rows.len(),
                counts.len()
            )));
        }
        let mut stored = Stored {
            teacher,
            projection: projection.to_bytes(),
            lowercase,
            bits,
            vocabulary,
            frequencies: counts
                .iter()
                .map(|&n| if n == 0 { 0 } else { 1 + n.ilog2() as u8 })
                .collect(),
            scales: Vec::with_capacity(counts.len()),
            rows: Vec::new(),
        };
        for (row, &n) in rows.chunks_exact(dim).zip(counts) {
            let (scale, packed) = if n == 0 { (0, Vec::new()) } else { quantise(row, bits) };
            stored.scales.push(scale);
            if scale != 0 {
                stored.rows.extend_from_slice(&packed);
            }
        }
        Self::from_stored(stored)
    }

    /// Returns whether queries embedded by this table are in the space of documents embedded by
    /// `documents`. They are if `documents` is the table's teacher or the table itself.
    pub fn fits(&self, documents: &EncoderCard) -> bool {
        self.is_taught_by(documents) || documents.fingerprint == self.card().fingerprint
    }

    /// Returns whether `documents` is the table's teacher.
    pub fn is_taught_by(&self, documents: &EncoderCard) -> bool {
        documents.fingerprint == self.teacher().fingerprint
    }

    fn from_stored(stored: Stored) -> Result<Self, Error> {
        let bad = |why: String| {
            Error::Artefact(format!("static table: {why}; install or distill it again"))
        };
        let projection =
            Projection::from_bytes(&stored.projection).map_err(|e| bad(e.to_string()))?;
        if projection.from_dim() != stored.teacher.dim {
            return Err(bad(format!(
                "expected a projection from the teacher's {} dimensions, found one from {}",
                stored.teacher.dim,
                projection.from_dim()
            )));
        }
        let n = stored.vocabulary.len();
        if stored.scales.len() != n || stored.frequencies.len() != n {
            return Err(bad(format!(
                "expected a scale for each of {n} tokens, found {}",
                stored.scales.len()
            )));
        }
        let row_len = stored.bits.row_len(projection.to_dim() as usize);
        let mut starts = Vec::with_capacity(n);
        let mut at = 0usize;
        for &scale in &stored.scales {
            starts.push(at as u32);
            at += if scale == 0 { 0 } else { row_len };
        }
        if at != stored.rows.len() || at > MAX_LEN {
            return Err(bad(format!("expected {at} bytes of rows, found {}", stored.rows.len())));
        }
        let wordpiece = WordPiece::new(&stored.vocabulary, normaliser(stored.lowercase))
            .map_err(|e| bad(e.to_string()))?;
        let fingerprint = hex(&hash128(
            &[&stored.projection[..], &stored.rows, stored.teacher.fingerprint.as_bytes()].concat(),
        ));
        let card = EncoderCard {
            name: "static".into(),
            dim: projection.to_dim(),
            fingerprint,
            max_tokens: u32::MAX,
            query_prefix: String::new(),
            document_prefix: String::new(),
            semantic: true,
        };
        Ok(Self { stored, projection, wordpiece, starts, card })
    }

    /// Returns the file's bytes. The same table gives the same bytes.
    ///
    /// # Errors
    /// If the table cannot be encoded.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let raw = bincode::encode_to_vec(&self.stored, config())
            .map_err(|e| Error::Artefact(format!("static table: {e}")))?;
        let body = miniz_oxide::deflate::compress_to_vec(&raw, 9);
        let mut out = Vec::with_capacity(24 + body.len());
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&hash128(&body));
        out.extend_from_slice(&body);
        Ok(out)
    }

    /// Reads and checks what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are not a whole table.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let bad = |why: &str| {
            Error::Artefact(format!("static table: {why}; install or distill it again"))
        };
        let (head, body) = bytes.split_at_checked(24).ok_or_else(|| bad("it is too short"))?;
        if head[..4] != MAGIC {
            return Err(bad("expected the magic FNDT, found other bytes"));
        }
        let version = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        if version != VERSION {
            return Err(bad(&format!("expected format version {VERSION}, found {version}")));
        }
        if head[8..] != hash128(body) {
            return Err(bad("its checksum does not match"));
        }
        let raw = miniz_oxide::inflate::decompress_to_vec_with_limit(body, MAX_LEN)
            .map_err(|_| bad("it cannot be decompressed"))?;
        let (stored, read) =
            bincode::decode_from_slice(&raw, config()).map_err(|_| bad("it cannot be decoded"))?;
        if read != raw.len() {
            return Err(bad("there are bytes after the end"));
        }
        Self::from_stored(stored)
    }

    /// Returns the teacher. The table has the teacher's space before the projection.
    pub fn teacher(&self) -> &EncoderCard {
        &self.stored.teacher
    }

    /// Returns the projection onto the dimensions kept.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// Returns the number of bits for each number of a row.
    pub fn bits(&self) -> Bits {
        self.stored.bits
    }

    /// Returns whether queries are lower-cased and freed of accents.
    pub fn lowercase(&self) -> bool {
        self.stored.lowercase
    }

    /// Returns all tokens in the order of their ids.
    pub fn vocabulary(&self) -> &[String] {
        &self.stored.vocabulary
    }

    /// Returns how often a token occurred in training: 0 if it has no row, else 1 + the binary
    /// logarithm.
    pub fn frequency(&self, id: u32) -> u8 {
        self.stored.frequencies.get(id as usize).copied().unwrap_or(0)
    }

    /// Returns a token's quantised row; `None` if it has none.
    pub fn row(&self, id: u32) -> Option<(u16, &[u8])> {
        let id = id as usize;
        let scale = self.stored.scales.get(id).copied().filter(|&scale| scale != 0)?;
        let start = *self.starts.get(id)? as usize;
        let len = self.stored.bits.row_len(self.card.dim as usize);
        Some((scale, self.stored.rows.get(start..start + len)?))
    }

    /// Returns the same table with rows in the form of a bundle ([`Bits::packed`]), from which a
    /// build chooses and fits rows.
    ///
    /// # Errors
    /// Never for a valid table.
    pub fn for_bundles(&self) -> Result<Self, Error> {
        let bits = self.stored.bits.packed();
        if bits == self.stored.bits {
            return Self::from_stored(self.stored.clone());
        }
        let mut stored =
            Stored { bits, scales: Vec::new(), rows: Vec::new(), ..self.stored.clone() };
        for (id, row) in self.dense_rows().chunks_exact(self.card.dim as usize).enumerate() {
            let (scale, packed) =
                if self.row(id as u32).is_some() { quantise(row, bits) } else { (0, Vec::new()) };
            stored.scales.push(scale);
            if scale != 0 {
                stored.rows.extend_from_slice(&packed);
            }
        }
        Self::from_stored(stored)
    }

    /// Returns all rows in f32, zeros for tokens without one. Further training starts from them.
    pub fn dense_rows(&self) -> Vec<f32> {
        let dim = self.card.dim as usize;
        let mut rows = vec![0.0; self.stored.vocabulary.len() * dim];
        for (id, row) in rows.chunks_exact_mut(dim).enumerate() {
            self.add(id as u32, row);
        }
        rows
    }

    /// Adds a token's row to `sum`. A token without a row adds nothing.
    pub fn add(&self, id: u32, sum: &mut [f32]) {
        if let Some((scale, packed)) = self.row(id) {
            add_row(scale, packed, self.stored.bits, 1.0, sum);
        }
    }

    /// Returns the pieces of a word as [`for_each_word`] returns it; empty if WordPiece does not
    /// know it.
    pub fn pieces(&self, word: &str) -> Vec<u32> {
        pieces(&self.wordpiece, word)
    }

    /// Returns the tokens of a text without unknown words, for training and for queries.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        tokens(&self.wordpiece, normaliser(self.stored.lowercase), text)
    }

    /// Returns the text's vector.
    pub fn embed(&self, text: &str) -> Embedding {
        let mut values = vec![0.0; self.card.dim as usize];
        let tokens = self.tokens(text);
        for &id in &tokens {
            self.add(id, &mut values);
        }
        normalise(&mut values);
        Embedding { values, n_tokens: tokens.len() as u32, truncated: false }
    }
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_limit::<MAX_LEN>()
}

/// Returns BERT's normaliser, with or without lower-casing.
pub fn normaliser(lowercase: bool) -> Normaliser {
    Normaliser { lowercase, ..Normaliser::default() }
}

/// Returns the tokens of a text without unknown words.
pub fn tokens(wordpiece: &WordPiece, normaliser: Normaliser, text: &str) -> Vec<u32> {
    let mut tokens = Vec::new();
    for_each_word(text, normaliser, |word| tokens.extend(pieces(wordpiece, word)));
    tokens
}

fn pieces(wordpiece: &WordPiece, word: &str) -> Vec<u32> {
    let longest = |key: &str, least| -> Result<_, Infallible> {
        Ok(longest_prefix(key, least, |key| wordpiece.id(key)))
    };
    rows::pieces(word, longest).unwrap_or_default()
}

impl Encoder for StaticTable {
    fn card(&self) -> &EncoderCard {
        &self.card
    }

    fn encode(&self, texts: &[&str], _side: Side) -> Result<Vec<Embedding>, Error> {
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }

    fn count_tokens(&self, text: &str, _side: Side) -> u32 {
        self.tokens(text).len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VOCABULARY: [&str; 12] = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "share", "data", "thread", "##s", "##ed",
        "café", "cafe",
    ];

    fn table(bits: Bits) -> StaticTable {
        let teacher = EncoderCard {
            name: "teacher".into(),
            dim: 6,
            fingerprint: "ab".repeat(16),
            max_tokens: 256,
            query_prefix: String::new(),
            document_prefix: String::new(),
            semantic: true,
        };
        let eye: Vec<f32> = (0..24).map(|i| f32::from(u8::from(i / 6 == i % 6))).collect();
        let rows: Vec<f32> = (0..12 * 4).map(|i| ((i * 7 % 11) as f32 - 5.0) / 5.0).collect();
        let counts: Vec<u64> = (0..12).map(|i| if i < 5 { 0 } else { 1 << i }).collect();
        let vocabulary = VOCABULARY.iter().map(|&t| t.to_owned()).collect();
        StaticTable::new(
            teacher,
            Projection::new(6, &eye).unwrap(),
            vocabulary,
            true,
            &rows,
            &counts,
            bits,
        )
        .unwrap()
    }

    #[test]
    fn a_text_is_the_normalised_sum_of_its_rows() {
        let table = table(Bits::Eight);
        let mut sum = vec![0.0; 4];
        for token in ["thread", "##s", "share", "data"] {
            let id = VOCABULARY.iter().position(|t| *t == token).unwrap();
            table.add(id as u32, &mut sum);
        }
        normalise(&mut sum);
        let embedding = table.embed("Threads share DATA, unknownword");
        assert_eq!(embedding.values, sum);
        assert_eq!(embedding.n_tokens, 4, "words that WordPiece does not know have no part");
        assert_eq!(table.embed("?").values, [0.0; 4]);
        assert_eq!(table.embed("Café").values, table.embed("cafe").values, "accents are dropped");
    }

    #[test]
    fn comes_back_from_its_bytes() {
        for bits in Bits::ALL {
            let table = table(bits);
            let bytes = table.to_bytes().unwrap();
            let again = StaticTable::from_bytes(&bytes).unwrap();
            assert_eq!(again.stored, table.stored);
            assert_eq!(again.card(), table.card());
            assert_eq!(again.to_bytes().unwrap(), bytes);
            assert_eq!((again.frequency(5), again.frequency(0)), (6, 0));
            assert!(again.row(0).is_none() && again.row(5).is_some() && again.row(99).is_none());
        }
    }

    #[test]
    fn more_bits_are_nearer() {
        let exact: Vec<f32> = (0..12 * 4).map(|i| ((i * 7 % 11) as f32 - 5.0) / 5.0).collect();
        let cosine = |table: &StaticTable, id: usize| {
            let (mut back, row) = (vec![0.0; 4], &exact[id * 4..][..4]);
            table.add(id as u32, &mut back);
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            dot(&back, row) / (dot(&back, &back) * dot(row, row)).sqrt()
        };
        let mean = |bits| (5..12).map(|id| cosine(&table(bits), id)).sum::<f32>() / 7.0;
        let [two, four, eight] = Bits::ALL.map(mean);
        assert!(two < four && four < eight && eight > 0.9999 && two > 0.9, "{two} {four} {eight}");
    }

    #[test]
    fn rows_for_bundles_point_where_they_pointed() {
        for bits in Bits::ALL {
            let table = table(bits);
            let bundled = table.for_bundles().unwrap();
            assert_eq!(bundled.bits(), bits.packed());
            assert_eq!(bundled.for_bundles().unwrap().stored, bundled.stored, "once is enough");
            for id in 0..table.vocabulary().len() as u32 {
                assert_eq!(bundled.row(id).is_some(), table.row(id).is_some());
            }
            let (a, b) = (table.dense_rows(), bundled.dense_rows());
            let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            assert!(dot(&a, &b) > 0.95 * (dot(&a, &a) * dot(&b, &b)).sqrt());
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = table(Bits::Four).to_bytes().unwrap();
        for end in 0..bytes.len() {
            assert!(StaticTable::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x10;
            assert!(StaticTable::from_bytes(&bad).is_err(), "flipped at {at}");
        }
    }

    proptest! {
        #[test]
        fn pieces_are_those_of_the_tokenizer(word in "(share|data|thread|s|ed|cafe|x){1,4}") {
            let table = table(Bits::Two);
            let ids = table.wordpiece.encode(&word, 1000).ids;
            let reference: Vec<u32> =
                ids[1..ids.len() - 1].iter().copied().filter(|&id| id != 1).collect();
            prop_assert_eq!(table.tokens(&word), reference);
        }
    }
}
