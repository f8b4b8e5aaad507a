//! Queries made from a site's text: headings and beginnings of sentences in turn, evenly spread
//! over its sections. The same site gives the same queries.

/// Largest number of queries.
pub const MAX_QUERIES: usize = 200;
/// Smallest number of words of a section from which a query is taken.
const MIN_WORDS: usize = 30;
/// Words of a query taken from a sentence.
const SENTENCE_WORDS: usize = 9;

/// Returns whether a section has enough text for a query.
pub fn has_text(text: &str) -> bool {
    text.split_whitespace().take(MIN_WORDS).count() == MIN_WORDS
}

/// Returns at most `max` of the candidates, evenly spread.
pub fn evenly<T>(candidates: Vec<T>, max: usize) -> impl Iterator<Item = T> {
    let step = candidates.len().div_ceil(max).max(1);
    candidates.into_iter().step_by(step)
}

/// Returns query number `i`. For even numbers, it is the section's heading. For odd numbers and for
/// sections without a heading, it is the beginning of the second sentence, because the first
/// sentence often repeats the heading.
pub fn query(i: usize, heading: &str, text: &str) -> String {
    if i.is_multiple_of(2) && !heading.is_empty() {
        return heading.to_owned();
    }
    let text = text.split_once(". ").map_or(text, |(_, rest)| rest);
    text.split_whitespace().take(SENTENCE_WORDS).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a text without quotation marks and without leading hyphens, which have a
/// meaning in queries.
pub fn words_alone(text: &str) -> String {
    text.replace(['"', '“', '”', '„', '«', '»', '「', '」'], " ")
        .split_whitespace()
        .map(|word| word.trim_start_matches('-'))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_even_and_never_too_large() {
        for (n, expect) in [(0, 0), (1, 1), (200, 200), (201, 101), (1000, 200), (1001, 167)] {
            let taken: Vec<usize> = evenly((0..n).collect(), MAX_QUERIES).collect();
            assert_eq!(taken.len(), expect, "of {n}");
            let gaps: Vec<usize> = taken.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(gaps.windows(2).all(|pair| pair[0] == pair[1]), "of {n}: {gaps:?}");
        }
    }

    #[test]
    fn headings_and_second_sentences_take_turns() {
        let text = "Locks are locks. One thread at a time may hold a lock that others want.";
        assert_eq!(query(0, "Shared State", text), "Shared State");
        assert_eq!(query(1, "Shared State", text), "One thread at a time may hold a lock");
        assert_eq!(query(0, "", "only one"), "only one");
        assert!(!has_text(text) && has_text(&text.repeat(3)));
    }
}
