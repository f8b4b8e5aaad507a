//! Helpers for the texts of errors and notices: quoting, and names that resemble each other.

#![doc(alias = "deferred")]

/// Characters of a quoted text that are repeated in a message.
const MAX_QUOTED_CHARS: usize = 40;
/// Characters of a text that are compared with another.
const MAX_COMPARED_CHARS: usize = 64;

/// Returns a text in backticks, cut to a readable length. `nothing` for the empty text.
pub(crate) fn quote(found: &str) -> String {
    match found.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("`{}...`", &found[..end]),
        None if found.is_empty() => "nothing".into(),
        None => format!("`{found}`"),
    }
}

/// Returns whether one text may be a misspelling of the other, without regard to case.
pub(crate) fn resembles(typed: &str, other: &str) -> bool {
    let (typed, other) = (comparable(typed), comparable(other));
    edit_distance(&typed, &other) <= max_edits(&typed)
}

/// Returns the compared beginning of a text, in lower case.
pub(crate) fn comparable(text: &str) -> String {
    text.to_lowercase().chars().take(MAX_COMPARED_CHARS).collect()
}

/// Returns the largest number of edits between a typed text and one that resembles it.
pub(crate) fn max_edits(typed: &str) -> usize {
    1 + typed.chars().count() / 4
}

/// Returns the Levenshtein distance: insertions, deletions and replacements of characters.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_insertions_deletions_and_replacements() {
        for (a, b, expect) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("über", "uber", 1),
        ] {
            assert_eq!(edit_distance(a, b), expect, "{a} {b}");
        }
    }
}
