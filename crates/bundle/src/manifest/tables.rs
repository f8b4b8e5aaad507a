//! The manifest's lists that grow with the site, in columns: every reader fetches them before the first query, so that a byte a
//! line counts. Ids of shards mostly follow one another; columns of what is alike deflate to almost nothing.
//!
//! | what | encoding |
//! |---|---|
//! | shards | count; runs of a kind: u8 and length, until the count is reached; each one's stored length, varint; each one's hash |
//! | terms | ranges, as below; the shards of positions |
//! | spelling, rows of the static encoder | ranges each |
//! | the static encoder's common words | strings |
//! | texts | count; each first page, less the one before; ids of shards; the place of each first section, varints |
//! | vectors, sentences | count; each first id, less the one before; ids of shards; each |
//!
//! Ranges: strings, then ids of shards. Strings: count; for each the bytes shared with the one before it, varints; the bytes that
//! are its own, varints; those bytes. Ids of shards: each less the one before it, less one, zigzag varints.

use super::{
    Dense, LexiconRange, Manifest, RowRange, SentencesRange, ShardEntry, ShardKind, SpellingRange, TextRange,
    VectorRange,
};
use crate::codec::{Reader, ShardHash, put_varint, put_varint64, shared_prefix};
use crate::limits::MAX_TERM_LEN;
use crate::{Error, PageId, ShardId, VectorId};

/// The manifest with these lists empty.
pub(super) fn without(manifest: &Manifest) -> Manifest {
    let mut rest = Manifest {
        lexicon: Vec::new(),
        spelling: Vec::new(),
        texts: Vec::new(),
        shards: Vec::new(),
        ..manifest.clone()
    };
    if let Some(dense) = &mut rest.dense {
        dense.vectors.clear();
        dense.sentences.clear();
        if let Some(rows) = &mut dense.rows {
            rows.ranges.clear();
            rows.common_keys.clear();
        }
    }
    rest
}

/// Writes the lists.
pub(super) fn write(manifest: &Manifest, out: &mut Vec<u8>) {
    put_shards(out, &manifest.shards);
    put_strings(out, manifest.lexicon.iter().map(|range| &range.first_term));
    put_ids(out, manifest.lexicon.iter().map(|range| range.terms));
    put_ids(out, manifest.lexicon.iter().map(|range| range.positions));
    put_strings(out, manifest.spelling.iter().map(|range| &range.first_word));
    put_ids(out, manifest.spelling.iter().map(|range| range.shard));
    put_firsts(out, manifest.texts.iter().map(|range| range.first_page.0));
    put_ids(out, manifest.texts.iter().map(|range| range.shard));
    manifest.texts.iter().for_each(|range| put_varint(out, range.first_section));
    let Some(dense) = &manifest.dense else { return };
    put_firsts(out, dense.vectors.iter().map(|range| range.first_vector.0));
    put_ids(out, dense.vectors.iter().map(|range| range.shard));
    put_firsts(out, dense.sentences.iter().map(|range| range.first_page.0));
    put_ids(out, dense.sentences.iter().map(|range| range.shard));
    let Some(rows) = &dense.rows else { return };
    put_strings(out, rows.ranges.iter().map(|range| &range.first_key));
    put_ids(out, rows.ranges.iter().map(|range| range.shard));
    put_strings(out, rows.common_keys.iter());
}

/// Reads the lists into a manifest that was read without them.
///
/// # Errors
/// Where the bytes are not what [`write`] writes. Whether the lists make sense is for [`Manifest::validate`].
pub(super) fn read(manifest: &mut Manifest, reader: &mut Reader<'_>) -> Result<(), Error> {
    manifest.shards = shards(reader)?;
    let firsts = strings(reader)?;
    let terms = ids(reader, firsts.len())?;
    let positions = ids(reader, firsts.len())?;
    manifest.lexicon = firsts
        .into_iter()
        .zip(terms.into_iter().zip(positions))
        .map(|(first_term, (terms, positions))| LexiconRange { first_term, terms, positions })
        .collect();
    let spelling = ranges(reader, strings)?;
    manifest.spelling = spelling.map(|(first_word, shard)| SpellingRange { first_word, shard }).collect();
    let texts = ranges(reader, firsts_of)?;
    manifest.texts = texts
        .map(|(first, shard)| TextRange { first_page: PageId(first), first_section: 0, shard })
        .collect();
    for range in &mut manifest.texts {
        range.first_section = reader.varint()?;
    }
    let Some(dense) = &mut manifest.dense else { return Ok(()) };
    read_dense(dense, reader)
}

