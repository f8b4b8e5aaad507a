//! The main reason for a page's rank, in one sentence.
//!
//! A page is compared with the first page in three parts of the score: words, meaning and further
//! sections. The largest difference is the reason. Within the words, the term with the largest
//! difference is named.

#![doc(alias = "deferred")]

use crate::api::{PageHit, SectionHit, TermExplanation, Why, WordOnPage};
use crate::resolve::ResolvedQuery;

/// The fields of a term, the most telling first.
const PLACES: [(usize, &str); 6] = [
    (0, "in its title"),
    (2, "in a heading"),
    (1, "in its address"),
    (3, "in the headings above"),
    (4, "in running text"),
    (5, "in code"),
];

/// Returns the sentence. `partial`: common words were only looked up in their first tier.
pub(crate) fn reason(why: &Why, asked: &ResolvedQuery, partial: bool) -> String {
    match (&why.hit, &why.first) {
        (None, _) => not_found(why, asked, partial),
        (Some(_), None) => "It is the first page.".into(),
        (Some(_), Some(_)) if asked.request.sort.is_some() => {
            "The results are ordered by an attribute, not by how well they answer.".into()
        }
        (Some(hit), Some(first)) if first.pinned && !hit.pinned => {
            "The site has pinned the first page to this query.".into()
        }
        (Some(hit), Some(first)) => compared(hit, first, why, partial),
    }
}

fn not_found(why: &Why, asked: &ResolvedQuery, partial: bool) -> String {
    let whole = |kind: &str| {
        why.removed_by
            .iter()
            .find(|removal| removal.kind == kind && removal.sections >= why.n_sections)
    };
    if let Some(filter) = whole("filter") {
        return format!("The filter {} leaves this page out.", filter.text);
    }
    if let Some(phrase) = whole("phrase") {
        return format!("No section of this page has the phrase \u{201c}{}\u{201d}.", phrase.text);
    }
    if let Some(exclusion) = whole("exclusion") {
        return format!(
            "Every section of this page has `{}`, which the query excludes.",
            exclusion.text
        );
    }
    if !why.removed_by.is_empty() {
        let texts: Vec<String> =
            why.removed_by.iter().map(|removal| format!("`{}`", removal.text)).collect();
        return format!("No section of this page meets {} at once.", texts.join(" and "));
    }
    let on_page = words(why, |word| word.on_page);
    if partial && !on_page.is_empty() {
        return format!("So many pages say {on_page} that those are found which say most of it.");
    }
    let nearer = asked.dense.is_some();
    match (why.words.is_empty(), nearer) {
        (true, true) => "This page is not near enough to the query in meaning.".into(),
        (true, false) => "The query has no words to look up.".into(),
        (false, true) => format!(
            "This page has none of the query's words ({}), and is not near enough to it in \
             meaning.",
            words(why, |_| true)
        ),
        (false, false) => {
            format!("This page has none of the query's words ({}).", words(why, |_| true))
        }
    }
}

fn words(why: &Why, which: impl Fn(&WordOnPage) -> bool) -> String {
    let words = why.words.iter().filter(|word| which(word)).map(|word| format!("`{}`", word.word));
    words.collect::<Vec<String>>().join(", ")
}

fn compared(hit: &PageHit, first: &PageHit, why: &Why, partial: bool) -> String {
    let (Some(own), Some(other)) = (hit.sections.first(), first.sections.first()) else {
        return "Both match alike, and the first stands first in the site.".into();
    };
    let lexical = other.legs.lexical_share - own.legs.lexical_share;
    let semantic = other.legs.semantic_share - own.legs.semantic_share;
    let further = (first.score - other.score) - (hit.score - own.score);
    if hit.score >= first.score {
        return "Both score the same, and the first stands first in the site.".into();
    }
    if lexical >= semantic && lexical >= further {
        return by_words(own, other, why, partial);
    }
    if semantic >= further {
        return match (own.legs.similarity, other.legs.similarity) {
            (Some(own), Some(other)) => format!(
                "The first page is nearer to the query in meaning: {} against {} at their best \
                 sections.",
                hundredths(other),
                hundredths(own)
            ),
            _ => "The first page is nearer to the query in meaning.".into(),
        };
    }
    format!(
        "More of the first page answers: {}, of this page {}.",
        count(first.n_sections, "section matches", "sections match"),
        count(hit.n_sections, "does", "do")
    )
}

/// Formats a number with two decimals, without the standard library's tables for floats.
fn hundredths(number: f32) -> String {
    let rounded = libm::roundf(number * 100.0) as i32;
    let sign = if rounded < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", rounded.abs() / 100, rounded.abs() % 100)
}

fn by_words(own: &SectionHit, other: &SectionHit, why: &Why, partial: bool) -> String {
    let (Some(own), Some(other)) = (&own.explain, &other.explain) else {
        return "The first page says more of the query's words.".into();
    };
    let of = |term: &TermExplanation| own.terms.iter().find(|own| own.term == term.term);
    let gain = |term: &TermExplanation| term.score - of(term).map_or(0.0, |own| own.score);
    let best = other.terms.iter().reduce(|a, b| if gain(b) > gain(a) { b } else { a });
    // A boost multiplies all of the words' score.
    let boosted =
        other.boosts.iter().find(|boost| own.boosts.iter().all(|own| own.reason != boost.reason));
    let sum: f32 = other.terms.iter().map(|term| term.score).sum();
    let by_boost = boosted.map_or(0.0, |boost| boost.share * sum);
    if let Some(boost) = boosted
        && best.is_none_or(|best| gain(best) <= by_boost)
    {
        if boost.reason == "symbol" {
            return "The first page defines a symbol of the very name that the query is.".into();
        }
        let what = if boost.reason == "title" { "title" } else { "heading" };
        return format!("The first page's {what} consists of the query's words.");
    }
    let Some(term) = best.filter(|best| gain(best) > 0.0) else {
        return "The first page says more of the query's words together.".into();
    };
    let word = why.words.iter().find(|word| word.terms.contains(&term.term));
    // The form in which a word was typed is in quotation marks already.
    let spelt = match word {
        None if term.term.starts_with('\u{201c}') => term.term.clone(),
        None => format!("`{}`", term.term),
        Some(word) => format!("`{}`", word.word),
    };
    let there = place(term);
    match of(term) {
        Some(own) => {
            let here = place(own);
            if here == there {
                format!(
                    "The first page says {spelt} {there} as this one does, but in a shorter \
                     passage."
                )
            } else {
                format!("The first page says {spelt} {there}; this page only {here}.")
            }
        }
        None if word.is_some_and(|word| word.on_page) && partial => {
            format!(
                "The first page says {spelt} {there}; this page says too little of it to count."
            )
        }
        None if word.is_some_and(|word| word.on_page) => {
            format!(
                "The first page says {spelt} {there}; this page only in another section than its \
                 best."
            )
        }
        None => format!("The first page says {spelt} {there}; this page does not say it."),
    }
}

/// Returns `in its title`, `twice in running text`.
fn place(term: &TermExplanation) -> String {
    let found = PLACES.iter().find(|(field, _)| term.frequencies[*field] > 0);
    match found {
        None => "nowhere".into(),
        Some((field @ (4 | 5), place)) => match term.frequencies[*field] {
            1 => format!("once {place}"),
            2 => format!("twice {place}"),
            n => format!("{n} times {place}"),
        },
        Some((_, place)) => (*place).into(),
    }
}

fn count(n: u32, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}
