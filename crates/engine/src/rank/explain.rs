//! Explanation of a hit's place, and of the way in which a query was run.

#![doc(alias = "deferred")]

use findling_text::keys::split_form;

use super::Trace;
use crate::api::{Bm25fParams, Boost, Explanation, Fusion, Mode, Plan, TermExplanation};
use crate::filter::number::shortest;
use crate::lexical::{Contribution, HEADING, SYMBOL, SYMBOL_BOOST, TITLE};
use crate::resolve::ResolvedQuery;

/// Returns the lexical part of a hit's score.
pub(crate) fn explanation(
    contributions: &[Contribution],
    boosts: u8,
    params: &Bm25fParams,
) -> Explanation {
    let terms = contributions.iter().map(|contribution| TermExplanation {
        term: written(&contribution.term),
        idf: contribution.idf,
        frequencies: contribution.frequencies,
        score: contribution.score,
    });
    let all = [
        (TITLE, "title", params.title_boost),
        (HEADING, "heading", params.heading_boost),
        (SYMBOL, "symbol", SYMBOL_BOOST),
    ];
    let boosts = all
        .into_iter()
        .filter(|(bit, ..)| boosts & bit != 0)
        .map(|(_, reason, share)| Boost { reason: reason.into(), share });
    Explanation { terms: terms.collect(), boosts: boosts.collect() }
}

/// Returns the text of a term, or the word as typed if the term is a form.
fn written(term: &str) -> String {
    split_form(term)
        .map_or_else(|| term.into(), |(_, form)| format!("\u{201c}{form}\u{201d} as written"))
}

/// Returns how a query was understood and run.
pub(crate) fn plan(asked: &ResolvedQuery, trace: &Trace) -> Plan {
    let Trace { groups, selectivity, neighbours, evidence, fusion, .. } = trace;
    let texts = |phrases: &[crate::query::Phrase]| {
        phrases.iter().map(|phrase| phrase.text.clone()).collect()
    };
    Plan {
        terms: groups
            .iter()
            .flat_map(|group| &group.terms)
            .map(|term| written(&term.term))
            .collect(),
        phrases: texts(&asked.plan.phrases),
        excluded: texts(&asked.plan.excluded),
        filter: asked.condition.as_ref().map(ToString::to_string),
        selectivity: *selectivity,
        neighbours: neighbours.method.name().into(),
        fusion: match (asked.mode, *fusion) {
            (Mode::Hybrid, Fusion::Rrf { k, dense_weight }) => {
                format!("rrf(k={}, dense_weight={})", shortest(&k), shortest(&dense_weight))
            }
            (Mode::Hybrid, Fusion::Convex { alpha: Some(alpha) }) => {
                format!("convex(alpha={})", shortest(&alpha))
            }
            _ => "none".into(),
        },
        vectors_compared: neighbours.compared,
        evidence: *evidence,
    }
}

/// Merges the plans of two phrasings. Numbers are taken from the first; counts of vectors are
/// added.
pub(crate) fn join_plans(mut one: Plan, other: Plan) -> Plan {
    for (all, more) in [
        (&mut one.terms, other.terms),
        (&mut one.phrases, other.phrases),
        (&mut one.excluded, other.excluded),
    ] {
        for text in more {
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    if other.evidence.answerable() > one.evidence.answerable() {
        one.evidence = other.evidence;
    }
    one.vectors_compared = one.vectors_compared.saturating_add(other.vectors_compared);
    one
}
