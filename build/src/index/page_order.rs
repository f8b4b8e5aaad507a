//! In which order pages are numbered: that of the site, and where a bundle is built again, the
//! order they had there. A page that comes in then stands at the end, and the last page where one
//! goes, so that the numbers of all others stay, and with them most of the shards that name pages.

use std::collections::HashMap;

use findling_bundle::{Addresses, addresses};

use crate::page::Page;

/// Pages go back into the site's order where more than one in so many no longer stands behind its
/// neighbour: what neighbours have in common makes lists shorter.
const MOST_MOVED: usize = 8;

/// Puts pages into the order they had, as far as that is told by the addresses of the bundle that
/// is built again.
pub fn keep(pages: Vec<Page>, earlier: &Addresses) -> Vec<Page> {
    let places = places(&pages, earlier);
    let moved = places.windows(2).filter(|pair| pair[0] + 1 != pair[1]).count();
    if moved > pages.len() / MOST_MOVED {
        return pages;
    }
    let mut pages: Vec<Option<Page>> = pages.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| pages.get_mut(place)?.take()).collect()
}

/// For each number the place in the site's order of the page that gets it.
fn places(pages: &[Page], earlier: &Addresses) -> Vec<usize> {
    let mut had: HashMap<u32, Vec<usize>> = HashMap::new();
    for (number, &hash) in earlier.urls().iter().enumerate().rev() {
        had.entry(hash).or_default().push(number);
    }
    let mut numbers: Vec<Option<usize>> = vec![None; pages.len()];
    // Those whose number is beyond the last now, in its order, then those that come in.
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

    /// What a site of these addresses is ordered as, built over a bundle whose pages stand in that
    /// order.
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
    fn a_site_that_is_quite_another_is_ordered_anew() {
        let before = pages((0..100).rev().map(url));
        assert_eq!(check((0..100).map(url), &before), pages((0..100).map(url)));
        let before = pages((0..100).map(url));
        let all = || (0..100).map(|i| format!("/other{i:03}"));
        assert_eq!(check(all(), &before), pages(all()));
    }
}
