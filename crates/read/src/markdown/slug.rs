//! Anchors that site generators give to headings.

use std::collections::HashMap;

/// The anchors of a page's headings, made like GitHub's: lower case, no punctuation, hyphens
/// instead of spaces, numbers after repetitions.
#[derive(Debug, Default)]
pub(crate) struct Slugs {
    seen: HashMap<String, u32>,
}

impl Slugs {
    /// Returns the anchor of a heading.
    pub fn make(&mut self, heading: &str) -> String {
        let slug = slug(heading);
        let count = self.seen.entry(slug.clone()).or_default();
        let n = *count;
        *count += 1;
        if n == 0 { slug } else { self.taken(format!("{slug}-{n}")) }
    }

    /// Records an anchor that the author chose.
    pub fn taken(&mut self, anchor: String) -> String {
        *self.seen.entry(anchor.clone()).or_default() += 1;
        anchor
    }
}

fn slug(heading: &str) -> String {
    let mut slug = String::with_capacity(heading.len());
    for c in heading.trim().chars() {
        if c == ' ' || c == '-' {
            slug.push('-');
        } else if c == '_' || c.is_alphanumeric() || is_mark(c) {
            slug.extend(c.to_lowercase());
        }
    }
    slug
}

/// Returns whether a character is a combining mark, which belongs to the letter before it.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}'
            | '\u{900}'..='\u{903}'
            | '\u{93a}'..='\u{94f}'
            | '\u{e31}'
            | '\u{e34}'..='\u{e3a}'
            | '\u{e47}'..='\u{e4e}'
            | '\u{3099}'
            | '\u{309a}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_as_on_github() {
        for (heading, anchor) in [
            ("What Is Ownership?", "what-is-ownership"),
            ("The `String` Type", "the-string-type"),
            ("C++ & Rust", "c--rust"),
            ("foo_bar: baz", "foo_bar-baz"),
            ("CLIウィザード", "cliウィザード"),
            ("Überblick", "überblick"),
        ] {
            assert_eq!(slug(heading), anchor);
        }
    }

    #[test]
    fn repeats_are_numbered() {
        let mut slugs = Slugs::default();
        let made: Vec<_> = ["Example", "Example", "Example"]
            .into_iter()
            .map(|heading| slugs.make(heading))
            .collect();
        assert_eq!(made, ["example", "example-1", "example-2"]);
    }
}
