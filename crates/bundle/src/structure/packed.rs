//! The structure through the range coder, for storage: page by page, each number with a model
//! chosen by what is known of its section. A section with several vectors is long, and only a long
//! one has several passages.
//!
//! - the four counts: one
//! - for each page: its sections: one
//! - for each of its sections: its vectors: by its place in the page, whether it is the last, and
//!   the vectors of the two sections before
//! - its passages: by its vectors and its place
//! - 1 if it continues the section before in its page, else 0 (absent for the first section): by
//!   the vectors of the two sections before
//!
//! *In order*, the number of the previous page's sections selects the model for the number of a
//! page's sections. A large site's builder puts pages with equal numbers of sections next to each
//! other, so that this number, otherwise the largest part of the shard, takes a tenth of its bits.

use super::WHAT;
use crate::Error;
use crate::codec::{Reader, put_varint};
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER};

/// Contexts: places of a section, vectors of a section before it, its own vectors. Larger numbers
/// count as the last context.
const PLACES: usize = 4;
const BEFORE: usize = 4;
const VECTORS: usize = 16;
/// Indices of the models.
const COUNTS: usize = 0;
const SECTIONS: usize = 1;
const OF_VECTORS: usize = 2;
const OF_PASSAGES: usize = OF_VECTORS + BEFORE * BEFORE * PLACES * 2;
const CONTINUES: usize = OF_PASSAGES + VECTORS * PLACES;
const ORDERED: usize = CONTINUES + BEFORE * BEFORE;
/// Contexts: numbers of sections of the previous page.
const SECTIONS_BEFORE: usize = 32;
const MODELS: usize = ORDERED + SECTIONS_BEFORE;

/// Fewest pages that the writer codes in order. The builder orders pages only then.
pub const MIN_ORDERED_PAGES: u32 = 1 << 16;

/// The adaptive models, and the context of the next section.
struct Models {
    bits: Vec<Bit>,
    place: usize,
    /// Vectors of the two sections before it in its page, the earlier one first.
    before: [usize; 2],
}

impl Models {
    fn new() -> Self {
        Self { bits: vec![Bit::default(); MODELS * NUMBER], place: 0, before: [0; 2] }
    }

    fn number(&mut self, model: usize) -> &mut [Bit] {
        &mut self.bits[model * NUMBER..][..NUMBER]
    }

    fn page(&mut self) {
        (self.place, self.before) = (0, [0; 2]);
    }

    /// Returns the model of the sections of a page, in order if the number of sections of the
    /// previous page is given.
    fn sections(&mut self, before: Option<u32>) -> &mut [Bit] {
        let in_order = |n: u32| ORDERED + (n as usize).min(SECTIONS_BEFORE - 1);
        self.number(before.map_or(SECTIONS, in_order))
    }

    fn vectors(&mut self, is_last: bool) -> &mut [Bit] {
        let [first, second] = self.before.map(|n| n.min(BEFORE - 1));
        let place = self.place.min(PLACES - 1);
        self.number(
            OF_VECTORS + ((first * BEFORE + second) * PLACES + place) * 2 + usize::from(is_last),
        )
    }

    /// Returns the model of whether a section continues the previous one.
    fn continues(&mut self) -> &mut [Bit] {
        let [first, second] = self.before.map(|n| n.min(BEFORE - 1));
        self.number(CONTINUES + first * BEFORE + second)
    }

    /// Returns the model of the passages of a section, given its number of vectors. Moves on to the
    /// next section.
    fn passages(&mut self, vectors: u32) -> &mut [Bit] {
        let n = vectors as usize;
        let model = OF_PASSAGES + n.min(VECTORS - 1) * PLACES + self.place.min(PLACES - 1);
        (self.place, self.before) = (self.place + 1, [self.before[1], n]);
        self.number(model)
    }
}

/// Packs the output of [`super::Structure::to_bytes`], perhaps with the models for ordered pages.
/// `None` for other bytes.
pub(crate) fn pack(raw: &[u8], is_ordered: bool) -> Option<Vec<u8>> {
    let mut reader = Reader::new(raw, WHAT);
    let mut column = |n: u32| (0..n).map(|_| reader.varint().ok()).collect::<Option<Vec<u32>>>();
    let counts = column(4)?;
    let [n_pages, n_sections, n_passages, _] = counts[..] else { return None };
    let (sections, vectors, owners) = (column(n_pages)?, column(n_sections)?, column(n_passages)?);
    let n_continuing = column(1)?[0];
    let continuing = column(n_continuing)?;
    let mut passages = vec![0; vectors.len()];
    let mut owner = 0;
    for gap in owners {
        owner += gap as usize;
        *passages.get_mut(owner)? += 1;
    }
    let mut continues = vec![0; vectors.len()];
    let mut section = 0;
    for gap in continuing {
        section += gap as usize;
        *continues.get_mut(section)? = 1;
    }
    let (mut models, mut encoder) = (Models::new(), Encoder::new());
    counts.iter().for_each(|&n| encoder.number(models.number(COUNTS), n));
    let mut all = vectors.into_iter().zip(passages).zip(continues);
    let mut before = is_ordered.then_some(0);
    for n in sections {
        encoder.number(models.sections(before), n);
        before = before.map(|_| n);
        models.page();
        for place in 1..=n {
            let ((vectors, passages), continues) = all.next()?;
            if place > 1 {
                encoder.number(models.continues(), continues);
            }
            encoder.number(models.vectors(place == n), vectors);
            encoder.number(models.passages(vectors), passages);
        }
    }
    all.next().is_none().then(|| encoder.finish())
}

