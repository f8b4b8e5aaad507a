//! A shard of terms through the range coder, for storage. About a third smaller than deflated.
//!
//! Each kind of number has its own models. Everything is in the order of the unpacked shard, except
//! that lengths of fields follow their postings. Each item has a model of its own:
//!
//! - terms: bytes in common with the term before, number of its own bytes, these: a number each;
//!   symbols by the byte before
//! - `n_pages`, `n_sections`, `n_passages`, `n_second`; `df` minus `n_passages`: numbers
//! - gaps of postings: numbers, by level, by the bits of the list's length, and whether the gap
//!   before was 0
//! - distance in sections: numbers, by level and whether the gap is 0
//! - whether places are skipped, and how many: bits by whether it is the same section; numbers
//! - whether the frequencies are `[1, 0]`; frequencies: bits by level and the posting before;
//!   numbers by level, the second by the first
//! - lengths of titles and headings: numbers by level
//! - lengths of text and code: symbols, by field, and by the length before for the next passage of
//!   the same section; else by the sum of the frequencies in a first tier, which only has long
//!   passages if they contain the word often
//!
//! The bytes of a term's lists are not stored: they follow from the lists. If the first frequency
//! is 0, the second is stored less one, because the two are never both 0.

use super::posting::{Level, Step, has_len, put_step};
use super::{BLOCK, MIN_ENTRY_LEN, WHAT, read_counts};
use crate::Error;
use crate::codec::{Reader, put_varint, shared_prefix};
use crate::limits::MAX_TERM_LEN;
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER};

/// Codes of lengths of text and code are below this ([`super::len_code`]).
const LEN_CODES: usize = 64;
/// Contexts of a length, by the length before.
const LENS_BEFORE: usize = 24;
/// Contexts of a length without a length before, by the sum of the frequencies in a first tier.
const SUMS: usize = 8;
/// Contexts of a second frequency, by the first.
const FIRSTS: usize = 6;
/// Contexts of gaps, by the bits of the list's number of postings.
const SIZES: usize = 20;
/// Contexts of a byte: the byte before modulo this, which distinguishes letters.
const LETTERS: usize = 32;

/// Indices of the models of numbers.
const N_TERMS: usize = 0;
const SHARED: usize = 1;
const OWN: usize = 2;
const DF: usize = 3;
const SKIP: usize = 4;
/// Postings in the second tier, by level.
const SECOND: usize = 5;
/// Distances in sections, by level and whether the page differs.
const SECTIONS: usize = SECOND + 3;
/// Code tables of numbers. Each level of postings has tables for the list's number of postings;
/// lengths of fields; first frequencies; second frequencies by the first; then gaps, by the size of
/// the list and whether the gap before was above 0.
const LISTS: usize = SECTIONS + 4;
const LIST: usize = 3 + FIRSTS + 2 * SIZES;
/// After the numbers: bytes of terms, then codes of lengths, then flags.
const BYTES: usize = (LISTS + 3 * LIST) * NUMBER;
const LENS: usize = BYTES + LETTERS * 256;
const FLAGS: usize = LENS + 2 * (LENS_BEFORE + SUMS) * LEN_CODES;
/// Flags: whether passages are skipped, by whether the section differs; whether the frequencies are
/// `[1, 0]`, by level and the posting before.
const N_FLAGS: usize = 2 + 3 * 2;

/// The adaptive models of a shard.
struct Models(Vec<Bit>);

impl Models {
    fn new() -> Self {
        Self(vec![Bit::default(); FLAGS + N_FLAGS])
    }

    fn number(&mut self, place: usize) -> &mut [Bit] {
        &mut self.0[place * NUMBER..][..NUMBER]
    }

    fn byte(&mut self, before: u8) -> &mut [Bit] {
        &mut self.0[BYTES + usize::from(before) % LETTERS * 256..][..256]
    }

    fn len(&mut self, field: usize, before: usize) -> &mut [Bit] {
        &mut self.0[LENS + (field * (LENS_BEFORE + SUMS) + before) * LEN_CODES..][..LEN_CODES]
    }

    fn skips(&mut self, is_same: bool) -> &mut Bit {
        &mut self.0[FLAGS + usize::from(!is_same)]
    }

