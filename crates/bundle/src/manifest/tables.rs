//! The manifest's lists that grow with the site, column by column. Every reader fetches them before
//! the first query, so each byte of a line counts. Everything except the hashes is range coded,
//! with a model for each kind of number.
//!
//! - number of shards: varint
//! - coded lists: varint: bytes; then, range coded, numbers unless stated otherwise:
//! - shards: runs of one kind, until all shards are covered: kind; length of the run; for kinds
//!   named by range 1 if lengths follow, else 0; stored lengths
//! - terms: strings; ids of shards
//! - second tiers: count; for each the index of its range of terms, minus the previous one; ids of
//!   shards
//! - spelling: strings; ids of shards
//! - texts: count; for each the first page, minus the one before, and the index of its first
//!   section, minus the one before on the same page; ids of shards
//! - vectors, sentences, vectors of sections: count; each first id, minus the one before; ids of
//!   shards
//! - rows: strings; ids of shards
//! - common words: strings
//! - hashes of shards: half bytes of each shard that begins a group; their number depends on the
//!   kind ([`crate::names`])
//!
//! Strings: count; for each the bytes shared with the string before, in a model chosen by the
//! number that the previous string shared; the number of its own bytes; these bytes as symbols: the
//! first in a model chosen by the byte at the same position in the string before, the others by the
//! byte before. Ids of shards: the zigzag of each id minus the previous one minus one.

use super::{
    Dense, LexiconRange, Manifest, RowRange, SectionsRange, SentencesRange, SpellingRange,
    TextRange, VectorRange, WHAT,
};
use crate::codec::{Reader, put_varint, shared_prefix, unzigzag, zigzag};
use crate::limits::{MAX_RANGES, MAX_TERM_LEN};
use crate::names::{put_hashes, take_hashes};
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER};
use crate::{Error, PageId, SectionId, ShardEntry, ShardHash, ShardId, ShardKind, VectorId};

/// Indices of the models of numbers: runs of shards; lengths, by kind; then the models of each
/// list.
const RUNS: usize = 0;
const LENS: usize = 1;
const LISTS: usize = LENS + ShardKind::ALL.len();
const TERMS: usize = LISTS;
const SPELLING: usize = TERMS + LIST;
const TEXTS: usize = SPELLING + LIST;
const VECTORS: usize = TEXTS + SECTIONS_ON + SECTIONS as usize;
const SENTENCES: usize = VECTORS + LIST;
const OF_SECTIONS: usize = SENTENCES + LIST;
const ROWS: usize = OF_SECTIONS + LIST;
const COMMON: usize = ROWS + LIST;
const TIERS: usize = COMMON + LIST;
const SHARED: usize = TIERS + LIST;
const MODELS: usize = SHARED + SHARED_CONTEXTS;
/// Contexts of the number of bytes that a string shares, by the number that the string before
/// shared.
const SHARED_CONTEXTS: usize = 8;
/// Models of a list: its count and ids; the starts of its ranges; second numbers of the starts.
const LIST: usize = 3;
const COUNT: usize = 0;
const FIRST: usize = 1;
const SECOND: usize = 2;
/// Maximum number of shards for each byte of the manifest: a group has one hash, and the start of a
/// range takes a bit at least.
const SHARDS_PER_BYTE: usize = 8;
/// Further models of texts: distance in pages after a part of a long page; distance in sections on
/// the same page, by the bits of the section with which the range before began.
const PAGES_IN: usize = LIST;
const SECTIONS_ON: usize = PAGES_IN + 1;
const SECTIONS: u32 = 8;
/// Contexts of a byte: another byte modulo this number, which distinguishes letters.
const LETTERS: usize = 32;

struct Models {
    numbers: Vec<Bit>,
    /// Models of first bytes, then of others.
    bytes: Vec<Bit>,
}

/// A string, and how many bytes it shares with the previous string.
#[derive(Clone, Copy, Default)]
struct Last<'a> {
    text: &'a [u8],
    shared: usize,
}