/// Reverses [`pack`], to `raw_len` bytes. The allocation is bounded by `raw_len`.
///
/// # Errors
/// If no contents pack to these bytes. [`super::Structure::from_bytes`] checks the contents.
pub(crate) fn unpack(packed: &[u8], raw_len: usize, is_ordered: bool) -> Result<Vec<u8>, Error> {
    let (mut models, mut decoder) = (Models::new(), Decoder::new(packed));
    let [mut raw, mut vectors, mut owners, mut continuing] = [const { Vec::new() }; 4];
    let (mut n_continuing, mut n_pages) = (0, 0);
    for count in 0..4 {
        let n = decoder.number(models.number(COUNTS))?;
        put(&mut raw, n, &decoder, raw_len)?;
        n_pages = if count == 0 { n } else { n_pages };
    }
    let (mut gap, mut distance) = (0, 0);
    let mut before = is_ordered.then_some(0);
    for _ in 0..n_pages {
        let n = decoder.number(models.sections(before))?;
        before = before.map(|_| n);
        put(&mut raw, n, &decoder, raw_len)?;
        models.page();
        for place in 1..=n {
            if place > 1 && decoder.number(models.continues())? > 0 {
                put(&mut continuing, distance, &decoder, raw_len)?;
                (n_continuing, distance) = (n_continuing + 1, 0);
            }
            distance += 1;
            let of_vectors = decoder.number(models.vectors(place == n))?;
            put(&mut vectors, of_vectors, &decoder, raw_len)?;
            for _ in 0..decoder.number(models.passages(of_vectors))? {
                put(&mut owners, gap, &decoder, raw_len)?;
                gap = 0;
            }
            gap += 1;
        }
    }
    raw.extend(vectors);
    raw.extend(owners);
    put_varint(&mut raw, n_continuing);
    raw.extend(continuing);
    Ok(raw)
}

/// Appends a number to a column, and refuses a column longer than all contents.
#[inline(never)]
fn put(
    column: &mut Vec<u8>,
    number: u32,
    decoder: &Decoder<'_>,
    raw_len: usize,
) -> Result<(), Error> {
    put_varint(column, number);
    match decoder.is_beyond() || column.len() > raw_len {
        true => {
            Err(Error::malformed(WHAT, "the contents are shorter or longer than the header states"))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::numbers;
    use crate::structure::StructureBuilder;

    /// Returns pages of sections, each with its vectors and passages. A section of many vectors
    /// continues the previous one.
    fn raw(pages: &[Vec<(u32, u32)>]) -> Vec<u8> {
        let mut builder = StructureBuilder::default();
        for sections in pages {
            builder.page();
            for (place, &(n_vectors, n_passages)) in sections.iter().enumerate() {
                builder.section(n_vectors);
                if place > 0 && n_vectors > 300 {
                    builder.continues();
                }
                for _ in 0..n_passages {
                    builder.passage();
                }
            }
        }
        builder.finish().to_bytes()
    }

    proptest! {
        #[test]
        fn packing_can_be_reversed(
            pages in prop::collection::vec(
                prop::collection::vec((0u32..400, prop_oneof![0u32..4, 0u32..200]), 0..20),
                0..20,
            ),
            is_ordered: bool,
        ) {
            let raw = raw(&pages);
            let packed = pack(&raw, is_ordered).unwrap();
            prop_assert_eq!(unpack(&packed, raw.len(), is_ordered).unwrap(), raw.clone());
            // A truncated shard is refused, or decodes to other contents.
            if packed.len() > 16 {
                prop_assert_ne!(
                    unpack(&packed[..packed.len() / 2], raw.len(), is_ordered).ok(),
                    Some(raw.clone())
                );
            }
            prop_assert!(pack(&raw[..raw.len() - 1], is_ordered).is_none());
        }

        #[test]
        fn unpacked_bytes_are_bounded_and_can_be_packed_again(
            bytes: Vec<u8>, raw_len in 0usize..5000, is_ordered: bool,
        ) {
            if let Ok(raw) = unpack(&bytes, raw_len, is_ordered) {
                prop_assert!(raw.len() <= 4 * raw_len + 20);
                if let Some(packed) = pack(&raw, is_ordered) {
                    let again = unpack(&packed, raw.len(), is_ordered).unwrap();
                    prop_assert_eq!(pack(&again, is_ordered), Some(packed));
                }
            }
        }
    }

    #[test]
    fn vectors_predict_passages() {
        // A tenth of the sections, at random places, have four vectors and two passages. The last
        // section of each page is short.
        let section =
            |i: u32| if i.wrapping_mul(2_654_435_761) >> 16 < 6554 { (4, 2) } else { (1, 1) };
        let page = |page: u32| {
            (0..7).map(|i| if i == 6 { (0, 1) } else { section(7 * page + i) }).collect()
        };
        let raw = raw(&(0..2000).map(page).collect::<Vec<_>>());
        let (packed, before) =
            (pack(&raw, false).unwrap().len(), numbers::pack(&raw).unwrap().len());
        assert!(packed * 2 < before, "{packed} bytes, number by number {before}");
    }

    #[test]
    fn pages_of_equally_many_sections_take_few_bits_in_order() {
        // Blocks of 500 pages, of 1 to 20 sections.
        let page = |page: u32| vec![(0, 1); 1 + (page % 500 / 25) as usize];
        let raw = raw(&(0..5000).map(page).collect::<Vec<_>>());
        let [packed, ordered] = [false, true].map(|ordered| pack(&raw, ordered).unwrap().len());
        assert!(ordered * 2 < packed, "{ordered} bytes, not in order {packed}");
    }
}