    /// Returns the model of distances in sections; `None` for pages.
    fn sections(&mut self, level: Level, gap: u32) -> Option<&mut [Bit]> {
        let level = (level as usize).checked_sub(1)?;
        Some(self.number(SECTIONS + 2 * level + usize::from(gap > 0)))
    }

    fn plain(&mut self, level: Level, was_plain: bool) -> &mut Bit {
        &mut self.0[FLAGS + 2 + level as usize * 2 + usize::from(was_plain)]
    }
}

/// A list of postings.
#[derive(Clone, Copy)]
struct List {
    level: Level,
    n: u32,
    /// Whether there is a second tier of this list.
    is_first: bool,
}

/// The indices of a list's models.
#[derive(Clone, Copy)]
struct ListModels {
    n: usize,
    len: usize,
    tf: usize,
    gaps: usize,
}

impl ListModels {
    fn of(level: Level, n: u32) -> Self {
        let at = LISTS + level as usize * LIST;
        let size = (u32::BITS - n.leading_zeros()) as usize;
        Self { n: at, len: at + 1, tf: at + 2, gaps: at + 3 + FIRSTS + 2 * size.min(SIZES - 1) }
    }

    /// Returns the index of the model of the second frequency.
    fn second_tf(self, first: u32) -> usize {
        self.tf + 1 + (first as usize).min(FIRSTS - 1)
    }
}

/// Packs the output of [`super::TermsBuilder`]. `None` for other bytes.
pub(crate) fn pack(raw: &[u8]) -> Option<Vec<u8>> {
    try_pack(raw).ok()
}

fn try_pack(raw: &[u8]) -> Result<Vec<u8>, Error> {
    let mut reader = Reader::new(raw, WHAT);
    let n_terms = reader.count(MIN_ENTRY_LEN)?;
    let dictionary_len = reader.varint()? as usize;
    let mut dictionary = Reader::new(reader.take(dictionary_len)?, WHAT);
    let mut models = Models::new();
    let mut encoder = Encoder::new();
    encoder.number(models.number(N_TERMS), n_terms as u32);
    let mut last = String::new();
    for i in 0..n_terms {
        let shared = if i % BLOCK == 0 { 0 } else { dictionary.varint()? as usize };
        let own = dictionary.str()?;
        let beginning = last
            .get(..shared)
            .ok_or(Error::malformed(WHAT, "a term shares more bytes than the term before has"))?;
        let term = [beginning, own].concat();
        // Blocks begin with whole terms for binary search. Packed terms share bytes there too.
        let shared = shared_prefix(&term, &last);
        encoder.number(models.number(SHARED), shared as u32);
        encoder.number(models.number(OWN), (term.len() - shared) as u32);
        for at in shared..term.len() {
            let before = at.checked_sub(1).map_or(0, |at| term.as_bytes()[at]);
            encoder.symbol(models.byte(before), term.as_bytes()[at].into());
        }
        last = term;
        let df = dictionary.varint()?;
        let [n, n_second] = read_counts(&mut dictionary)?;
        let len = dictionary.varint()? as usize;
        for (n, level) in n.into_iter().zip(Level::ALL) {
            encoder.number(models.number(ListModels::of(level, 0).n), n);
        }
        for (level, n) in n_second.into_iter().enumerate() {
            encoder.number(models.number(SECOND + level), n);
        }
        let n_passages = n[Level::Passage as usize].checked_add(n_second[Level::Passage as usize]);
        let below = n_passages.and_then(|n| df.checked_sub(n));
        encoder.number(
            models.number(DF),
            below.ok_or(Error::malformed(
                WHAT,
                "a document frequency does not fit the posting lists",
            ))?,
        );
        let mut lists = Reader::new(reader.take(len)?, WHAT);
        let mut n_lens = 0;
        for (n, level) in n.into_iter().zip(Level::ALL) {
            let list = List { level, n, is_first: n_second[level as usize] > 0 };
            pack_list(&mut encoder, &mut models, list, &mut lists, &mut n_lens)?;
        }
        if lists.remaining() != n_lens {
            return Err(Error::malformed(
                WHAT,
                "the postings and lengths of a term are fewer or more than its bytes",
            ));
        }
    }
    dictionary.finish()?;
    reader.finish()?;
    Ok(encoder.finish())
}