fn read_dense(dense: &mut Dense, reader: &mut Reader<'_>) -> Result<(), Error> {
    let vectors = ranges(reader, firsts_of)?;
    dense.vectors =
        vectors.map(|(first, shard)| VectorRange { first_vector: VectorId(first), shard }).collect();
    let sentences = ranges(reader, firsts_of)?;
    dense.sentences =
        sentences.map(|(first, shard)| SentencesRange { first_page: PageId(first), shard }).collect();
    let Some(rows) = &mut dense.rows else { return Ok(()) };
    rows.ranges = ranges(reader, strings)?.map(|(first_key, shard)| RowRange { first_key, shard }).collect();
    rows.common_keys = strings(reader)?;
    Ok(())
}

fn put_shards(out: &mut Vec<u8>, shards: &[ShardEntry]) {
    put_varint(out, shards.len() as u32);
    for run in shards.chunk_by(|a, b| a.kind == b.kind) {
        out.push(run[0].kind as u8);
        put_varint(out, run.len() as u32);
    }
    shards.iter().for_each(|shard| put_varint(out, shard.stored_len));
    shards.iter().for_each(|shard| out.extend_from_slice(&shard.hash));
}

fn shards(reader: &mut Reader<'_>) -> Result<Vec<ShardEntry>, Error> {
    let n = reader.count(1 + size_of::<ShardHash>())?;
    let mut shards = Vec::with_capacity(n);
    while shards.len() < n {
        let kind = reader.u8()?;
        let kind =
            ShardKind::of(kind).ok_or(reader.malformed("a kind of shard is none that this version knows"))?;
        let len = reader.varint()? as usize;
        if len == 0 || len > n - shards.len() {
            return Err(reader.malformed("the kinds of shards do not add up to their number"));
        }
        let entry = ShardEntry { kind, hash: ShardHash::default(), stored_len: 0 };
        shards.extend(core::iter::repeat_n(entry, len));
    }
    for shard in &mut shards {
        shard.stored_len = reader.varint()?;
    }
    for shard in &mut shards {
        shard.hash = reader.array()?;
    }
    Ok(shards)
}

fn put_strings<'a>(out: &mut Vec<u8>, strings: impl Iterator<Item = &'a String> + Clone) {
    let pairs = || core::iter::once("").chain(strings.clone().map(String::as_str)).zip(strings.clone());
    let shared = || pairs().map(|(last, text)| shared_prefix(last, text));
    put_varint(out, strings.clone().count() as u32);
    shared().for_each(|shared| put_varint(out, shared as u32));
    pairs().zip(shared()).for_each(|((_, text), shared)| put_varint(out, (text.len() - shared) as u32));
    pairs().zip(shared()).for_each(|((_, text), shared)| out.extend_from_slice(&text.as_bytes()[shared..]));
}

/// A string takes at most [`MAX_TERM_LEN`] bytes, so that what they take in all is bounded by their number.
fn strings(reader: &mut Reader<'_>) -> Result<Vec<String>, Error> {
    let n = reader.count(2)?;
    let mut lens = || -> Result<Vec<u32>, Error> { (0..n).map(|_| reader.varint()).collect() };
    let (shared, own) = (lens()?, lens()?);
    let mut strings: Vec<String> = Vec::with_capacity(n);
    for (shared, own) in shared.into_iter().zip(own) {
        let (shared, own) = (shared as usize, own as usize);
        let last = strings.last().map_or("", String::as_str);
        let (Some(beginning), true) = (last.get(..shared), shared.saturating_add(own) <= MAX_TERM_LEN) else {
            return Err(reader.malformed("a string shares more than there is, or is too long"));
        };
        let rest =
            core::str::from_utf8(reader.take(own)?).map_err(|_| reader.malformed("text is not UTF-8"))?;
        strings.push([beginning, rest].concat());
    }
    Ok(strings)
}

