//! Where sentences begin: the stretches of a text that a snippet can be chosen from. What is known
//! of them is counted out when a bundle is built and when a result is shown, so both split alike.

use std::ops::Range;

/// Fewest words of a stretch: shorter sentences go with what follows them. About as many as a
/// snippet shows.
pub const LEAST_WORDS: u32 = 20;

/// Most stretches of a text; behind them it is not split any more.
pub const MOST: usize = 255;

/// What the rules below make of the sample in the tests, as a number: part of what
/// [`conformance`](crate::conformance()) compares, so that no engine takes another's stretches for
/// its own.
pub(crate) const RULES: u64 = 10_393_882_743_597_746_900;

/// A text in stretches of whole sentences, in order, together the whole text; one for a text that
/// is not much longer than a stretch. Byte ranges. A sentence ends with its line, with its mark
/// before white space, or with the mark of a script without spaces.
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
    // Words in halves, since a character of a script without spaces is about half a word.
    let (mut start, mut halves) = (0, 0);
    let (mut in_word, mut mark) = (false, false);
    let mut ended = false;
    for (at, c) in text.char_indices() {
        if ended && !c.is_whitespace() {
            ended = false;
            if halves >= 2 * LEAST_WORDS && ranges.len() + 1 < MOST {
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
        // What is left is too little to stand alone.
        Some(last) if halves < 2 * LEAST_WORDS => last.end = text.len(),
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

    /// Fails on every change of the rules: bundles built before it have codes of other stretches.
    /// If that is meant, write the new number into [`RULES`], and that of `conformance` as
    /// well.
    #[test]
    fn the_rules_are_those_of_their_number() {
        let sample = "One, two. Is it three? 3.11 is! no end\nLines end; so does 東京は日本の首都です。次の文！\u{a0}x ? y é. ";
        let mut hash = crate::conformance::Fnv::default();
        for n in [1, 3, 7, 20, 300] {
            let text = sample.repeat(n) + &"word ".repeat(n) + "\n" + sample.trim_end();
            for range in stretches(&text) {
                hash.add(&(range.start as u64).to_le_bytes());
                hash.add(&(range.end as u64).to_le_bytes());
            }
        }
        assert_eq!(hash.0, RULES, "stretches are others than they were");
    }

    #[test]
    fn there_are_not_more_than_the_most() {
        let text = ("word ".repeat(20) + "end. ").repeat(300);
        assert_eq!(stretches(&text).len(), MOST);
    }

    proptest! {
        #[test]
        fn together_they_are_the_text(text in "([a-z]{1,3}[ .\n。é東]{1,2}){0,200}") {
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