impl Models {
    fn new() -> Self {
        Self {
            numbers: vec![Bit::default(); MODELS * NUMBER],
            bytes: vec![Bit::default(); 2 * LETTERS * 256],
        }
    }

    fn number(&mut self, model: usize) -> &mut [Bit] {
        &mut self.numbers[model * NUMBER..][..NUMBER]
    }

    fn shared(&mut self, last: Last<'_>) -> &mut [Bit] {
        self.number(SHARED + last.shared.min(SHARED_CONTEXTS - 1))
    }

    /// Returns the model of the byte after `before` in a string that shares `shared` bytes with
    /// `last`.
    fn byte(&mut self, last: Last<'_>, shared: usize, before: &[u8]) -> &mut [Bit] {
        // Strings ascend, so a first byte is often a little above the byte that it replaces.
        let (run, by) = match before.len() == shared {
            true => (0, last.text.get(shared)),
            false => (1, before.last()),
        };
        let by = usize::from(by.copied().unwrap_or_default()) % LETTERS;
        &mut self.bytes[(run * LETTERS + by) * 256..][..256]
    }
}

/// The start of a range of texts. A part of a long page is usually followed by another part.
#[derive(Clone, Copy, Default)]
struct FirstText {
    page: u32,
    section: u32,
}

impl FirstText {
    /// Returns the model of the distance in pages to the next start.
    fn pages_model(self) -> usize {
        if self.section > 0 { PAGES_IN } else { FIRST }
    }

    /// Returns the model of the section of the next start, given its distance in pages.
    fn section_model(self, pages: u32) -> usize {
        match pages {
            0 => {
                SECTIONS_ON + (u32::BITS - self.section.leading_zeros()).min(SECTIONS - 1) as usize
            }
            _ => SECOND,
        }
    }
}

struct Packer {
    encoder: Encoder,
    models: Models,
}

struct Unpacker<'a> {
    decoder: Decoder<'a>,
    models: Models,
    /// Number of lines that the lists may still have. No writer uses less than a bit for a line.
    lines_left: usize,
}

/// Writes the lists.
pub(super) fn write(manifest: &Manifest, out: &mut Vec<u8>) {
    put_varint(out, manifest.shards.len() as u32);
    let mut packer = Packer { encoder: Encoder::new(), models: Models::new() };
    packer.lists(manifest);
    let packed = packer.encoder.finish();
    put_varint(out, packed.len() as u32);
    out.extend_from_slice(&packed);
    let shards = (0..).zip(&manifest.shards);
    put_hashes(out, shards.filter(|&(at, _)| manifest.begins_group(at)).map(|(_, shard)| shard));
}

/// Reads the lists into a manifest that was read without them.
///
/// # Errors
/// If the bytes break the format. [`Manifest::validate`] checks the contents.
pub(super) fn read(manifest: &mut Manifest, reader: &mut Reader<'_>) -> Result<(), Error> {
    let n = reader.varint()? as usize;
    reader.fits(n.div_ceil(SHARDS_PER_BYTE), 1)?;
    let blank =
        ShardEntry { kind: ShardKind::Structure, hash: ShardHash::default(), stored_len: 0 };
    manifest.shards = vec![blank; n];
    let len = reader.count(1)?;
    let lines_left = (8 * (len + n)).min(MAX_RANGES);
    let decoder = Decoder::new(reader.take(len)?);
    Unpacker { decoder, models: Models::new(), lines_left }.lists(manifest)?;
    let begins: Vec<bool> = (0..n).map(|at| manifest.begins_group(at)).collect();
    let shards = begins.iter().zip(&mut manifest.shards);
    take_hashes(reader, shards.filter(|&(&begins, _)| begins).map(|(_, shard)| shard))?;
    manifest.share_hashes();
    Ok(())
}

impl Packer {
    fn number(&mut self, model: usize, number: u32) {
        self.encoder.number(self.models.number(model), number);
    }

