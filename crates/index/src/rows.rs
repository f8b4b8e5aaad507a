//! The rows of the static query encoder that a bundle contains, in shards, a few of which a query
//! fetches.
//!
//! Rows are chosen within a budget of bytes, in this order: tokens of the corpus that begin a word,
//! most frequent first; tokens of general vocabulary, by their frequency in the table's training;
//! whole words of the corpus that consist of several tokens, each as one row, because a query adds
//! up one row for each word. Rows are chosen before they are [fitted](super::fit) to the corpus, so
//! that training reads texts in the same way as queries.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use findling_bundle::rows::{
    Bits, CONTINUATION, RowsBuilder, add_row, prefixes, quantise, standing_for,
};
use findling_bundle::{RangeStart, RowRange, ShardKind, StaticRows, hash128};
use findling_encoder::Encoder;
use findling_encoder::static_table::{StaticTable, normaliser};
use findling_text::wordpiece::{for_each_name, parts};
use rayon::prelude::*;

use super::shards::ShardSet;
use super::vocabulary::{by_use, count_words};
use findling_page::shard_cutter::{ShardCutter, separator};

/// The default budget in bytes.
pub const BUDGET: usize = 3 << 20;
/// Target size of a shard in bytes, before compression to about two thirds. A query usually needs
/// one shard for each word.
const SHARD_LEN: usize = 1 << 10;
/// Rows in the shard of common words.
const N_COMMON: usize = 48;

/// A row of the bundle.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    scale: u16,
    packed: Vec<u8>,
}

/// The rows of a bundle, by key.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    dim: u32,
    bits: Bits,
    lowercase: bool,
    fitted: Option<f32>,
    origin: [u8; 4],
    common: Vec<String>,
    rows: BTreeMap<String, Row>,
}

/// Identifies the origin of rows: a table, and the score that fitted rows reached.
fn origin(table: &StaticTable, fitted: Option<f32>) -> [u8; 4] {
    let fitted = fitted.map_or(0, f32::to_bits).to_le_bytes();
    let [a, b, c, d, ..] = hash128(&[table.card().fingerprint.as_bytes(), &fitted].concat());
    [a, b, c, d]
}

/// Chooses the rows for a corpus from the table.
pub fn select(table: &StaticTable, texts: &[&str], budget: usize) -> Rows {
    let mut words = HashMap::new();
    count(table, texts, &mut words);
    choose(table, &words, budget)
}

/// Adds the words of texts to the words for which rows are chosen.
pub fn count(table: &StaticTable, texts: &[&str], words: &mut HashMap<String, u64>) {
    let counted = count_words(texts, normaliser(table.lowercase()), true);
    if words.is_empty() {
        *words = counted;
        return;
    }
    for (word, n) in counted {
        *words.entry(word).or_default() += n;
    }
}

/// Chooses the rows for a corpus of these words from the table.
pub fn choose(table: &StaticTable, words: &HashMap<String, u64>, budget: usize) -> Rows {
    let mut of_token = vec![0u64; table.vocabulary().len()];
    // Words of several tokens, most frequent first. Ties are broken by the word, so that the order
    // is deterministic.
    let mut composed: Vec<(&str, u64, Vec<u32>)> = Vec::new();
    for (word, &n) in words {
        let pieces = table.pieces(word);
        pieces.iter().for_each(|&id| of_token[id as usize] += n);
        if pieces.len() > 1 {
            composed.push((word, n, pieces));
        }
    }
    composed.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));

    let tokens = by_use(&of_token, |id| table.frequency(id));

    let dim = table.projection().to_dim();
    let row_len = table.bits().row_len(dim as usize);
    let cost = |key: &str| row_len + 2 + 2 + key.len();
    let mut left = budget;
    let mut rows = BTreeMap::new();
    let mut keep = |key: &str, row: Row| {
        let fits = left >= cost(key);
        if fits {
            left -= cost(key);
            rows.insert(key.to_owned(), row);
        }
        fits
    };
    for &id in &tokens {
        let (Some((scale, packed)), Some(token)) =
            (table.row(id), table.vocabulary().get(id as usize))
        else {
            continue;
        };
        if token.starts_with(CONTINUATION) {
            continue;
        }
        if !keep(token, Row { scale, packed: packed.to_vec() }) {
            break;
        }
    }
    for (word, n, pieces) in &composed {
        // A word that occurs once is often a typing error. Its first token has a row anyway.
        if *n < 2 {
            break;
        }
        if word.len() > findling_bundle::limits::MAX_TERM_LEN {
            continue;
        }
        let mut sum = vec![0.0; dim as usize];
        pieces.iter().for_each(|&id| table.add(id, &mut sum));
        let (scale, packed) = quantise(&sum, table.bits());
        if scale != 0 && !keep(word, Row { scale, packed }) {
            break;
        }
    }

    // The most common words of queries are also the most common words of texts.
    let mut common: Vec<(u8, &String)> = (0..table.vocabulary().len() as u32)
        .filter_map(|id| Some((table.frequency(id), table.vocabulary().get(id as usize)?)))
        .filter(|(_, token)| rows.contains_key(*token))
        .collect();
    common.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let common: BTreeSet<String> =
        common.into_iter().take(N_COMMON).map(|(_, token)| token.clone()).collect();

    Rows {
        dim,
        bits: table.bits(),
        lowercase: table.lowercase(),
        fitted: None,
        origin: origin(table, None),
        common: common.into_iter().collect(),
        rows,
    }
}