fn pack_list(
    encoder: &mut Encoder,
    models: &mut Models,
    List { level, n, is_first }: List,
    reader: &mut Reader<'_>,
    n_lens: &mut usize,
) -> Result<(), Error> {
    let model = ListModels::of(level, n);
    let mut context = Context { is_first, ..Context::default() };
    for _ in 0..n {
        let (step, plain) = Step::read(reader, level)?;
        let small = |part: u64| {
            u32::try_from(part).map_err(|_| Error::malformed(WHAT, "a gap does not fit 32 bits"))
        };
        let (gap, section, at) = (small(step.gap)?, small(step.section)?, small(step.at)?);
        encoder.number(models.number(model.gaps + context.gap_index()), gap);
        if let Some(model) = models.sections(level, gap) {
            encoder.number(model, section);
        }
        let is_same = gap == 0 && section == 0;
        if level == Level::Passage {
            encoder.bit(models.skips(is_same), at > 0);
            if at > 0 {
                encoder.number(models.number(SKIP), at - 1);
            }
        }
        encoder.bit(models.plain(level, context.plain), plain);
        let tf = if plain { [1, 0] } else { [reader.varint()?, reader.varint()?] };
        if !plain {
            let none = u32::from(tf[0] == 0);
            encoder.number(models.number(model.tf), tf[0]);
            let second = tf[1]
                .checked_sub(none)
                .ok_or(Error::malformed(WHAT, "both frequencies of a posting are 0"))?;
            encoder.number(models.number(model.second_tf(tf[0])), second);
        }
        let before = context.len_index(is_same && at == 0, tf);
        context.step(gap, plain);
        for (field, before) in before.into_iter().enumerate() {
            if has_len(level, field, tf) {
                *n_lens += 1;
                let code = reader.byte_from_end(*n_lens)?;
                if level != Level::Passage {
                    encoder.number(models.number(model.len), code.into());
                } else if usize::from(code) < LEN_CODES {
                    encoder.symbol(models.len(field, before), code.into());
                } else {
                    return Err(Error::malformed(WHAT, "the code of a length is 64 or more"));
                }
                context.saw_len(field, code);
            }
        }
    }
    Ok(())
}

/// The context of a posting: the previous posting in its list.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    /// The distance in pages.
    gap: u32,
    /// The code of its text's length; `None` if it has no text.
    len: Option<u8>,
    /// Whether its frequencies were `[1, 0]`.
    plain: bool,
    /// Whether this list has a second tier.
    is_first: bool,
}

impl Context {
    fn gap_index(self) -> usize {
        usize::from(self.gap > 0)
    }

    /// Returns the context of the length of each field. `is_next`: the posting is the next passage
    /// of the same section.
    fn len_index(self, is_next: bool, tf: [u32; 2]) -> [usize; 2] {
        let len = self.len.filter(|_| is_next);
        let sum =
            if self.is_first { (tf[0].saturating_add(tf[1]) as usize).min(SUMS - 1) } else { 0 };
        let else_by = LENS_BEFORE + sum;
        [len.map_or(else_by, |len| usize::from(len).min(LENS_BEFORE - 1)), else_by]
    }

    fn step(&mut self, gap: u32, plain: bool) {
        *self = Self { gap, len: None, plain, ..*self };
    }

    fn saw_len(&mut self, field: usize, code: u8) {
        if field == 0 {
            self.len = Some(code);
        }
    }
}

