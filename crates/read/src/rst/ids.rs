//! Anchors that docutils and Sphinx give.

use std::collections::HashSet;

use findling_text::normalise::fold_into;

/// The anchors of a page.
#[derive(Debug, Default)]
pub(super) struct Ids {
    taken: HashSet<String>,
    /// The number of the last anchor that was made from a number.
    numbered: u32,
}

impl Ids {
    /// Returns the anchor of a named item; it is made from a number if the name gives none or is
    /// taken.
    pub fn named(&mut self, name: &str) -> String {
        let id = slug(name);
        if !id.is_empty() && self.taken.insert(id.clone()) { id } else { self.numbered() }
    }

    /// Returns the anchor of an item without a name, such as a reference to a footnote.
    pub fn numbered(&mut self) -> String {
        loop {
            self.numbered += 1;
            let id = format!("id{}", self.numbered);
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// Returns a name as an anchor: lower case, without accents, hyphens for everything else (docutils,
/// `nodes.make_id`).
fn slug(name: &str) -> String {
    let mut lower = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        if !lower.is_empty() {
            lower.push(' ');
        }
        fold_into(&word.replace('ß', "sz"), &mut lower);
    }
    hyphened(&lower, |c| c.is_ascii_lowercase() || c.is_ascii_digit())
        .trim_start_matches(|c: char| c == '-' || c.is_ascii_digit())
        .to_owned()
}

/// Returns the anchor of an object that is not a Python name: `cmdoption-tool-v` (Sphinx,
/// `make_id`).
pub(super) fn of_object(prefix: &str, name: &str) -> String {
    let name = hyphened(name, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    format!("{prefix}-{}", name.trim_start_matches('-'))
}

/// Returns a text with a hyphen for each run of other characters, except at the end.
fn hyphened(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut id = String::with_capacity(text.len());
    for c in text.chars() {
        if is_kept(c) {
            id.push(c);
        } else if !id.ends_with('-') && c.is_ascii() {
            id.push('-');
        }
    }
    id.truncate(id.trim_end_matches('-').len());
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_as_in_docutils() {
        for (name, id) in [
            ("What is a Tide?", "what-is-a-tide"),
            ("2.1 The ``Pool`` type", "the-pool-type"),
            ("Größe", "grosze"),
            ("C++ and C#", "c-and-c"),
            ("__init__()", "init"),
        ] {
            assert_eq!(Ids::default().named(name), id, "{name}");
        }
        assert_eq!(of_object("cmdoption-tool", "--dry-run"), "cmdoption-tool-dry-run");
        assert_eq!(of_object("term", "Spring tide"), "term-Spring-tide");
    }

    #[test]
    fn names_that_are_taken_or_give_none_are_numbered() {
        let mut ids = Ids::default();
        let names = ["Notes", "潮", "Notes", "id4", "Notes"];
        let ids = names.map(|name| ids.named(name));
        assert_eq!(ids, ["notes", "id1", "id2", "id4", "id3"]);
    }
}
