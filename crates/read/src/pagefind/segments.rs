//! Words of languages that do not separate them by spaces.
//!
//! Locations in a content count words, so the build and the browser must cut in the same way. Each
//! character is a word of its own; runs of Latin letters and digits stay whole.

/// The border between words in a content.
pub(super) const BORDER: char = '\u{200b}';

/// Returns whether a language (BCP 47) has no spaces between words.
pub(super) fn are_needed(language: &str) -> bool {
    matches!(language.split('-').next(), Some("zh" | "ja" | "th"))
}

/// Returns the words of a run of text without white space.
pub(super) fn words(run: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut together = false;
    for (at, c) in run.char_indices() {
        // A character that is not a letter, such as a mark or a joiner, stays with the character
        // before it.
        let joins = c.is_ascii_alphanumeric() && together || !c.is_alphanumeric();
        if at > 0 && !joins {
            words.push(&run[start..at]);
            start = at;
        }
        together = c.is_ascii_alphanumeric();
    }
    words.push(&run[start..]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_words_and_latin_runs_stay_whole() {
        assert_eq!(words("简单的文本。"), ["简", "单", "的", "文", "本。"]);
        assert_eq!(words("用Rust写2024"), ["用", "Rust", "写", "2024"]);
        assert_eq!(words("a"), ["a"]);
        assert!(are_needed("zh-cn") && are_needed("ja") && !are_needed("en"));
    }
}