/// Reverses [`pack`], to `raw_len` bytes. The allocation is bounded by `raw_len`.
///
/// # Errors
/// If no contents pack to these bytes. [`super::TermsShard::from_bytes`] checks the contents.
pub(crate) fn unpack(packed: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let mut decoder = Decoder::new(packed);
    let mut models = Models::new();
    let n_terms = decoder.number(models.number(N_TERMS))?;
    let (mut dictionary, mut postings, mut lens) = (Vec::new(), Vec::new(), Vec::new());
    let mut last: Vec<u8> = Vec::new();
    for i in 0..n_terms {
        let (shared, own) = (
            decoder.number(models.number(SHARED))? as usize,
            decoder.number(models.number(OWN))? as usize,
        );
        if shared > last.len() || shared.saturating_add(own) > MAX_TERM_LEN {
            return Err(Error::malformed(
                WHAT,
                "a term shares more bytes than the term before has, or is longer than 128 bytes",
            ));
        }
        last.truncate(shared);
        for _ in 0..own {
            let before = last.last().copied().unwrap_or_default();
            last.push(decoder.symbol(models.byte(before)) as u8);
        }
        let begins = (i as usize).is_multiple_of(BLOCK);
        if !begins {
            put_varint(&mut dictionary, shared as u32);
        }
        let own = if begins { &last[..] } else { &last[shared..] };
        put_varint(&mut dictionary, own.len() as u32);
        dictionary.extend_from_slice(own);
        let mut n = [0; 3];
        for (n, level) in n.iter_mut().zip(Level::ALL) {
            *n = decoder.number(models.number(ListModels::of(level, 0).n))?;
        }
        let mut n_second = [0; 3];
        for (level, n) in n_second.iter_mut().enumerate() {
            *n = decoder.number(models.number(SECOND + level))?;
        }
        let below = decoder.number(models.number(DF))?;
        let [first, second] = [n, n_second].map(|n| n[Level::Passage as usize]);
        let df = below.checked_add(second).and_then(|df| df.checked_add(first));
        put_varint(
            &mut dictionary,
            df.ok_or(Error::malformed(
                WHAT,
                "a document frequency does not fit the posting lists",
            ))?,
        );
        n.into_iter().chain(n_second).for_each(|n| put_varint(&mut dictionary, n));
        let start = postings.len();
        for (n, level) in n.into_iter().zip(Level::ALL) {
            let list = List { level, n, is_first: n_second[level as usize] > 0 };
            unpack_list(&mut decoder, &mut models, list, raw_len, &mut postings, &mut lens)?;
        }
        postings.extend(lens.drain(..).rev());
        put_varint(&mut dictionary, (postings.len() - start) as u32);
        if decoder.is_beyond() || dictionary.len() + postings.len() > raw_len {
            return Err(Error::malformed(
                WHAT,
                "the contents are shorter or longer than the header states",
            ));
        }
    }
    let mut raw = Vec::with_capacity(raw_len);
    put_varint(&mut raw, n_terms);
    put_varint(&mut raw, dictionary.len() as u32);
    raw.extend_from_slice(&dictionary);
    raw.extend_from_slice(&postings);
    Ok(raw)
}

fn unpack_list(
    decoder: &mut Decoder<'_>,
    models: &mut Models,
    List { level, n, is_first }: List,
    raw_len: usize,
    postings: &mut Vec<u8>,
    lens: &mut Vec<u8>,
) -> Result<(), Error> {
    let model = ListModels::of(level, n);
    let mut context = Context { is_first, ..Context::default() };
    for _ in 0..n {
        let gap = decoder.number(models.number(model.gaps + context.gap_index()))?;
        let section = match models.sections(level, gap) {
            Some(model) => decoder.number(model)?,
            None => 0,
        };
        let is_same = gap == 0 && section == 0;
        let mut at = 0;
        if level == Level::Passage && decoder.bit(models.skips(is_same)) {
            at = decoder.number(models.number(SKIP))?.saturating_add(1);
        }
        let plain = decoder.bit(models.plain(level, context.plain));
        put_step(postings, level, [gap, section, at], plain);
        let mut tf = [1, 0];
        if !plain {
            let first = decoder.number(models.number(model.tf))?;
            let second = decoder.number(models.number(model.second_tf(first)))?;
            tf = [first, second.saturating_add(u32::from(first == 0))];
            put_varint(postings, tf[0]);
            put_varint(postings, tf[1]);
        }
        let before = context.len_index(is_same && at == 0, tf);
        context.step(gap, plain);
        for (field, before) in before.into_iter().enumerate() {
            if has_len(level, field, tf) {
                let code = match level {
                    Level::Passage => decoder.symbol(models.len(field, before)) as u8,
                    _ => u8::try_from(decoder.number(models.number(model.len))?)
                        .map_err(|_| Error::malformed(WHAT, "a length does not fit a byte"))?,
                };
                lens.push(code);
                context.saw_len(field, code);
            }
        }
        if decoder.is_beyond() || postings.len() + lens.len() > raw_len {
            return Err(Error::malformed(
                WHAT,
                "the contents are shorter or longer than the header states",
            ));
        }
    }
    Ok(())
}
