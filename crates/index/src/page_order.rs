//! The order in which pages are numbered. A first build takes the site's order. A rebuild keeps the
//! numbers of the previous build: a new page gets a number at the end, and the last page takes the
//! number of a page that is gone. All other numbers stay, and with them most of the shards that
//! contain page numbers.
//!
//! In a large site, pages with equal numbers of sections are adjacent within blocks of about
//! [`BLOCK`] pages. The structure, which every reader fetches, then takes a third of its bytes.

use std::collections::HashMap;

use findling_bundle::structure::MIN_ORDERED_PAGES;
use findling_bundle::{Addresses, addresses};

use findling_page::page::Page;

/// The site's order is restored if more than one page in this number no longer follows its
/// neighbour. Neighbours have words in common, so lists are shorter in the site's order.
const MAX_MOVED: usize = 8;

/// Mean number of pages in a block. In larger blocks, data is farther from the pages that it
/// describes. Each doubling saves a tenth of the structure.
const BLOCK: u32 = 1024;

/// Puts the pages of each block of a large site in the order of their numbers of sections.
/// Addresses decide where blocks begin, so that an additional page moves no other block.
pub fn by_sections(pages: &mut [Page]) {
    if pages.len() as u64 >= u64::from(MIN_ORDERED_PAGES) {
        sort_blocks(pages, BLOCK);
    }
}

fn sort_blocks(pages: &mut [Page], mean: u32) {
    let begins = |page: &Page| addresses::hash_of(&page.url).is_multiple_of(mean);
    for block in pages.chunk_by_mut(|_, next| !begins(next)) {
        block.sort_by_key(|page| page.sections.len());
    }
}

/// Puts pages into the order of the previous build, whose addresses are given.
pub fn keep(pages: Vec<Page>, earlier: &Addresses) -> Vec<Page> {
    let places = places(&pages, earlier);
    let moved = places.windows(2).filter(|pair| pair[0] + 1 != pair[1]).count();
    if moved > pages.len() / MAX_MOVED {
        return pages;
    }
    let mut pages: Vec<Option<Page>> = pages.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| pages.get_mut(place)?.take()).collect()
}

/// Returns, for each page number, the index of the page that gets it. The index is the page's place
/// in the site's order.
fn places(pages: &[Page], earlier: &Addresses) -> Vec<usize> {
    let mut had: HashMap<u32, Vec<usize>> = HashMap::new();
    for (number, &hash) in earlier.urls().iter().enumerate().rev() {
        had.entry(hash).or_default().push(number);
    }
    let mut numbers: Vec<Option<usize>> = vec![None; pages.len()];
    // Pages whose old number is now too large, in the order of these numbers; then new pages.
    let (mut beyond, mut new) = (Vec::new(), Vec::new());
    for (place, page) in pages.iter().enumerate() {
        match had.get_mut(&addresses::hash_of(&page.url)).and_then(Vec::pop) {
            Some(number) if number < pages.len() => numbers[number] = Some(place),
            Some(number) => beyond.push((number, place)),
            None => new.push(place),
        }
    }
    beyond.sort_unstable();
    let mut others = beyond.into_iter().map(|(_, place)| place).chain(new);
    numbers.into_iter().filter_map(|place| place.or_else(|| others.next())).collect()
}

#[cfg(test)]
mod tests {
    use findling_bundle::Stats;

    use super::*;

    fn pages(urls: impl IntoIterator<Item = String>) -> Vec<Page> {
        urls.into_iter().map(|url| Page { id: url.clone(), url, ..Page::default() }).collect()
    }

    fn addresses_of(pages: &[Page]) -> Addresses {
        let raw = addresses::write(pages.iter().map(|page| (page.id.as_str(), page.url.as_str())));
        let stats = Stats { n_pages: pages.len() as u32, ..Stats::default() };
        Addresses::from_bytes(&raw, &stats).unwrap()
    }

    /// Orders a site with these addresses, built over a bundle whose pages are in the order
    /// `before`. Checks that each page occurs once.
    fn check(now: impl IntoIterator<Item = String>, before: &[Page]) -> Vec<Page> {
        let mut now: Vec<String> = now.into_iter().collect();
        now.sort();
        let kept = keep(pages(now.clone()), &addresses_of(before));
        let mut same: Vec<String> = kept.iter().map(|page| page.url.clone()).collect();
        same.sort();
        assert_eq!(same, now, "every page, once");
        kept
    }

    fn url(i: usize) -> String {
        format!("/page{i:03}")
    }

    #[test]
    fn numbers_stay_where_pages_come_in_and_go() {
        let before = pages((0..100).map(url));
        let same = check((0..100).map(url), &before);
        assert_eq!(same, before);
        let added = check((0..100).map(url).chain(["/page050-more".to_owned()]), &before);
        assert_eq!((&added[..100], &added[100].url[..]), (&before[..], "/page050-more"));
        let gone = check(
            (0..100).filter(|&i| i != 30).map(url).chain(["/page050-more".to_owned()]),
            &added,
        );
        assert_eq!(gone[30].url, "/page050-more", "the last takes the place that is free");
        assert_eq!(gone[31..], before[31..]);
        let renamed =
            check((0..100).filter(|&i| i != 30).map(url).chain(["/other".to_owned()]), &before);
        assert_eq!(renamed[30].url, "/other");
        let fewer = check((0..97).map(url), &before);
        assert_eq!(fewer, before[..97]);
    }

    #[test]
    fn pages_of_a_block_stand_by_their_sections() {
        let site = |n: usize| -> Vec<Page> {
            let page = |(i, page): (usize, Page)| Page {
                sections: vec![Default::default(); 1 + i * 7919 % 5],
                ..page
            };
            pages((0..n).map(url)).into_iter().enumerate().map(page).collect()
        };
        let mut sorted = site(900);
        sort_blocks(&mut sorted, 100);
        let descents =
            sorted.windows(2).filter(|pair| pair[0].sections.len() > pair[1].sections.len());
        let n = descents.count();
        assert!((3..30).contains(&n), "{n} blocks");
        // A block without changes stays the same.
        let mut more = site(900);
        more.insert(0, Page { url: "/first".to_owned(), ..Page::default() });
        sort_blocks(&mut more, 100);
        assert_eq!(more[500..], sorted[499..]);
        let mut small = site(900);
        by_sections(&mut small);
        assert!(small == site(900), "a small site stays in its order");
    }

    #[test]
    fn a_site_that_is_quite_another_is_ordered_anew() {
        let before = pages((0..100).rev().map(url));
        assert_eq!(check((0..100).map(url), &before), pages((0..100).map(url)));
        let before = pages((0..100).map(url));
        let all = || (0..100).map(|i| format!("/other{i:03}"));
        assert_eq!(check(all(), &before), pages(all()));
    }
}
