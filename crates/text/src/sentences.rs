//! Stretches of whole sentences, which a snippet is chosen from.
//!
//! A bundle stores a code for each stretch by its number. So the build and the engine must divide a
//! text in the same way.

use std::ops::Range;

/// The fewest words of a stretch, about as many as a snippet shows. Shorter sentences share a
/// stretch with the sentences after them.
pub const MIN_WORDS: u32 = 20;

/// The most stretches of a text. The last one has the rest of the text.
pub const MAX_STRETCHES: usize = 255;

/// A hash of the stretches of the sample in the tests. It is a part of the number that
/// [`conformance`](crate::conformance()) gives, so that an engine with other rules refuses the
/// bundle.
pub(crate) const RULES: u64 = 10_393_882_743_597_746_900;

/// Returns the byte ranges of a text's stretches, in order. Together they are the whole text; a
/// short text is one stretch. A sentence ends at the end of its line, at a mark before white space,
/// or at the mark of a script without spaces.
///
/// ```
/// # use findling_text::sentences::stretches;
/// let words = "a word ".repeat(10);
/// let text = format!("{words}ends. {words}ends. Short.");
/// let stretches: Vec<_> = stretches(&text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(stretches, [format!("{words}ends. "), format!("{words}ends. Short.")]);
/// ```
pub fn stretches(text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    // Counts half words, because a character of a script without spaces is about half a word.
    let (mut start, mut halves) = (0, 0);
    let (mut in_word, mut mark) = (false, false);
    let mut ended = false;
    for (at, c) in text.char_indices() {
        if ended && !c.is_whitespace() {
            ended = false;
            if halves >= 2 * MIN_WORDS && ranges.len() + 1 < MAX_STRETCHES {
                ranges.push(start..at);
                (start, halves) = (at, 0);
            }
        }
        let space = c.is_whitespace();
        if !space && c >= '\u{2e80}' {
            halves += 1;
            in_word = false;
        } else if !space && !in_word {
            halves += 2;
            in_word = true;
        }
        in_word &= !space;
        ended |= c == '\n' || space && mark || matches!(c, '。' | '！' | '？');
        mark = matches!(c, '.' | '!' | '?');
    }
    match ranges.last_mut() {
        // The rest is too short for a stretch.
        Some(last) if halves < 2 * MIN_WORDS => last.end = text.len(),
        _ => ranges.push(start..text.len()),
    }
    ranges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let got: Vec<&str> = stretches(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn stretches_are_of_whole_sentences() {
        let long = "word ".repeat(19);
        check("", &[""]);
        check("Short. Shorter.", &["Short. Shorter."]);
        check(
            &format!("{long}end. {long}end."),
            &[&format!("{long}end. "), &format!("{long}end.")],
        );
        // Marks within names end nothing, lines do.
        check(
            &format!("{long}std.io\n{long}3.11 is out\n"),
            &[&format!("{long}std.io\n"), &format!("{long}3.11 is out\n")],
        );
        let japanese = "東京".repeat(20) + "。";
        check(&japanese.repeat(2), &[&japanese, &japanese]);
    }

    /// Fails on every change of the rules, after which bundles built before have codes of other
    /// stretches. If the change is meant, write the new number into [`RULES`] and into the test of
    /// `conformance`.
    #[test]
    fn the_rules_are_those_of_the_recorded_number() {
        let sample = "One, two. Is it three? 3.11 is! no end\nLines end; so does \
                      東京は日本の首都です。次の文！\u{a0}x ? y é. ";
        let mut hash = crate::fnv::Fnv::default();
        for n in [1, 3, 7, 20, 300] {
            let text = sample.repeat(n) + &"word ".repeat(n) + "\n" + sample.trim_end();
            for range in stretches(&text) {
                hash.add(&(range.start as u64).to_le_bytes());
                hash.add(&(range.end as u64).to_le_bytes());
            }
        }
        assert_eq!(hash.0, RULES, "the stretches have changed");
    }

    #[test]
    fn a_text_has_at_most_255_stretches() {
        let text = ("word ".repeat(20) + "end. ").repeat(300);
        assert_eq!(stretches(&text).len(), MAX_STRETCHES);
    }

    proptest! {
        #[test]
        fn all_stretches_together_are_the_text(text in "([a-z]{1,3}[ .\n。é東]{1,2}){0,200}") {
            let ranges = stretches(&text);
            prop_assert_eq!(ranges.first().map(|range| range.start), Some(0));
            prop_assert_eq!(ranges.last().map(|range| range.end), Some(text.len()));
            for pair in ranges.windows(2) {
                prop_assert_eq!(pair[0].end, pair[1].start);
                prop_assert!(pair[0].start < pair[0].end);
            }
        }
    }
}
