//! Copies: the same page in several versions of a documentation. Results show only one of them.
//!
//! Pages are copies if they have the same title and language, and if at least five in six of the
//! runs of words that occur in one of them occur in both. Pages without a title must have exactly
//! the same words. The number of a group is an attribute ([`findling_engine::COPY`]); the engine
//! shows the best page of a group, after filtering.

use std::collections::{BTreeMap, HashSet};
use std::io;

use findling_bundle::AttributeValue;
use findling_engine::COPY;
use rayon::prelude::*;

use findling_page::page::Page;

/// Words of a run.
const RUN: usize = 4;
/// Number of runs in the sample of a page: the runs with the smallest hashes, so that equal texts
/// have equal samples.
const SKETCH: usize = 256;
/// Smallest similarity (Jaccard) of copies: of the runs in at least one sample, the share in both.
const ALIKE: f64 = 5.0 / 6.0;
/// Largest number of groups with one title that a page is compared with.
const MAX_GROUPS: usize = 256;

/// Marks copies and returns how many pages are a copy of another. Pages that declare their own
/// group stay as they are.
///
/// # Errors
/// If texts that are not in memory cannot be read.
pub fn mark(pages: &mut [Page]) -> io::Result<usize> {
    let mut by_title: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (place, page) in pages.iter().enumerate() {
        if !page.attributes.contains_key(COPY) {
            by_title.entry((&page.title, &page.language)).or_default().push(place);
        }
    }
    let candidates: Vec<(bool, Vec<usize>)> = by_title
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|((title, _), places)| (title.is_empty(), places))
        .collect();
    let found: Vec<Vec<Vec<usize>>> = candidates
        .par_iter()
        .map(|(untitled, places)| groups(pages, places, *untitled))
        .collect::<io::Result<_>>()?;
    let mut groups: Vec<Vec<usize>> = found.into_iter().flatten().collect();
    groups.sort();
    let mut n_copies = 0;
    // Numbers continue after the numbers that pages declare.
    let own = pages.iter().filter_map(|page| match page.attributes.get(COPY) {
        // Larger numbers have no exact successor.
        Some(AttributeValue::Number(number)) if *number < 1e15 => Some(number.floor() + 1.0),
        _ => None,
    });
    let first = own.fold(0.0, f64::max);
    for (n_before, group) in groups.iter().enumerate() {
        // Groups are numbered in the order of their first pages, so that all versions have them in
        // the same order. The stored differences are then small.
        let number = AttributeValue::Number(first + n_before as f64);
        n_copies += group.len() - 1;
        for &place in group {
            pages[place].attributes.insert(COPY.into(), number.clone());
            pages[place].sort_only.push(COPY.into());
        }
    }
    Ok(n_copies)
}

/// Returns the groups of two and more among pages of one title.
fn groups(pages: &[Page], places: &[usize], untitled: bool) -> io::Result<Vec<Vec<usize>>> {
    let mut groups: Vec<(Sketch, Vec<usize>)> = Vec::new();
    for &place in places {
        let sketch = Sketch::of(&*pages[place].whole()?);
        // Pages without words do not count as copies of each other.
        if sketch.n_words == 0 {
            continue;
        }
        let same = groups.iter().position(|(first, _)| match untitled {
            true => *first == sketch,
            false => first.alike(&sketch) >= ALIKE,
        });
        match same {
            Some(at) => groups[at].1.push(place),
            None if groups.len() < MAX_GROUPS => groups.push((sketch, vec![place])),
            None => {}
        }
    }
    Ok(groups.into_iter().map(|(_, group)| group).filter(|group| group.len() > 1).collect())
}

/// A sample of the runs of words of a page (MinHash).
#[derive(PartialEq)]
struct Sketch {
    /// Hashes of the sample, ascending.
    runs: Vec<u64>,
    n_words: usize,
    /// Hash of all words in order.
    whole: u64,
}

