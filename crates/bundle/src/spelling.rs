//! The site's words as they are spelt, for correcting words of a query that the site does not have.
//!
//! The lexicon has stems, and its shards contain postings, so it is not suitable for this. A shard
//! here has only a range of words, each with its commonness: a few bytes for each word. A query
//! fetches the shards of its word's first letter.
//!
//! - number of words: varint
//! - for each word: varint: bytes shared with the word before; string: the rest; u8: [`commonness`]

#![doc(alias = "deferred")]

use crate::Error;
use crate::codec::{Reader, put_str, put_varint, shared_prefix};
use crate::limits::MAX_TERM_LEN;

const WHAT: &str = "spelling";

/// Returns the commonness of a word with this many occurrences: eight steps an octave, at most 255.
pub fn commonness(occurrences: u32) -> u8 {
    let octave = occurrences.checked_ilog2().unwrap_or(0);
    let within = (u64::from(occurrences) << 3 >> octave) & 7;
    (octave * 8 + within as u32).min(u8::MAX.into()) as u8
}

/// Writes a range of words.
#[derive(Clone, Debug, Default)]
pub struct SpellingBuilder {
    n_words: u32,
    last: String,
    words: Vec<u8>,
}

impl SpellingBuilder {
    /// Returns an empty shard.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a word with its [`commonness`].
    ///
    /// # Errors
    /// If words do not ascend, or one is empty or too long.
    pub fn push(&mut self, word: &str, common: u8) -> Result<(), Error> {
        check(word, &self.last)?;
        let shared = shared_prefix(word, &self.last);
        put_varint(&mut self.words, shared as u32);
        put_str(&mut self.words, &word[shared..]);
        self.words.push(common);
        self.last.clear();
        self.last.push_str(word);
        self.n_words += 1;
        Ok(())
    }

    /// Returns the shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.words.len() + 5);
        put_varint(&mut out, self.n_words);
        out.extend_from_slice(&self.words);
        out
    }
}

/// A range of words, read and checked.
#[derive(Clone, Debug)]
pub struct SpellingShard {
    raw: Vec<u8>,
    n_words: u32,
    start: usize,
}

impl SpellingShard {
    /// Reads and checks what [`SpellingBuilder`] wrote.
    ///
    /// # Errors
    /// If the bytes break the format.
    pub fn from_bytes(raw: Vec<u8>) -> Result<Self, Error> {
        let mut reader = Reader::new(&raw, WHAT);
        let n_words = reader.count(3)? as u32;
        let start = reader.at();
        let (mut last, mut word) = (String::new(), String::new());
        for _ in 0..n_words {
            let shared = reader.varint()? as usize;
            let prefix = last
                .get(..shared)
                .ok_or(reader.malformed("a word shares more bytes than the word before has"))?;
            word.clear();
            word.push_str(prefix);
            word.push_str(reader.str()?);
            reader.u8()?;
            check(&word, &last)?;
            core::mem::swap(&mut word, &mut last);
        }
        reader.finish()?;
        Ok(Self { raw, n_words, start })
    }

    /// Returns the number of words.
    pub fn n_words(&self) -> u32 {
        self.n_words
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.raw.len()
    }

    /// Returns all words, ascending.
    pub fn words(&self) -> Words<'_> {
        let reader = Reader::new(self.raw.get(self.start..).unwrap_or_default(), WHAT);
        Words { reader, left: self.n_words, word: String::new() }
    }
}

fn check(word: &str, last: &str) -> Result<(), Error> {
    if word.len() > MAX_TERM_LEN {
        let got = word.len() as u64;
        return Err(Error::Limit { what: "bytes of a word", limit: MAX_TERM_LEN as u64, got });
    }
    match word > last {
        true => Ok(()),
        false => Err(Error::malformed(WHAT, "words must ascend and not be empty")),
    }
}

/// Walks the words. Not an `Iterator`, because the word is borrowed from a buffer.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    reader: Reader<'a>,
    left: u32,
    word: String,
}

/// A word of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// In lower case, without diacritics.
    pub text: &'a str,
    /// Bytes shared with the word before.
    pub shared: usize,
    /// The [`commonness`].
    pub common: u8,
}

impl Words<'_> {
    /// Returns the next word.
    pub fn advance(&mut self) -> Option<Word<'_>> {
        self.left = self.left.checked_sub(1)?;
        // The shard was checked when it was read. If it was not, the words end here.
        let shared = self.reader.varint().ok()? as usize;
        if self.word.is_char_boundary(shared) {
            self.word.truncate(shared);
        }
        self.word.push_str(self.reader.str().ok()?);
        let common = self.reader.u8().ok()?;
        Some(Word { text: &self.word, shared, common })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commonness_ascends_in_steps() {
        assert_eq!([1, 2, 3, 4, 6, 8].map(commonness), [0, 8, 12, 16, 20, 24]);
        assert!((1..100_000).all(|n| commonness(n) <= commonness(n + 1)));
        assert_eq!(commonness(u32::MAX), 255);
        assert_eq!(commonness(0), 0);
    }
}
