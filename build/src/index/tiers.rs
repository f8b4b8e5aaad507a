//! Which postings of an everyday word are its first tier: those that a query is ranked by, where not every match counts.
//!
//! A word of every other page would be most of what a query fetches, and says little of where the answer is. Its first tier has the passages
//! where it counts most: by their weighted frequency in BM25F, and among equals those of pages chosen by a hash, since those of the first pages would favour these.

use std::borrow::Cow;

use findling_bundle::{Field, PageId, PassageId, Posting, Structure, hash128};
use findling_engine::Bm25fParams;

use crate::page::Page;

/// Postings of passages in a first tier: so many, some 3 kB, and of more than eight times as many this share.
const FIRST: usize = 3_000;
const SHARE: usize = 8;

/// How many of a word's postings of passages are in the first tier.
pub fn n_first(n: usize) -> usize {
    n.min(FIRST.max(n / SHARE))
}

/// Cuts lists of postings in two.
pub struct Tiers<'a> {
    /// Which passages are whose.
    pub structure: &'a Structure,
    /// By page: its place among equals.
    places: Vec<u32>,
    /// Weight, share of the length and mean length of text and code.
    fields: [(f32, f32, f32); 2],
}

impl<'a> Tiers<'a> {
    /// `mean_len` is by field.
    pub fn new(pages: &[Page], structure: &'a Structure, mean_len: &[f32; 6]) -> Self {
        let place = |page: &Page| {
            let [a, b, c, d, ..] = hash128(page.id.as_bytes());
            u32::from_le_bytes([a, b, c, d])
        };
        let params = Bm25fParams::default();
        let fields = [Field::Body, Field::Code].map(|field| {
            let of = params.fields[field as usize];
            // To the next power of two, so that an edit elsewhere seldom moves the cut of a word that it has nothing to do with.
            let mean = mean_len[field as usize].max(1.0).log2().round().exp2();
            (of.weight, of.b, mean)
        });
        Self { structure, places: pages.iter().map(place).collect(), fields }
    }

    /// The first tier and the second of a word's postings of passages; each ascends, as `postings` do.
    pub fn split<'p>(&self, postings: &'p [Posting]) -> [Cow<'p, [Posting]>; 2] {
        let n_first = n_first(postings.len());
        if n_first == postings.len() {
            return [Cow::Borrowed(postings), Cow::Borrowed(&[])];
        }
        let mut best: Vec<(f32, u32, usize)> = postings
            .iter()
            .enumerate()
            .map(|(at, posting)| {
                let PageId(page) = self.structure.page_of(self.structure.section_of(PassageId(posting.id)));
                (self.frequency(posting), self.places[page as usize], at)
            })
            .collect();
        let by_worth = |a: &(f32, u32, usize), b: &(f32, u32, usize)| {
            b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        };
        best.select_nth_unstable_by(n_first, by_worth);
        let mut is_first = vec![false; postings.len()];
        best[..n_first].iter().for_each(|&(.., at)| is_first[at] = true);
        let tier = |wanted: bool| {
            let of_tier = postings.iter().zip(&is_first).filter(|&(_, &is_first)| is_first == wanted);
            Cow::Owned(of_tier.map(|(posting, _)| *posting).collect())
        };
        [tier(true), tier(false)]
    }

    /// The weighted frequency, each field normalised by its length (BM25F).
    fn frequency(&self, posting: &Posting) -> f32 {
        let fields = posting.tf.iter().zip(posting.len).zip(self.fields);
        fields
            .map(|((&tf, len), (weight, b, mean))| tf as f32 * weight / (1.0 - b + b * len as f32 / mean))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use findling_bundle::Level;
    use findling_bundle::structure::StructureBuilder;
    use proptest::prelude::*;

    use super::*;

    /// One passage a page.
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
        fn the_first_tier_is_where_the_word_counts_most(n in 2_000usize..30_000, seed: u32) {
            let structure = structure(n);
            let tiers = Tiers::new(&pages(n), &structure, &MEANS);
            let random = |id: u32| (id ^ seed).wrapping_mul(2_654_435_761) >> 8;
            let posting = |id: u32| {
                let len = [20 + random(id) % 300, random(id + 1) % 40];
                Posting::new(Level::Passage, id, [1 + random(id + 2) % 3, random(id + 3) % 2], len)
            };
            let postings: Vec<Posting> = (0..n as u32).map(posting).collect();
            let [first, second] = tiers.split(&postings);
            prop_assert_eq!(first.len(), n.min(FIRST.max(n / SHARE)));
            prop_assert!(first.is_sorted_by_key(|posting| posting.id) && second.is_sorted_by_key(|posting| posting.id));
            let mut both: Vec<Posting> = first.iter().chain(&*second).copied().collect();
            both.sort_unstable_by_key(|posting| posting.id);
            prop_assert_eq!(&both, &postings);
            let least = first.iter().map(|posting| tiers.frequency(posting)).fold(f32::INFINITY, f32::min);
            prop_assert!(second.iter().all(|posting| tiers.frequency(posting) <= least));
        }
    }

    #[test]
    fn a_page_more_elsewhere_moves_nothing() {
        let n = 2 * FIRST;
        let alike = |id: usize| Posting::new(Level::Passage, id as u32, [1, 0], [100, 0]);
        let first = |pages: &[Page], mean: f32, ids: &[usize]| -> Vec<String> {
            let (structure, mut means) = (structure(pages.len()), MEANS);
            means[Field::Body as usize] = mean;
            let postings: Vec<Posting> = ids.iter().map(|&id| alike(id)).collect();
            let [first, _] = Tiers::new(pages, &structure, &means).split(&postings);
            first.iter().map(|posting| pages[posting.id as usize].id.clone()).collect()
        };
        let before = first(&pages(n), 100.0, &(0..n).collect::<Vec<_>>());
        assert_ne!(before[FIRST - 1], format!("page {}", FIRST - 1), "not the first pages");
        // A page in front that does not have the word, and passages that are a little longer in the mean.
        let mut more = vec![Page { id: "new".into(), ..Page::default() }];
        more.extend(pages(n));
        assert_eq!(first(&more, 101.0, &(1..=n).collect::<Vec<_>>()), before);
    }
}