impl Sketch {
    fn of(page: &Page) -> Self {
        let mut words = Vec::new();
        for section in &page.sections {
            let blocks = section.blocks.iter().map(|block| block.text.as_str());
            for text in std::iter::once(section.heading.as_str()).chain(blocks) {
                words.extend(text.split_whitespace().map(|word| hash(word.bytes())));
            }
        }
        let join = |words: &[u64]| hash(words.iter().flat_map(|word| word.to_le_bytes()));
        let runs: HashSet<u64> = words.windows(RUN.min(words.len()).max(1)).map(join).collect();
        let mut runs: Vec<u64> = runs.into_iter().collect();
        runs.sort_unstable();
        runs.truncate(SKETCH);
        Self { runs, n_words: words.len(), whole: join(&words) }
    }

    /// Returns the estimated similarity of two pages from their smallest hashes: of the runs in at
    /// least one page, the share in both.
    fn alike(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        let (mut both, mut either) = (0, 0);
        while either < SKETCH {
            match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(one), Some(another)) if one == another => {
                    both += 1;
                    a.next();
                    b.next();
                }
                (Some(one), Some(another)) if one < another => drop(a.next()),
                (Some(_), None) => drop(a.next()),
                _ => drop(b.next()),
            }
            either += 1;
        }
        f64::from(both) / either.max(1) as f64
    }
}

/// Returns the FNV-1a hash with its bits mixed, so that the smallest hashes are an even sample.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ mixed >> 33
}

#[cfg(test)]
mod tests {
    use super::*;
    use findling_page::page::{Block, Section};

    fn page(title: &str, text: &str) -> Page {
        let block = Block { text: text.into(), code: vec![], is_code_block: false, weight: 1.0 };
        let sections = vec![Section { blocks: vec![block], ..Section::default() }];
        Page { title: title.into(), sections, ..Page::default() }
    }

    fn check(pages: &[Page], expect: &[Option<f64>]) {
        let mut pages = pages.to_vec();
        let n_copies = mark(&mut pages).unwrap();
        let found: Vec<Option<f64>> = pages
            .iter()
            .map(|page| match page.attributes.get(COPY) {
                Some(AttributeValue::Number(group)) => Some(*group),
                _ => None,
            })
            .collect();
        assert_eq!(found, expect);
        let groups: HashSet<u64> = found.iter().flatten().map(|group| group.to_bits()).collect();
        assert_eq!(n_copies, found.iter().flatten().count() - groups.len());
    }

    fn long(n: usize) -> String {
        (0..n).map(|i| format!("word{} ", i * 7)).collect()
    }

    #[test]
    fn versions_of_a_page_are_copies() {
        let new = long(600).replace("word2100 ", "changed ");
        let other = long(900).split_off(3000);
        check(
            &[
                page("A", &long(600)),
                page("B", "else"),
                page("A", &new),
                page("A", &other),
                page("A", &long(600)),
            ],
            &[Some(0.0), None, Some(0.0), None, Some(0.0)],
        );
    }

    #[test]
    fn other_titles_languages_and_texts_are_not() {
        let german = Page { language: "de".into(), ..page("A", &long(50)) };
        check(&[page("A", &long(50)), page("B", &long(50)), german], &[None; 3]);
        check(&[page("A", &long(50)), page("A", &long(40))], &[None; 2]);
        check(&[page("A", ""), page("A", "")], &[None; 2]);
        check(
            &[page("A", "one two"), page("A", "one two"), page("A", "two one")],
            &[Some(0.0), Some(0.0), None],
        );
    }

    #[test]
    fn without_a_title_only_the_very_same_is() {
        check(
            &[page("", &long(50)), page("", &long(50)), page("", &long(51))],
            &[Some(0.0), Some(0.0), None],
        );
    }

    #[test]
    fn what_a_page_says_of_itself_stays() {
        let mut own = page("A", &long(50));
        own.attributes.insert(COPY.into(), AttributeValue::Number(7.0));
        check(
            &[own, page("A", &long(50)), page("A", &long(50))],
            &[Some(7.0), Some(8.0), Some(8.0)],
        );
    }
}