/// Ids that begin ranges.
fn put_firsts(out: &mut Vec<u8>, firsts: impl Iterator<Item = u32> + Clone) {
    put_varint(out, firsts.clone().count() as u32);
    let mut last = 0;
    for first in firsts {
        put_varint(out, first - last);
        last = first;
    }
}

fn firsts_of(reader: &mut Reader<'_>) -> Result<Vec<u32>, Error> {
    let n = reader.count(1)?;
    let mut last = 0u32;
    let next = |_| {
        last = last.checked_add(reader.varint()?).ok_or(reader.malformed("a number does not fit 32 bits"))?;
        Ok(last)
    };
    (0..n).map(next).collect()
}

fn put_ids(out: &mut Vec<u8>, ids: impl Iterator<Item = ShardId>) {
    let mut last = -1i64;
    for id in ids {
        let step = i64::from(id.0) - last - 1;
        put_varint64(out, (step << 1 ^ step >> 63) as u64);
        last = i64::from(id.0);
    }
}

fn ids(reader: &mut Reader<'_>, n: usize) -> Result<Vec<ShardId>, Error> {
    let mut last = -1i64;
    let next = |_| {
        let zigzag = reader.varint64()?;
        let step = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        last = last.saturating_add(step).saturating_add(1);
        u32::try_from(last)
            .map(ShardId)
            .map_err(|_| reader.malformed("a shard's number does not fit 32 bits"))
    };
    (0..n).map(next).collect()
}

/// What ranges begin with, and their shards.
fn ranges<T>(
    reader: &mut Reader<'_>,
    firsts: fn(&mut Reader<'_>) -> Result<Vec<T>, Error>,
) -> Result<impl Iterator<Item = (T, ShardId)>, Error> {
    let firsts = firsts(reader)?;
    let ids = ids(reader, firsts.len())?;
    Ok(firsts.into_iter().zip(ids))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn strings_and_ids_come_back(
            mut texts in prop::collection::vec("[a-zäöü]{0,12}", 0..40), numbers: Vec<u32>, sorted: bool,
        ) {
            if sorted {
                texts.sort();
            }
            let mut firsts = numbers.clone();
            firsts.sort_unstable();
            let mut out = Vec::new();
            put_strings(&mut out, texts.iter());
            put_ids(&mut out, numbers.iter().copied().map(ShardId));
            put_firsts(&mut out, firsts.iter().copied());
            let mut reader = Reader::new(&out, "test");
            prop_assert_eq!(strings(&mut reader).unwrap(), texts);
            let read = ids(&mut reader, numbers.len()).unwrap();
            prop_assert!(read.into_iter().map(|id| id.0).eq(numbers));
            prop_assert_eq!(firsts_of(&mut reader).unwrap(), firsts);
            reader.finish().unwrap();
        }
    }

    #[test]
    fn shards_take_their_hash_and_little_besides() {
        let entry = |i: u32| ShardEntry {
            kind: if i < 40 { ShardKind::Terms } else { ShardKind::Texts },
            hash: [i as u8; size_of::<ShardHash>()],
            stored_len: 100 + i,
        };
        let entries: Vec<ShardEntry> = (0..100).map(entry).collect();
        let mut out = Vec::new();
        put_shards(&mut out, &entries);
        assert!(out.len() < 100 * (size_of::<ShardHash>() + 2) + 10, "{}", out.len());
        assert_eq!(shards(&mut Reader::new(&out, "test")).unwrap(), entries);
        // A run too long, an empty one, a kind that is none.
        for (at, byte) in [(2, 101), (2, 0), (1, 99)] {
            let mut wrong = out.clone();
            wrong[at] = byte;
            assert!(shards(&mut Reader::new(&wrong, "test")).is_err());
        }
    }
}
