//! Finds the name that a typed name means: the name of a collection, of an attribute, or one of an
//! attribute's values. Only the shell forgives a different spelling; the engine compares names
//! exactly.
//!
//! The rules are tried in order. The first rule that some known name meets decides:
//!
//! 1. The names are equal.
//! 2. They are equal without case, accents and width: `Café` finds `cafe`.
//! 3. They are equal without case, accents, width and punctuation: `Rust Book` finds `rust-book`.
//! 4. Attributes only: one is the plural of the other: `author` finds `authors`.
//! 5. People only: the surnames are equal, and the given names or initials agree as far as both
//!    go: `smith`, `J. Smith` and `Smith, J.` find `Jane Smith` ([`Person`]).
//! 6. Paths only: the typed name is the end of the path: `shop` finds `/home/ana/src/shop`.
//!
//! If several names meet the deciding rule, the typed name is ambiguous.

mod person;

use findling_text::normalise::fold_into;

pub use person::Person;

/// The known names that a typed name may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameMatch<'a> {
    /// One name.
    One(&'a str),
    /// Several names meet the same rule.
    Several(Vec<&'a str>),
    /// No known name.
    None,
}

/// Decides which rules apply to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// Rules 1 to 3.
    Plain,
    /// The name of an attribute: rule 4 too.
    Attribute,
    /// The name of a person: rule 5 too.
    Person,
    /// A path of a directory: rule 6 too.
    Path,
}

impl NameKind {
    /// Returns whether all matching names are meant if several match: the spellings of a person, or
    /// the directories of one name.
    pub fn takes_all(self) -> bool {
        matches!(self, Self::Person | Self::Path)
    }
}

/// Attributes whose values are names of people, in the singular.
const PEOPLE_ATTRIBUTES: [&str; 7] =
    ["author", "contributor", "creator", "editor", "person", "people", "speaker"];

/// Returns the kind of names that an attribute's values belong to.
pub fn kind_of_values(attribute: &str) -> NameKind {
    let key = key(attribute);
    let singular = key.strip_suffix('s').unwrap_or(&key);
    match singular {
        singular if PEOPLE_ATTRIBUTES.contains(&singular) => NameKind::Person,
        "project" | "workspace" | "repository" => NameKind::Path,
        _ => NameKind::Plain,
    }
}

/// Returns the other spellings of a known name of a person: the surname is the same, and the given
/// names agree as far as both go.
pub fn other_spellings<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let Some(person) = Person::parse(name) else { return Vec::new() };
    let is_same = |other: &&str| {
        key(other) != key(name) && Person::parse(other).is_some_and(|other| person.is_like(&other))
    };
    known.filter(is_same).collect()
}

/// Returns whether a typed name is the end of a path.
fn ends_path(path: &str, typed: &str) -> bool {
    let plain = |text: &str| folded(&text.replace('\\', "/")).trim_matches('/').to_owned();
    let (path, typed) = (plain(path), plain(typed));
    !typed.is_empty() && (path == typed || path.ends_with(&format!("/{typed}")))
}

/// Finds the known name that a typed name means.
pub fn find_name<'a>(
    typed: &str,
    kind: NameKind,
    known: impl Iterator<Item = &'a str> + Clone,
) -> NameMatch<'a> {
    if let Some(same) = known.clone().find(|name| *name == typed) {
        return NameMatch::One(same);
    }
    let wanted = key(typed);
    if wanted.is_empty() {
        return NameMatch::None;
    }
    let typed_folded = folded(typed);
    let alike = matches(known.clone().filter(|name| folded(name) == typed_folded));
    if alike != NameMatch::None {
        return alike;
    }
    let alike = matches(known.clone().filter(|name| key(name) == wanted));
    if alike != NameMatch::None {
        return alike;
    }
    match kind {
        NameKind::Plain => NameMatch::None,
        NameKind::Path => matches(known.filter(|name| ends_path(name, typed))),
        NameKind::Attribute => {
            let is_plural = |one: &str, many: &str| many.strip_suffix('s') == Some(one);
            matches(known.filter(|name| {
                let name = key(name);
                is_plural(&name, &wanted) || is_plural(&wanted, &name)
            }))
        }
        NameKind::Person => {
            let Some(person) = Person::parse(typed) else { return NameMatch::None };
            matches(
                known.filter(|name| Person::parse(name).is_some_and(|other| person.may_be(&other))),
            )
        }
    }
}

/// Sorts the names that meet a rule and drops duplicates.
fn matches<'a>(names: impl Iterator<Item = &'a str>) -> NameMatch<'a> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    match names.len() {
        0 => NameMatch::None,
        1 => NameMatch::One(names[0]),
        _ => NameMatch::Several(names),
    }
}

/// Returns the letters and digits of a name, in lower case and without accents.
pub fn key(name: &str) -> String {
    let mut key = folded(name);
    key.retain(char::is_alphanumeric);
    key
}

/// Returns a name in lower case and without accents.
fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    fold_into(name, &mut folded);
    folded
}

/// Returns how similar two names are without case and accents: 0 to 1, and up to 2 if one is a part
/// of the other.
pub fn likeness(typed: &str, known: &str) -> f64 {
    let (typed, known) = (folded(typed), folded(known));
    let is_part = !typed.is_empty() && (known.contains(&typed) || typed.contains(&known));
    strsim::jaro_winkler(&typed, &known) + f64::from(is_part)
}

/// Maximum number of names that an error lists.
const MAX_LISTED: usize = 8;