    fn lists(&mut self, manifest: &Manifest) {
        self.shards(&manifest.shards);
        self.strings(TERMS, manifest.lexicon.iter().map(|range| &range.first_term));
        self.ids(TERMS, manifest.lexicon.iter().map(|range| range.terms));
        let second =
            || (0..).zip(&manifest.lexicon).filter_map(|(at, range)| Some((at, range.second?)));
        self.firsts(TIERS, second().map(|(at, _)| at));
        self.ids(TIERS, second().map(|(_, shard)| shard));
        self.strings(SPELLING, manifest.spelling.iter().map(|range| &range.first_word));
        self.ids(SPELLING, manifest.spelling.iter().map(|range| range.shard));
        self.number(TEXTS + COUNT, manifest.texts.len() as u32);
        let mut last = FirstText::default();
        for range in &manifest.texts {
            let first = FirstText { page: range.first_page.0, section: range.first_section };
            let pages = first.page.wrapping_sub(last.page);
            let section =
                if pages > 0 { first.section } else { first.section.wrapping_sub(last.section) };
            self.number(TEXTS + last.pages_model(), pages);
            self.number(TEXTS + last.section_model(pages), section);
            last = first;
        }
        self.ids(TEXTS, manifest.texts.iter().map(|range| range.shard));
        let Some(dense) = &manifest.dense else { return };
        self.firsts(VECTORS, dense.vectors.iter().map(|range| range.first_vector.0));
        self.ids(VECTORS, dense.vectors.iter().map(|range| range.shard));
        self.firsts(SENTENCES, dense.sentences.iter().map(|range| range.first_page.0));
        self.ids(SENTENCES, dense.sentences.iter().map(|range| range.shard));
        self.firsts(OF_SECTIONS, dense.sections.iter().map(|range| range.first_section.0));
        self.ids(OF_SECTIONS, dense.sections.iter().map(|range| range.shard));
        let Some(rows) = &dense.rows else { return };
        self.strings(ROWS, rows.ranges.iter().map(|range| &range.first_key));
        self.ids(ROWS, rows.ranges.iter().map(|range| range.shard));
        self.strings(COMMON, rows.common_keys.iter());
    }

    fn shards(&mut self, shards: &[ShardEntry]) {
        for run in shards.chunk_by(|a, b| a.kind == b.kind) {
            self.number(RUNS, run[0].kind as u32);
            self.number(RUNS, run.len() as u32);
            let has_lens = run.iter().any(|shard| shard.stored_len > 0);
            if run[0].kind.is_range() {
                self.number(RUNS, has_lens.into());
            }
            if has_lens || !run[0].kind.is_range() {
                run.iter()
                    .for_each(|shard| self.number(LENS + shard.kind as usize, shard.stored_len));
            }
        }
    }

    fn strings<'a>(&mut self, list: usize, strings: impl ExactSizeIterator<Item = &'a String>) {
        self.number(list + COUNT, strings.len() as u32);
        let (mut last, mut before) = (Last::default(), "");
        for text in strings {
            let shared = shared_prefix(before, text);
            self.encoder.number(self.models.shared(last), shared as u32);
            self.number(list + SECOND, (text.len() - shared) as u32);
            let bytes = text.as_bytes();
            for at in shared..bytes.len() {
                self.encoder.symbol(self.models.byte(last, shared, &bytes[..at]), bytes[at].into());
            }
            (last, before) = (Last { text: bytes, shared }, text);
        }
    }

    /// Writes ids that begin ranges.
    fn firsts(&mut self, list: usize, firsts: impl Iterator<Item = u32> + Clone) {
        self.number(list + COUNT, firsts.clone().count() as u32);
        let mut last = 0;
        for first in firsts {
            self.number(list + FIRST, first - last);
            last = first;
        }
    }

    fn ids(&mut self, list: usize, ids: impl Iterator<Item = ShardId>) {
        let mut next = 0u32;
        for id in ids {
            self.number(list + COUNT, zigzag(id.0.wrapping_sub(next) as i32));
            next = id.0.wrapping_add(1);
        }
    }
}

