//! Cutting the sorted terms into ranges, each of which becomes a terms shard.

use findling_bundle::Level;
use findling_text::keys::{is_key, split_form, split_name};
use rayon::prelude::*;

use super::batch_index::TermPart;
use super::term_plan::TermInfo;
use crate::tiers;
use findling_page::shard_cutter::ShardCutter;

/// A term, with its postings in each batch that contains it.
pub type Term<'a> = (&'a str, &'a [TermPart<'a>]);

/// Bytes that a range of terms takes in the manifest. Together with [`RANGES_PER_QUERY`] it decides
/// the size of ranges.
const BYTES_PER_RANGE: usize = 5;

/// Ranges that a typical query fetches.
const RANGES_PER_QUERY: usize = 6;

/// Smallest size that a range is cut to.
const MIN_RANGE_BYTES: usize = 1200;

/// Keys of a term stay in the term's range up to one part in this number of the range's size.
const KEYS_SHARE: usize = 4;

/// Drops the word-form keys of terms that have only one form: such a key finds the same as the
/// term.
/// `terms` must be sorted.
pub fn drop_lone_forms(terms: &mut Vec<TermInfo<'_>>) {
    let term_of = |key: &str| split_form(key).map(|(term, _)| term.len());
    let same = |a: &str, b: &str| {
        term_of(a).is_some_and(|len| term_of(b) == Some(len) && a[..len] == b[..len])
    };
    let keeps: Vec<bool> = (0..terms.len())
        .into_par_iter()
        .map(|i| {
            let key = terms[i].term;
            term_of(key).is_none()
                || i > 0 && same(key, terms[i - 1].term)
                || terms.get(i + 1).is_some_and(|next| same(key, next.term))
        })
        .collect();
    let mut keeps = keeps.into_iter();
    terms.retain(|_| keeps.next().unwrap_or(true));
}

/// Drops the name keys of titles and headings that are found by their words alone, because their
/// first word has no second tier. `terms` must be sorted.
pub fn drop_plain_names(terms: &mut Vec<TermInfo<'_>>) {
    let has_second_tier = |term: &str| {
        let Ok(at) = terms.binary_search_by_key(&term, |info| info.term) else { return false };
        [Level::Page, Level::Section].into_iter().any(|level| {
            let n = terms[at].n_postings[level as usize] as usize;
            tiers::n_first(level, n) < n
        })
    };
    let keeps: Vec<bool> = terms
        .par_iter()
        .map(|info| {
            split_name(info.term)
                .is_none_or(|(first, _)| info.is_searched_for || has_second_tier(first))
        })
        .collect();
    let mut keeps = keeps.into_iter();
    terms.retain(|_| keeps.next().unwrap_or(true));
}

/// Returns the index of the first term of each range, and the number of terms at the end.
///
/// The keys of a term stay in its range if they are short, because a query for the term may need
/// them too. Otherwise a large term would be alone in its range and its keys in another.
pub fn range_starts(terms: &[TermInfo<'_>]) -> Vec<usize> {
    let sizes: Vec<usize> = terms.par_iter().map(term_size).collect();
    let total: usize = sizes.iter().sum();
    let target =
        ShardCutter::best_target(total, BYTES_PER_RANGE, RANGES_PER_QUERY, MIN_RANGE_BYTES);
    let mut cutter = ShardCutter::new(target);
    let (mut range_starts, mut at) = (vec![0], 0);
    while let Some(TermInfo { term, .. }) = terms.get(at) {
        let mut keys = 0;
        let stays = |(TermInfo { term: key, .. }, size): &(&TermInfo<'_>, &usize)| {
            keys += **size;
            is_key(key) && key.starts_with(term) && keys <= target / KEYS_SHARE
        };
        let n = 1 + terms[at + 1..].iter().zip(&sizes[at + 1..]).take_while(stays).count();
        let before = at.checked_sub(1).map_or("", |at| terms[at].term);
        if cutter.cut_between(before, term, sizes[at..at + n].iter().sum()) {
            range_starts.push(at);
        }
        at += n;
    }
    range_starts.push(terms.len());
    range_starts
}

/// Estimates the number of bytes of a term in the terms shard.
fn term_size(info: &TermInfo<'_>) -> usize {
    let n_first =
        Level::ALL.map(|level| tiers::n_first(level, info.n_postings[level as usize] as usize));
    info.term.len() + 6 + 2 * n_first.iter().sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_keys_stay_in_the_range_of_their_term() {
        let info = |term, n: u32| TermInfo { term, n_postings: [0, 0, n], ..TermInfo::default() };
        let terms = [
            info("func", 3),
            info("function", 5000),
            info("function\u{1}function", 3),
            info("function\u{1}functions", 3),
            info("function\u{2}0", 5000),
            info("functional", 3),
        ];
        assert_eq!(
            range_starts(&terms),
            [0, 1, 4, 5, 6],
            "a large term keeps its short keys; a large key gets its own range"
        );
        let keys: Vec<String> = (0..200).map(|i| format!("function\u{2}{i:08}")).collect();
        let mut many = vec![info("function", 5000)];
        many.extend(keys.iter().map(|key| info(key, 3)));
        let range_starts = range_starts(&many);
        assert!(
            range_starts[1] > 1 && range_starts[1] < 40,
            "keys fill at most a part of a range: {range_starts:?}"
        );
    }
}
