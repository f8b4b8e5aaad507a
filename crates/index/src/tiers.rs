//! Chooses the first tier of a common term: the postings that rank a query if not every match is
//! needed.
//!
//! A term on every second page hardly helps to find the answer, but its postings would be the
//! largest part of a query's download. In generated documentation such terms also occur in the
//! headings of every third section. On each level, the first tier has the postings with the highest
//! weighted frequency in BM25F. So short titles and headings come before long ones, and these
//! before paths and the headings above. Ties are broken by a hash of the page, because page order
//! would favour the first pages.

use std::borrow::Cow;

use findling_bundle::{Level, PageId, PassageId, Posting, SectionId, Structure, hash128};
use findling_engine::Bm25fParams;

use findling_page::page::Page;

/// Number of postings in a first tier, by [`Level`]. Postings of pages are cheap, and each covers
/// many passages.
const FIRST: [usize; 3] = [24_000, 5_000, 3_000];
/// For a term with very many passages, the first tier holds one in this number of them, if that is
/// more.
const SHARE: usize = 16;

/// Returns the number of a term's `n` postings on a level that are in the first tier. This also
/// holds for keys: if that many pages share a name, a query for the name does not mean any of them
/// in particular.
pub fn n_first(level: Level, n: usize) -> usize {
    let first = FIRST[level as usize];
    n.min(if level == Level::Passage { first.max(n / SHARE) } else { first })
}

/// Divides lists of postings into tiers.
pub struct Tiers<'a> {
    /// The sections and pages of passages.
    pub structure: &'a Structure,
    /// Each page's rank for breaking ties.
    places: Vec<u32>,
    /// The weight, the influence of the length (`b` of BM25F) and the mean length of each field.
    fields: [(f32, f32, f32); 6],
}

impl<'a> Tiers<'a> {
    /// Prepares to divide the postings of these pages. `mean_len` has the mean length of each
    /// field.
    pub fn new(pages: &[Page], structure: &'a Structure, mean_len: &[f32; 6]) -> Self {
        let place = |page: &Page| {
            let [a, b, c, d, ..] = hash128(page.id.as_bytes());
            u32::from_le_bytes([a, b, c, d])
        };
        let params = Bm25fParams::default();
        let fields = std::array::from_fn(|field| {
            let of = params.fields[field];
            // The number is rounded to a power of two, so that an edit seldom changes the tiers of
            // terms that it does not affect.
            let mean = mean_len[field].max(1.0).log2().round().exp2();
            (of.weight, of.b, mean)
        });
        Self { structure, places: pages.iter().map(place).collect(), fields }
    }

    /// Returns the settings that, together with the postings, decide the tiers.
    pub fn settings(&self) -> impl Iterator<Item = f32> {
        self.fields.iter().flat_map(|&(weight, b, mean)| [weight, b, mean])
    }