impl Rows {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.rows.keys().map(String::as_str)
    }

    /// Returns the number of dimensions of a row.
    pub fn dim(&self) -> usize {
        self.dim as usize
    }

    /// Returns all rows in f32, by key: the start of training.
    pub fn dense(&self) -> Vec<f32> {
        let mut dense = vec![0.0; self.rows.len() * self.dim()];
        for (numbers, row) in dense.chunks_exact_mut(self.dim()).zip(self.rows.values()) {
            add_row(row.scale, &row.packed, self.bits, 1.0, numbers);
        }
        dense
    }

    /// Replaces the rows by trained ones, in the order of [`Self::dense`]. Rows that training did
    /// not change stay equal to the bit.
    pub fn with(&self, dense: &[f32]) -> Self {
        let before = self.dense();
        let mut new = self.clone();
        let rows = new.rows.values_mut().zip(dense.chunks_exact(self.dim()));
        for ((row, now), before) in rows.zip(before.chunks_exact(self.dim())) {
            if now != before {
                let (scale, packed) = quantise(now, self.bits);
                *row = Row { scale, packed };
            }
        }
        new
    }

    /// Takes the rows that an earlier bundle has for the same keys; other rows stay. `None` if its
    /// rows have another size.
    pub fn going_on_with(&self, earlier: &HashMap<String, (u16, Vec<u8>)>) -> Option<Self> {
        let mut new = self.clone();
        let len = self.bits.row_len(self.dim());
        for (key, row) in &mut new.rows {
            if let Some((scale, packed)) = earlier.get(key) {
                if packed.len() != len {
                    return None;
                }
                *row = Row { scale: *scale, packed: packed.clone() };
            }
        }
        Some(new)
    }

    /// Records the score that fitted rows reached.
    pub fn reached(self, table: &StaticTable, reached: f32) -> Self {
        Self { fitted: Some(reached), origin: origin(table, Some(reached)), ..self }
    }

    /// Returns a reader of texts.
    pub fn reader(&self) -> Reader<'_> {
        let rows =
            (0..).zip(&self.rows).map(|(place, (key, row))| (key.as_str(), (place, row))).collect();
        Reader { of: self, rows }
    }

    /// Adds the shards and returns their places.
    ///
    /// # Errors
    /// If a row exceeds a limit of the format.
    pub fn add_to(&self, shards: &mut ShardSet) -> anyhow::Result<StaticRows> {
        let mut common = RowsBuilder::new(self.dim, self.bits);
        for key in &self.common {
            if let Some(row) = self.rows.get(key) {
                common.push(key, row.scale, &row.packed)?;
            }
        }
        let common = common.finish();

        let keys: Vec<String> = self.rows.keys().cloned().collect();
        let mut cutter = ShardCutter::new(SHARD_LEN);
        let mut firsts: Vec<String> = Vec::new();
        let mut raws = Vec::new();
        let mut builder = RowsBuilder::new(self.dim, self.bits);
        let mut before = "";
        for (key, row) in &self.rows {
            let cut = cutter.cut_between(before, key, row.packed.len() + key.len());
            if cut {
                raws.push(
                    std::mem::replace(&mut builder, RowsBuilder::new(self.dim, self.bits)).finish(),
                );
            }
            if cut || firsts.is_empty() {
                let first = separator(before, key);
                firsts.push(first.to_owned());
                for prefix in prefixes(&keys, first) {
                    if let Some(row) = self.rows.get(prefix) {
                        builder.push(prefix, row.scale, &row.packed)?;
                    }
                }
            }
            builder.push(key, row.scale, &row.packed)?;
            before = key;
        }
        if !builder.is_empty() {
            raws.push(builder.finish());
        }
        // The shard of common words is the first; it has no range of keys.
        let raws: Vec<&[u8]> = [&common].into_iter().chain(&raws).map(Vec::as_slice).collect();
        let starts: Vec<&str> = [""].into_iter().chain(firsts.iter().map(String::as_str)).collect();
        let starts = starts.into_par_iter().map(|first| RangeStart::Row(self.origin, first));
        let mut ids = shards.add_ranges(ShardKind::Rows, starts.zip(raws))?;
        let common = ids.remove(0);
        let ranges = firsts
            .into_iter()
            .zip(ids)
            .map(|(first_key, shard)| RowRange { first_key, shard })
            .collect();
        Ok(StaticRows {
            bits: self.bits,
            lowercase: self.lowercase,
            fitted: self.fitted,
            origin: self.origin,
            common_keys: self.common.clone(),
            common,
            ranges,
        })
    }
}