/// Formats names for an error: `a`, `b` or `c`.
pub fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> =
        names.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    match (names.len().saturating_sub(MAX_LISTED), quoted.split_last()) {
        (0, Some((last, []))) => last.clone(),
        (0, Some((last, before))) => format!("{} or {last}", before.join(", ")),
        (more, _) => format!("{} or one of {more} more", quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: NameKind, known: &[&str], typed: &str, expect: NameMatch<'_>) {
        assert_eq!(find_name(typed, kind, known.iter().copied()), expect, "{typed} of {known:?}");
    }

    #[test]
    fn case_accents_and_punctuation_are_ignored() {
        use NameMatch::One;
        let known = ["rust-book", "café-notes", "v1.2"];
        for (typed, expect) in [
            ("rust-book", One("rust-book")),
            ("Rust Book", One("rust-book")),
            ("RUST_BOOK", One("rust-book")),
            ("Cafe Notes", One("café-notes")),
            ("CAFÉ-NOTES", One("café-notes")),
            ("ｒｕｓｔ-book", One("rust-book")),
            ("v12", One("v1.2")),
            ("rust", NameMatch::None),
            ("rust-books", NameMatch::None),
            ("", NameMatch::None),
            ("--", NameMatch::None),
        ] {
            check(NameKind::Plain, &known, typed, expect);
        }
    }

    #[test]
    fn an_equal_name_wins_and_otherwise_all_matches_are_returned() {
        let known = ["rust_book", "rust-book", "rust-book"];
        check(NameKind::Plain, &known, "rust-book", NameMatch::One("rust-book"));
        check(NameKind::Plain, &known, "RUST_BOOK", NameMatch::One("rust_book"));
        check(
            NameKind::Plain,
            &known,
            "Rust Book",
            NameMatch::Several(vec!["rust-book", "rust_book"]),
        );
        assert_eq!(listed(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(listed(&["a"; 10]).matches("`a`").count(), MAX_LISTED);
    }

    #[test]
    fn a_directory_is_found_by_the_end_of_its_path() {
        let known = ["/srv/api", "/private/api", "/home/ana/src/shop", "C:\\src\\web"];
        let several = NameMatch::Several(vec!["/private/api", "/srv/api"]);
        check(NameKind::Path, &known, "api", several);
        check(NameKind::Path, &known, "srv/api", NameMatch::One("/srv/api"));
        check(NameKind::Path, &known, "SHOP", NameMatch::One("/home/ana/src/shop"));
        check(NameKind::Path, &known, "src/web", NameMatch::One("C:\\src\\web"));
        check(NameKind::Path, &known, "hop", NameMatch::None);
    }

    #[test]
    fn spellings_of_a_person_are_found_by_one_of_them() {
        let known = [
            "J P Crutchfield",
            "James P. Crutchfield",
            "Crutchfield, J.P.",
            "Mary Crutchfield",
            "James Crutch",
        ];
        let others = other_spellings("James P. Crutchfield", known.into_iter());
        assert_eq!(others, ["J P Crutchfield", "Crutchfield, J.P."]);
        assert!(other_spellings("Mary Crutchfield", known.into_iter()).is_empty());
    }

    #[test]
    fn an_attribute_is_found_by_its_plural_or_singular() {
        let known = ["authors", "year", "tag", "tags"];
        check(NameKind::Attribute, &known, "Author", NameMatch::One("authors"));
        check(NameKind::Attribute, &known, "years", NameMatch::One("year"));
        check(NameKind::Attribute, &known, "Tags", NameMatch::One("tags"));
        check(NameKind::Attribute, &known, "yea", NameMatch::None);
        check(NameKind::Plain, &known, "author", NameMatch::None);
    }

    #[test]
    fn a_misspelled_name_and_a_part_of_one_are_more_similar_than_others() {
        for (typed, best, other) in [
            ("topc", "topic", "type"),
            ("TÓPIC", "topic", "topics"),
            ("publication-year", "year", "publisher"),
            ("lang", "language", "length"),
        ] {
            assert!(likeness(typed, best) > likeness(typed, other), "{typed}");
        }
    }

    #[test]
    fn people_are_found_by_surname_and_initials() {
        let known = ["Jane Smith", "Ben van den Berg", "José García"];
        check(NameKind::Person, &known, "J. Smith", NameMatch::One("Jane Smith"));
        check(NameKind::Person, &known, "smith", NameMatch::One("Jane Smith"));
        check(NameKind::Person, &known, "garcia, j", NameMatch::One("José García"));
        check(NameKind::Person, &known, "A. Smith", NameMatch::None);
        check(NameKind::Plain, &known, "smith", NameMatch::None);
        let known = ["Jane Smith", "John Smith", "Smith, J."];
        check(NameKind::Person, &known, "Jane Smith", NameMatch::One("Jane Smith"));
        let two = NameMatch::Several(vec!["Jane Smith", "Smith, J."]);
        check(NameKind::Person, &known, "Smith, Jane", two);
        check(
            NameKind::Person,
            &known,
            "smith",
            NameMatch::Several({
                let mut all = known.to_vec();
                all.sort_unstable();
                all
            }),
        );
    }

    #[test]
    fn attributes_of_people_are_recognised_by_name() {
        for name in ["author", "Authors", "editor", "speakers", "people"] {
            assert_eq!(kind_of_values(name), NameKind::Person, "{name}");
        }
        for name in ["kind", "author-type", "topic", "s"] {
            assert_eq!(kind_of_values(name), NameKind::Plain, "{name}");
        }
    }
}