    /// Divides a term's postings on a level into the first and the second tier, each sorted by id
    /// as `postings` is.
    pub fn split<'p>(&self, level: Level, postings: &'p [Posting]) -> [Cow<'p, [Posting]>; 2] {
        let n_first = n_first(level, postings.len());
        if n_first == postings.len() {
            return [Cow::Borrowed(postings), Cow::Borrowed(&[])];
        }
        let mut best: Vec<(f32, u32, usize)> = postings
            .iter()
            .enumerate()
            .map(|(at, posting)| {
                let PageId(page) = match level {
                    Level::Page => PageId(posting.id),
                    Level::Section => self.structure.page_of(SectionId(posting.id)),
                    Level::Passage => {
                        self.structure.page_of(self.structure.section_of(PassageId(posting.id)))
                    }
                };
                (self.frequency(level, posting), self.places[page as usize], at)
            })
            .collect();
        let by_worth = |a: &(f32, u32, usize), b: &(f32, u32, usize)| {
            b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        };
        best.select_nth_unstable_by(n_first, by_worth);
        let mut is_first = vec![false; postings.len()];
        best[..n_first].iter().for_each(|&(.., at)| is_first[at] = true);
        let tier = |wanted: bool| {
            let of_tier =
                postings.iter().zip(&is_first).filter(|&(_, &is_first)| is_first == wanted);
            Cow::Owned(of_tier.map(|(posting, _)| *posting).collect())
        };
        [tier(true), tier(false)]
    }

    /// Returns the weighted frequency in the two fields of a level, each normalised by its length
    /// (BM25F).
    fn frequency(&self, level: Level, posting: &Posting) -> f32 {
        let fields = posting.tf.iter().zip(posting.len).zip(&self.fields[2 * level as usize..]);
        fields
            .map(|((&tf, len), (weight, b, mean))| {
                tf as f32 * weight / (1.0 - b + b * len as f32 / mean)
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use findling_bundle::Field;
    use findling_bundle::structure::StructureBuilder;
    use proptest::prelude::*;

    use super::*;

    /// Returns pages of one section with one passage, so that ids are the same on each level.
    fn structure(n: usize) -> Structure {
        let mut builder = StructureBuilder::default();
        for _ in 0..n {
            builder.page();
            builder.section(0);
            builder.passage();
        }
        builder.finish()
    }

    fn pages(n: usize) -> Vec<Page> {
        (0..n).map(|i| Page { id: format!("page {i}"), ..Page::default() }).collect()
    }

    const MEANS: [f32; 6] = [4.0, 4.0, 4.0, 4.0, 100.0, 20.0];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn the_first_tier_has_the_postings_that_score_highest(
            n in 2_000usize..60_000,
            level in 0usize..3,
            seed: u32,
        ) {
            let (structure, level) = (structure(n), Level::ALL[level]);
            let tiers = Tiers::new(&pages(n), &structure, &MEANS);
            let random = |id: u32| (id ^ seed).wrapping_mul(2_654_435_761) >> 8;
            let posting = |id: u32| {
                let len = [20 + random(id) % 300, random(id + 1) % 40];
                let tf = [random(id + 2) % 3, random(id + 3) % 2];
                Posting::new(level, id, if tf == [0, 0] { [1, 0] } else { tf }, len)
            };
            let postings: Vec<Posting> = (0..n as u32).map(posting).collect();
            let [first, second] = tiers.split(level, &postings);
            prop_assert_eq!(first.len(), n.min([24_000, 5_000, 3_000.max(n / 16)][level as usize]));
            prop_assert!(first.is_sorted_by_key(|posting| posting.id));
            prop_assert!(second.is_sorted_by_key(|posting| posting.id));
            let mut both: Vec<Posting> = first.iter().chain(&*second).copied().collect();
            both.sort_unstable_by_key(|posting| posting.id);
            prop_assert_eq!(&both, &postings);
            let frequency = |posting| tiers.frequency(level, posting);
            let least = first.iter().map(frequency).fold(f32::INFINITY, f32::min);
            prop_assert!(second.iter().all(|posting| frequency(posting) <= least));
        }
    }

    /// Returns the ids in the first tier of a term with `n` postings.
    fn first_ids(level: Level, n: usize, posting: impl Fn(u32) -> Posting) -> Vec<u32> {
        let structure = structure(n);
        let postings: Vec<Posting> = (0..n as u32).map(posting).collect();
        let [first, _] = Tiers::new(&pages(n), &structure, &MEANS).split(level, &postings);
        first.iter().map(|posting| posting.id).collect()
    }

    #[test]
    fn short_headings_come_first_and_the_headings_above_last() {
        let few = |id: u32| (id as usize).is_multiple_of(4);
        for level in [Level::Page, Level::Section] {
            let n = 3 * FIRST[level as usize];
            let own = first_ids(level, n, |id| {
                let tf = if few(id) { [1, 0] } else { [0, 1] };
                Posting::new(level, id, tf, [9, 0])
            });
            assert_eq!(
                own.iter().filter(|&&id| few(id)).count(),
                n / 4,
                "those of its own are all there"
            );
            let short = first_ids(level, n, |id| {
                Posting::new(level, id, [1, 0], [if few(id) { 2 } else { 3 }, 0])
            });
            assert_eq!(short.iter().filter(|&&id| few(id)).count(), n / 4);
        }
    }

    #[test]
    fn a_page_more_elsewhere_moves_nothing() {
        for (level, field) in
            Level::ALL.into_iter().zip([Field::Title, Field::Heading, Field::Body])
        {
            let n = 2 * FIRST[level as usize];
            let alike = |id: usize| Posting::new(level, id as u32, [1, 0], [100, 0]);
            let first = |pages: &[Page], mean: f32, ids: &[usize]| -> Vec<String> {
                let (structure, mut means) = (structure(pages.len()), MEANS);
                means[field as usize] = mean;
                let postings: Vec<Posting> = ids.iter().map(|&id| alike(id)).collect();
                let [first, _] = Tiers::new(pages, &structure, &means).split(level, &postings);
                first.iter().map(|posting| pages[posting.id as usize].id.clone()).collect()
            };
            let before = first(&pages(n), 100.0, &(0..n).collect::<Vec<_>>());
            assert_ne!(before[n / 2 - 1], format!("page {}", n / 2 - 1), "not the first pages");
            // A new first page without the term, and slightly longer mean lengths.
            let mut more = vec![Page { id: "new".into(), ..Page::default() }];
            more.extend(pages(n));
            assert_eq!(first(&more, 101.0, &(1..=n).collect::<Vec<_>>()), before);
        }
    }
}
