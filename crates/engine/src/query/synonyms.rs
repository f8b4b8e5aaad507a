//! Adds the site's synonyms to a query's plan.
//!
//! A synonym of one word becomes an alternative of the word's group, so that a passage with either
//! of them counts once. A synonym of several words is looked up by the key it was indexed under. A
//! synonym for several words is a group of its own.

use findling_bundle::Synonym;
use findling_text::Analyzer;
use findling_text::keys::SynonymTerms;

use super::plan::{Group, QueryPlan};

/// Adds the synonyms of the query's words to its plan. `sequence`: the plan's group of each of its
/// words, in their order.
pub(super) fn expand(
    plan: &mut QueryPlan,
    sequence: &[usize],
    synonyms: &[Synonym],
    analyzers: &mut [Analyzer],
) {
    for synonym in synonyms {
        for i in 0..analyzers.len() {
            let Some(from) = SynonymTerms::of(&mut analyzers[i], &synonym.from) else { continue };
            let Some(first) = find(plan, sequence, &from.terms) else { continue };
            let mut keys = Vec::new();
            for analyzer in analyzers.iter_mut() {
                keys.extend(
                    synonym.to.iter().filter_map(|to| Some(SynonymTerms::of(analyzer, to)?.key)),
                );
            }
            if from.terms.len() > 1 {
                plan.groups.push(Group::extra(keys));
            } else if let Some(group) = plan.groups.get_mut(first) {
                group.synonyms.extend(keys);
            }
            break;
        }
    }
    for group in &mut plan.groups {
        let mut seen = group.terms.clone();
        group.synonyms.retain(|key| {
            let new = !seen.contains(key);
            if new {
                seen.push(key.clone());
            }
            new
        });
    }
}

/// Returns the group of the first of `terms`, if the terms follow each other there.
fn find(plan: &QueryPlan, sequence: &[usize], terms: &[String]) -> Option<usize> {
    let says = |group: usize, term: &String| {
        plan.groups.get(group).is_some_and(|g| g.terms.contains(term))
    };
    let row = sequence
        .windows(terms.len())
        .find(|row| row.iter().zip(terms).all(|(&g, term)| says(g, term)))?;
    row.first().copied()
}