impl Unpacker<'_> {
    fn number(&mut self, model: usize) -> Result<u32, Error> {
        let number = self.decoder.number(self.models.number(model))?;
        if self.decoder.is_beyond() {
            return Err(Error::malformed(WHAT, "the coded lists end too early"));
        }
        Ok(number)
    }

    /// Reads the number of lines of a list.
    fn count(&mut self, list: usize) -> Result<usize, Error> {
        let n = self.number(list + COUNT)? as usize;
        self.lines_left = self
            .lines_left
            .checked_sub(n)
            .ok_or(Error::malformed(WHAT, "a list claims more lines than its bytes can hold"))?;
        Ok(n)
    }

    fn lists(&mut self, manifest: &mut Manifest) -> Result<(), Error> {
        self.shards(&mut manifest.shards)?;
        let terms = self.named(TERMS)?;
        manifest.lexicon = terms
            .map(|(first_term, terms)| LexiconRange { first_term, terms, second: None })
            .collect();
        for (at, shard) in self.ranges(TIERS)? {
            let range = manifest.lexicon.get_mut(at as usize);
            let range = range.ok_or(Error::malformed(
                WHAT,
                "a second tier belongs to a range of terms that does not exist",
            ))?;
            range.second = Some(shard);
        }
        let spelling = self.named(SPELLING)?;
        manifest.spelling =
            spelling.map(|(first_word, shard)| SpellingRange { first_word, shard }).collect();
        manifest.texts = self.texts()?;
        match &mut manifest.dense {
            Some(dense) => self.dense(dense),
            None => Ok(()),
        }
    }

    fn texts(&mut self) -> Result<Vec<TextRange>, Error> {
        let n = self.count(TEXTS)?;
        let mut texts = Vec::with_capacity(n);
        let mut last = FirstText::default();
        for _ in 0..n {
            let pages = self.number(TEXTS + last.pages_model())?;
            let section = self.number(TEXTS + last.section_model(pages))?;
            let from = if pages > 0 { 0 } else { last.section };
            last = FirstText {
                page: last.page.wrapping_add(pages),
                section: from.wrapping_add(section),
            };
            let first_page = PageId(last.page);
            texts.push(TextRange { first_page, first_section: last.section, shard: ShardId(0) });
        }
        for (range, shard) in texts.iter_mut().zip(self.ids(TEXTS, n)?) {
            range.shard = shard;
        }
        Ok(texts)
    }

    fn dense(&mut self, dense: &mut Dense) -> Result<(), Error> {
        let vectors = self.ranges(VECTORS)?;
        dense.vectors = vectors
            .map(|(first, shard)| VectorRange { first_vector: VectorId(first), shard })
            .collect();
        let sentences = self.ranges(SENTENCES)?;
        dense.sentences = sentences
            .map(|(first, shard)| SentencesRange { first_page: PageId(first), shard })
            .collect();
        let sections = self.ranges(OF_SECTIONS)?;
        dense.sections = sections
            .map(|(first, shard)| SectionsRange { first_section: SectionId(first), shard })
            .collect();
        let Some(rows) = &mut dense.rows else { return Ok(()) };
        rows.ranges =
            self.named(ROWS)?.map(|(first_key, shard)| RowRange { first_key, shard }).collect();
        rows.common_keys = self.strings(COMMON)?;
        Ok(())
    }

    fn shards(&mut self, shards: &mut [ShardEntry]) -> Result<(), Error> {
        let mut rest = shards;
        while !rest.is_empty() {
            let kind = u8::try_from(self.number(RUNS)?).ok().and_then(ShardKind::of);
            let kind =
                kind.ok_or(Error::malformed(WHAT, "a kind of shard is unknown to this version"))?;
            let len = self.number(RUNS)? as usize;
            let (run, others) = core::mem::take(&mut rest)
                .split_at_mut_checked(len)
                .filter(|(run, _)| !run.is_empty())
                .ok_or(Error::malformed(
                    WHAT,
                    "a run of shards is empty or goes beyond the last shard",
                ))?;
            let has_lens = !kind.is_range() || self.number(RUNS)? > 0;
            for shard in run {
                let stored_len = if has_lens { self.number(LENS + kind as usize)? } else { 0 };
                *shard = ShardEntry { kind, stored_len, ..*shard };
            }
            rest = others;
        }
        Ok(())
    }

    /// Reads strings. Each has at most [`MAX_TERM_LEN`] bytes, so their number bounds their memory.
    fn strings(&mut self, list: usize) -> Result<Vec<String>, Error> {
        let n = self.count(list)?;
        let mut strings: Vec<String> = Vec::new();
        let mut shared = 0;
        for _ in 0..n {
            let before = strings.last().map_or("", String::as_str);
            let last = Last { text: before.as_bytes(), shared };
            shared = self.decoder.number(self.models.shared(last))? as usize;
            let own = self.number(list + SECOND)? as usize;
            let (Some(beginning), true) =
                (before.get(..shared), shared.saturating_add(own) <= MAX_TERM_LEN)
            else {
                return Err(Error::malformed(
                    WHAT,
                    "a string is longer than 128 bytes or shares more than there is",
                ));
            };
            let mut text = beginning.as_bytes().to_vec();
            for _ in 0..own {
                text.push(self.decoder.symbol(self.models.byte(last, shared, &text)) as u8);
            }
            let text =
                String::from_utf8(text).map_err(|_| Error::malformed(WHAT, "text is not UTF-8"))?;
            strings.push(text);
        }
        Ok(strings)
    }

    fn firsts(&mut self, list: usize) -> Result<Vec<u32>, Error> {
        let n = self.count(list)?;
        let mut firsts = Vec::new();
        let mut last = 0u32;
        for _ in 0..n {
            let next = last.checked_add(self.number(list + FIRST)?);
            last = next.ok_or(Error::malformed(WHAT, "a number does not fit 32 bits"))?;
            firsts.push(last);
        }
        Ok(firsts)
    }

    fn ids(&mut self, list: usize, n: usize) -> Result<Vec<ShardId>, Error> {
        let mut ids = Vec::with_capacity(n);
        let mut next = 0u32;
        for _ in 0..n {
            let id = next.wrapping_add_signed(unzigzag(self.number(list + COUNT)?));
            ids.push(ShardId(id));
            next = id.wrapping_add(1);
        }
        Ok(ids)
    }

    /// Reads the strings that ranges begin with, and their shards.
    fn named(
        &mut self,
        list: usize,
    ) -> Result<impl Iterator<Item = (String, ShardId)> + use<>, Error> {
        let firsts = self.strings(list)?;
        let ids = self.ids(list, firsts.len())?;
        Ok(firsts.into_iter().zip(ids))
    }

    /// Reads the ids that ranges begin with, and their shards.
    fn ranges(
        &mut self,
        list: usize,
    ) -> Result<impl Iterator<Item = (u32, ShardId)> + use<>, Error> {
        let firsts = self.firsts(list)?;
        let ids = self.ids(list, firsts.len())?;
        Ok(firsts.into_iter().zip(ids))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unpacker(packed: &[u8]) -> Unpacker<'_> {
        Unpacker { decoder: Decoder::new(packed), models: Models::new(), lines_left: 1000 }
    }

    proptest! {
        #[test]
        fn written_strings_and_ids_are_read_back(
            mut texts in prop::collection::vec("[a-zäöü]{0,12}", 0..40),
            numbers: Vec<u32>,
            sorted: bool,
        ) {
            if sorted {
                texts.sort();
            }
            let mut firsts = numbers.clone();
            firsts.sort_unstable();
            let mut packer = Packer { encoder: Encoder::new(), models: Models::new() };
            packer.strings(TERMS, texts.iter());
            packer.ids(TERMS, numbers.iter().copied().map(ShardId));
            packer.firsts(TEXTS, firsts.iter().copied());
            let packed = packer.encoder.finish();
            let mut unpacker = unpacker(&packed);
            prop_assert_eq!(unpacker.strings(TERMS).unwrap(), texts);
            let read = unpacker.ids(TERMS, numbers.len()).unwrap();
            prop_assert!(read.into_iter().map(|id| id.0).eq(numbers));
            prop_assert_eq!(unpacker.firsts(TEXTS).unwrap(), firsts);
        }

        #[test]
        fn accepted_lists_are_within_bounds_and_can_be_written_again(bytes: Vec<u8>) {
            let packer = || Packer { encoder: Encoder::new(), models: Models::new() };
            if let Ok(strings) = unpacker(&bytes).strings(TERMS) {
                prop_assert!(strings.len() <= 1000);
                prop_assert!(strings.iter().all(|text| text.len() <= MAX_TERM_LEN));
                let mut again = packer();
                again.strings(TERMS, strings.iter());
                prop_assert_eq!(unpacker(&again.encoder.finish()).strings(TERMS), Ok(strings));
            }
            if let Ok(firsts) = unpacker(&bytes).firsts(TEXTS) {
                prop_assert!(firsts.len() <= 1000 && firsts.is_sorted());
            }
            let hash = ShardHash::default();
            let mut shards = [ShardEntry { kind: ShardKind::Structure, hash, stored_len: 0 }; 9];
            if unpacker(&bytes).shards(&mut shards).is_ok() {
                let mut again = packer();
                again.shards(&shards);
                let mut read = [ShardEntry { kind: ShardKind::Cell, hash, stored_len: 7 }; 9];
                prop_assert!(unpacker(&again.encoder.finish()).shards(&mut read).is_ok());
                prop_assert_eq!(read, shards);
            }
        }
    }

    #[test]
    fn a_line_of_the_directory_takes_less_than_a_byte_besides_its_hash() {
        // Columns and terms have lengths; texts do not.
        let entry = |i: u32| {
            let (kind, stored_len) = match i {
                0..30 => (ShardKind::Column, 3900 + i),
                30..60 => (ShardKind::Terms, 3900 + i),
                _ => (ShardKind::Texts, 0),
            };
            ShardEntry { kind, hash: ShardHash::default(), stored_len }
        };
        let entries: Vec<ShardEntry> = (0..100).map(entry).collect();
        let mut packer = Packer { encoder: Encoder::new(), models: Models::new() };
        packer.shards(&entries);
        let packed = packer.encoder.finish();
        assert!(packed.len() < 100, "{}", packed.len());
        let blank =
            ShardEntry { kind: ShardKind::Structure, hash: ShardHash::default(), stored_len: 0 };
        let mut read = vec![blank; 100];
        unpacker(&packed).shards(&mut read).unwrap();
        assert_eq!(read, entries);
        // A run that is too long, an empty one, an unknown kind.
        let texts = ShardKind::Texts as u32;
        for wrong in [[texts, 101], [texts, 0], [99, 100]] {
            let mut packer = Packer { encoder: Encoder::new(), models: Models::new() };
            wrong.iter().chain(&[0; 9]).for_each(|&number| packer.number(RUNS, number));
            assert!(unpacker(&packer.encoder.finish()).shards(&mut read).is_err());
        }
    }

    #[test]
    fn lists_of_empty_strings_are_bounded_by_the_number_of_ranges() {
        for (lines, fits) in [(1000, true), (MAX_RANGES + 1, false)] {
            let mut packer = Packer { encoder: Encoder::new(), models: Models::new() };
            packer.strings(TERMS, vec![String::new(); lines].iter());
            let mut packed = packer.encoder.finish();
            // The number of bytes that a writer uses for this many lines.
            packed.resize(lines, 0);
            let lines_left = (8 * packed.len()).min(MAX_RANGES);
            let mut unpacker =
                Unpacker { decoder: Decoder::new(&packed), models: Models::new(), lines_left };
            assert_eq!(unpacker.strings(TERMS).is_ok(), fits, "{lines}");
        }
    }
}
