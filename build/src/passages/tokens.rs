//! An estimate of how many tokens of a language model a text takes.
//!
//! Models differ, so this does not follow any model's tokenizer. It counts a token for every four
//! letters of a word and for every sign, two for three other letters, and one for an ideograph. For
//! English this gives a little more than common tokenizers, so that a budget is kept.

/// Returns the estimate.
pub fn estimate(text: &str) -> usize {
    let mut total = 0;
    let mut letters = 0;
    let mut others = 0;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            letters += 1;
            continue;
        }
        total += usize::div_ceil(letters, 4);
        letters = 0;
        if c.is_whitespace() {
            // Part of the word that follows; a line feed is a token of its own.
            total += usize::from(c == '\n');
        } else if is_ideograph(c) || c.is_ascii() {
            total += 1;
        } else {
            others += 1;
        }
    }
    total + usize::div_ceil(letters, 4) + usize::div_ceil(others * 2, 3)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{1f000}'..='\u{1faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns the longest beginning of a text that takes at most this many tokens, cut at white space
/// if there is any.
pub fn beginning(text: &str, tokens: usize) -> &str {
    if estimate(text) <= tokens {
        return text;
    }
    // The estimate grows with the text, so the end can be searched for.
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let n = ends.partition_point(|&end| estimate(&text[..end]) <= tokens).saturating_sub(1);
    let cut = &text[..ends.get(n).copied().unwrap_or(0)];
    match cut.rfind(char::is_whitespace) {
        Some(at) if at * 2 > cut.len() => &cut[..at],
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_signs_and_ideographs_are_counted() {
        for (text, expect) in [
            ("", 0),
            ("a mutex", 1 + 2),
            ("fn main() {}", 1 + 1 + 4),
            ("漢字", 2),
            ("Grüße", 1 + 1 + 2),
            ("a\nb", 3),
        ] {
            assert_eq!(estimate(text), expect, "{text}");
        }
    }

    #[test]
    fn a_beginning_keeps_the_limit_and_whole_words() {
        let text = "one two three four five six";
        for tokens in 0..12 {
            let cut = beginning(text, tokens);
            assert!(estimate(cut) <= tokens && text.starts_with(cut), "{tokens}: {cut}");
        }
        assert_eq!(beginning(text, 4), "one two three");
        assert_eq!(beginning(text, 100), text);
        let long = "漢".repeat(50);
        assert_eq!(beginning(&long, 7).chars().count(), 7);
    }
}