/// Reads texts with the rows of a bundle as an engine reads queries.
pub struct Reader<'a> {
    of: &'a Rows,
    /// The rows by key, with their places in the order of keys.
    rows: HashMap<&'a str, (u32, &'a Row)>,
}

impl<'a> Reader<'a> {
    /// Calls `add` for the row of each word, or part of a name, that has a row.
    fn read(&self, text: &str, mut add: impl FnMut((u32, &'a Row))) {
        let get = |key: &str| self.rows.get(key).copied();
        let mut add = |word: &str| {
            if let Some((row, _)) = standing_for(word, get) {
                add(row);
            }
        };
        for_each_name(text, normaliser(self.of.lowercase), |word, cuts| {
            if cuts.is_empty() || self.rows.contains_key(word) {
                add(word);
            } else {
                parts(word, cuts).for_each(&mut add);
            }
        });
    }

    /// Returns the places of a text's rows in the order of keys.
    pub fn places(&self, text: &str) -> Vec<u32> {
        let mut places = Vec::new();
        self.read(text, |(place, _)| places.push(place));
        places
    }

    /// Returns the vector of a text, not normalised; `None` if no word has a row.
    pub fn embed(&self, text: &str) -> Option<Vec<f32>> {
        let mut sum = vec![0.0; self.of.dim()];
        self.read(text, |(_, row)| add_row(row.scale, &row.packed, self.of.bits, 1.0, &mut sum));
        sum.iter().any(|v| *v != 0.0).then_some(sum)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use findling_bundle::EncoderCard;
    use findling_bundle::projection::Projection;
    use findling_bundle::rows::RowsShard;

    use super::*;

    /// Returns a table of a few tokens whose rows have different directions.
    pub fn table() -> StaticTable {
        let tokens = [
            "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "share", "data", "mut", "##ex",
            "##es", "thread", "zebra",
        ];
        let teacher = EncoderCard {
            name: "teacher".into(),
            dim: 16,
            fingerprint: "0".repeat(32),
            max_tokens: 256,
            query_prefix: String::new(),
            document_prefix: String::new(),
            semantic: true,
        };
        let eye: Vec<f32> = (0..256).map(|i| f32::from(u8::from(i / 16 == i % 16))).collect();
        let rows: Vec<f32> = (0..tokens.len() * 16)
            .map(|i| if i / 16 == i % 16 { 1.0 } else { 0.1 * (i % 3) as f32 })
            .collect();
        let counts: Vec<u64> = (0..tokens.len() as u64)
            .map(|i| if i < 5 { 0 } else { 1 << (14 - i.min(13)) })
            .collect();
        let vocabulary = tokens.iter().map(|&token| token.to_owned()).collect();
        StaticTable::new(
            teacher,
            Projection::new(16, &eye).unwrap(),
            vocabulary,
            true,
            &rows,
            &counts,
            Bits::Eight,
        )
        .unwrap()
    }

    #[test]
    fn what_the_corpus_is_written_in_is_kept_first() {
        let table = table();
        let texts = ["Share data: a mutex, mutexes, the mutex."];
        let all = select(&table, &texts, BUDGET);
        assert!(["share", "data", "mut", "the"].iter().all(|key| all.rows.contains_key(*key)));
        assert!(
            all.rows.contains_key("mutex"),
            "a word of several tokens that occurs twice has a row of its own"
        );
        assert!(!all.rows.contains_key("mutexes"), "once is not enough");
        assert!(!all.rows.contains_key("zebra"), "rare and not in the corpus");
        let one = 16 + 2 + 2 + 4;
        let few = select(&table, &texts, 2 * one);
        assert!(
            few.len() <= 2 && few.rows.contains_key("mut"),
            "the most frequent: {:?}",
            few.rows.keys()
        );
    }

    #[test]
    fn a_word_beyond_the_format_costs_no_other_its_row() {
        let long = format!("mut{}", "ex".repeat(70));
        let text = format!("{long} {long} {long} mutex mutex");
        let rows = select(&table(), &[&text], BUDGET).rows;
        assert!(rows.contains_key("mutex") && !rows.contains_key(&long), "{:?}", rows.keys());
    }

    #[test]
    fn rows_go_on_and_learn_by_key() {
        let table = table();
        let rows = select(&table, &["mutex mutex share"], BUDGET);
        assert!(!rows.keys().any(|key| key.starts_with(CONTINUATION)));
        assert_eq!(rows.with(&rows.dense()), rows, "what is as it was");
        let at = rows.keys().position(|key| key == "mutex").unwrap();
        let mut dense = rows.dense();
        dense[at * 16..][..16].fill(0.5);
        let learned = rows.with(&dense).reached(&table, 0.7);
        assert!(learned.origin != rows.origin && learned.fitted == Some(0.7));
        assert!(learned.reader().embed("mutex").unwrap().iter().all(|v| (v - 0.5).abs() < 0.01));
        assert_eq!(learned.reader().embed("share"), rows.reader().embed("share"));

        let mut earlier: HashMap<String, (u16, Vec<u8>)> = learned
            .rows
            .iter()
            .map(|(key, row)| (key.clone(), (row.scale, row.packed.clone())))
            .collect();
        assert_eq!(rows.going_on_with(&earlier).unwrap().rows, learned.rows);
        earlier.remove("mutex");
        assert_eq!(
            rows.going_on_with(&earlier).unwrap().rows,
            rows.rows,
            "a word new to the corpus"
        );
        earlier.insert("share".into(), (1, vec![0; 3]));
        assert_eq!(rows.going_on_with(&earlier), None, "rows of another length");
    }

    #[test]
    fn a_query_adds_up_one_row_a_word_or_part() {
        let table = table();
        let texts = ["share data thread mut mutes the mutex mutex ThreadMut"];
        let rows = select(&table, &texts, BUDGET);
        let cases: [(&str, &[&str]); 8] = [
            ("share the data", &["share", "the", "data"]),
            ("Threads", &["thread"]),
            ("mutex", &["mut", "##ex"]),
            ("mutes", &["mut"]),
            ("ThreadMut", &["thread", "mut"]),
            ("MUTShares", &["mut", "share"]),
            ("MuTex", &["mut", "##ex"]),
            ("unknown", &[]),
        ];
        for (query, tokens) in cases {
            let mut expected = vec![0.0; 16];
            for token in tokens {
                let id = table.vocabulary().iter().position(|other| other == token).unwrap();
                table.add(id as u32, &mut expected);
            }
            let found = rows.reader().embed(query);
            assert_eq!(found.is_some(), !tokens.is_empty(), "{query}");
            for (a, b) in found.into_iter().flatten().zip(expected) {
                // The sum for a word of several tokens is rounded again.
                assert!((a - b).abs() < 0.02, "{query}: {a} for {b}");
            }
        }
    }

    #[test]
    fn every_key_is_in_the_shard_its_range_names() {
        let rows = select(&table(), &["share data thread mut mutes the mutex mutex"], BUDGET);
        let mut shards = ShardSet::default();
        let placed = rows.add_to(&mut shards).unwrap();
        let (entries, stored) = shards.finish();
        for (key, row) in &rows.rows {
            let id = placed.shard_of(key).unwrap();
            let stored = stored[id.index()].read().unwrap();
            let raw = findling_bundle::decode_shard(&entries[id.index()], &stored).unwrap();
            let shard = RowsShard::from_bytes(&raw, 16, Bits::Eight).unwrap();
            let mut sum = vec![0.0; 16];
            shard.add(shard.get(key).unwrap(), &mut sum);
            let mut expected = vec![0.0; 16];
            add_row(row.scale, &row.packed, Bits::Eight, 1.0, &mut expected);
            assert_eq!(sum, expected);
        }
    }
}
