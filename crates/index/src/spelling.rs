//! The site's words with their spelling, in shards, for correcting the words of queries.
//!
//! The list contains words of letters, and names of several parts as one word
//! (`checkpointtimeout`), because people may type them like this. A word that occurs once in
//! running text may itself be misspelt and is left out.

use std::collections::HashMap;

use findling_bundle::spelling::{SpellingBuilder, commonness};
use findling_page::shard_cutter::ShardCutter;
use findling_text::normalise::fold_into;
use findling_text::{Token, TokenKind};

/// Possible lengths, in characters, of words that can be corrections.
const CHARS: std::ops::RangeInclusive<usize> = 4..=32;
/// Smallest count of such a word.
const LEAST: u32 = Place::Code as u32;
/// Largest number of words; the most common are kept.
const MOST: usize = 40_000;
/// Target size of a shard in bytes, uncompressed.
const TARGET: usize = 8 << 10;

/// The place where a word occurs. Its number says how often the word counts there.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Running text.
    Text = 1,
    /// Code, where misspelt words are rarer, so that one occurrence is enough.
    Code = 2,
    /// A title or heading.
    Title = 4,
}

/// Words with how often they occur.
#[derive(Debug, Default)]
pub struct Words {
    counts: HashMap<Box<str>, u32>,
    folded: String,
}

impl Words {
    /// Counts a token of `text`.
    pub fn count(&mut self, text: &str, token: &Token<'_>, place: Place) {
        let Some(spelt) = text.get(token.start as usize..token.end as usize) else { return };
        if spelt.len() < *CHARS.start() {
            return;
        }
        self.folded.clear();
        fold_into(spelt, &mut self.folded);
        if token.kind == TokenKind::Whole {
            self.folded.retain(|c| !matches!(c, '_' | '.' | ':' | '-' | '\u{2010}' | '\u{2011}'));
        }
        let n_chars = self.folded.chars().count();
        if !CHARS.contains(&n_chars) || !self.folded.chars().all(char::is_alphabetic) {
            return;
        }
        let by = place as u32;
        match self.counts.get_mut(self.folded.as_str()) {
            Some(count) => *count += by,
            None => {
                self.counts.insert(self.folded.as_str().into(), by);
            }
        }
    }

    /// Returns the words in order, with how often they occur.
    pub fn into_sorted(self) -> Vec<(Box<str>, u32)> {
        let mut counts: Vec<(Box<str>, u32)> = self.counts.into_iter().collect();
        counts.sort_unstable();
        counts
    }
}

/// Returns the words that can be corrections, in order, with how often they occur. A word can be
/// counted in several places.
pub fn corrections<'a>(counts: impl Iterator<Item = (&'a str, u32)>) -> Vec<(Box<str>, u32)> {
    let mut all: HashMap<&str, u32> = HashMap::new();
    for (word, n) in counts {
        *all.entry(word).or_default() += n;
    }
    chosen(all.into_iter())
}

/// Counts of words for choosing corrections like [`corrections`], when the words are not all in
/// memory.
#[derive(Debug, Default)]
pub struct Counts(HashMap<Box<str>, u32>);

impl Counts {
    /// Counts a word.
    pub fn add(&mut self, word: &str, n: u32) {
        match self.0.get_mut(word) {
            Some(count) => *count += n,
            None => drop(self.0.insert(word.into(), n)),
        }
    }

    /// Returns the possible corrections, like [`corrections`].
    pub fn corrections(&self) -> Vec<(Box<str>, u32)> {
        chosen(self.0.iter().map(|(word, n)| (&**word, *n)))
    }
}

fn chosen<'a>(all: impl Iterator<Item = (&'a str, u32)>) -> Vec<(Box<str>, u32)> {
    let mut words: Vec<(&str, u32)> = all.filter(|(_, n)| *n >= LEAST).collect();
    if words.len() > MOST {
        words.select_nth_unstable_by(MOST, |(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
        words.truncate(MOST);
    }
    words.sort_unstable();
    words.into_iter().map(|(word, n)| (word.into(), n)).collect()
}

/// Returns the shards of words in order, uncompressed, each with its first word.
pub fn shards(words: &[(Box<str>, u32)]) -> Result<Vec<(String, Vec<u8>)>, findling_bundle::Error> {
    let mut cutter = ShardCutter::new(TARGET);
    let mut shards: Vec<(String, SpellingBuilder)> = Vec::new();
    for (word, n) in words {
        if cutter.cut_before(word.as_bytes(), word.len() / 2 + 3) || shards.is_empty() {
            shards.push((word.to_string(), SpellingBuilder::new()));
        }
        if let Some((_, shard)) = shards.last_mut() {
            shard.push(word, commonness(*n))?;
        }
    }
    Ok(shards.into_iter().map(|(first, shard)| (first, shard.finish())).collect())
}

#[cfg(test)]
mod tests {
    use findling_bundle::SpellingShard;
    use findling_text::Analyzer;

    use super::*;

    fn words(texts: &[(&str, Place)]) -> Vec<String> {
        let mut words = Words::default();
        for (text, place) in texts {
            Analyzer::for_language("en").analyze(text, |token| words.count(text, &token, *place));
        }
        let mut found = Vec::new();
        let words = words.into_sorted();
        let counts = words.iter().map(|(word, n)| (&**word, *n));
        for (_, raw) in shards(&corrections(counts)).unwrap() {
            let shard = SpellingShard::from_bytes(raw).unwrap();
            let mut words = shard.words();
            while let Some(word) = words.advance() {
                found.push(word.text.to_string());
            }
        }
        found
    }

    #[test]
    fn words_are_kept_as_they_are_spelt() {
        assert_eq!(words(&[("Running Résumé", Place::Title)]), ["resume", "running"]);
        assert_eq!(words(&[("once Twice twice", Place::Text)]), ["twice"]);
        assert_eq!(
            words(&[("HashMap checkpoint_timeout", Place::Title)]),
            ["checkpoint", "checkpointtimeout", "hash", "hashmap", "timeout"]
        );
        assert_eq!(words(&[("abc E0382 3.11 sha256 全文検索エンジン", Place::Title)]), [""; 0]);
    }
}
