//! The rules that need all pages of a site, in their order, and a count of the words that were left
//! out.

use std::collections::BTreeMap;

use super::left_out::Rule;
use super::{Options, Outcome, Problem, RawPage, conversations, papers, site};

/// The words that a rule left out of the pages of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostWords {
    /// The rule.
    pub rule: Rule,
    /// Number of visible words.
    pub words: u64,
    /// Number of pages.
    pub pages: usize,
}

/// Returns the words that each rule left out of pages, most words first.
pub(super) fn lost_words(pages: &[RawPage]) -> Vec<LostWords> {
    let mut found: BTreeMap<Rule, LostWords> = BTreeMap::new();
    for (rule, words) in pages.iter().flat_map(|raw| raw.lost.by_words()) {
        let sum = found.entry(rule).or_insert(LostWords { rule, words: 0, pages: 0 });
        sum.words += words;
        sum.pages += 1;
    }
    let mut found: Vec<LostWords> = found.into_values().collect();
    found.sort_by_key(|lost| (std::cmp::Reverse(lost.words), lost.rule));
    found
}

/// Applies the rules that need all pages of a site.
pub(super) fn finish(
    mut outcomes: Vec<Outcome>,
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<RawPage> {
    clean(&mut outcomes, options, on_problem);
    finish_clean(outcomes, options, on_problem)
}

/// Leaves out the text that many pages of a site share. Pages to which this was already applied
/// stay as they are.
pub(super) fn clean(
    outcomes: &mut [Outcome],
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) {
    let pages = outcomes.iter_mut().flat_map(|outcome| &mut outcome.pages);
    let mut pages: Vec<&mut RawPage> = pages.filter(|raw| raw.hints.is_some()).collect();
    site::clean(&mut pages, options, on_problem);
    for outcome in outcomes {
        outcome.pages.retain(|raw| !raw.is_dropped);
        for raw in &mut outcome.pages {
            if raw.hints.take().is_some()
                && let Some(scratch) = &options.scratch
            {
                raw.page.stow(scratch);
            }
        }
    }
}

/// Applies the other rules that need all pages of a site.
pub(super) fn finish_clean(
    outcomes: Vec<Outcome>,
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<RawPage> {
    let mut pages = Vec::with_capacity(outcomes.iter().map(|outcome| outcome.pages.len()).sum());
    for outcome in outcomes {
        outcome.problems.into_iter().for_each(&mut *on_problem);
        pages.extend(outcome.pages);
    }
    papers::join(&mut pages);
    conversations::join(&mut pages);
    site::finish(pages, options, on_problem)
}
