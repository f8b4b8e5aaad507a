//! Which of the names that there are a typed one means: of collections, of attributes and of their
//! values. What is typed stays exact in the engine; only the shell reads it with forbearance.
//!
//! The first rule that a name meets decides:
//!
//! 1. It is the same.
//! 2. It is the same but for case, accents and width: `Café` is `cafe`.
//! 3. It is the same but for that and for what is between letters and digits: `Rust Book` is
//!    `rust-book`.
//! 4. Of attributes: one is the plural of the other: `author` is `authors`.
//! 5. Of people: the surname is the same, and the names before it begin alike, as far as both go:
//!    `smith`, `J. Smith` and `Smith, J.` are `Jane Smith` ([`Person`]).
//!
//! If several names meet that rule, which one is meant cannot be told.

mod person;

use findling_text::normalise::fold_into;

pub use person::Person;

/// What a typed name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant<'a> {
    /// This one.
    One(&'a str),
    /// Any of these.
    Several(Vec<&'a str>),
    /// None that there is.
    Nothing,
}

/// What names are of, besides being names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Names as they are.
    Plain,
    /// Names of attributes, which may be plurals.
    Attributes,
    /// Names of people.
    People,
}

/// Attributes whose values are names of people.
const OF_PEOPLE: [&str; 7] =
    ["author", "contributor", "creator", "editor", "person", "people", "speaker"];

/// What the values of an attribute are names of.
pub fn names_of(attribute: &str) -> Names {
    let key = key(attribute);
    let one = key.strip_suffix('s').unwrap_or(&key);
    if OF_PEOPLE.contains(&one) { Names::People } else { Names::Plain }
}

/// Which of the known names is meant.
pub fn meant<'a>(
    typed: &str,
    of: Names,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Meant<'a> {
    if let Some(same) = known.clone().find(|name| *name == typed) {
        return Meant::One(same);
    }
    let wanted = key(typed);
    if wanted.is_empty() {
        return Meant::Nothing;
    }
    let typed_folded = folded(typed);
    let alike = of_them(known.clone().filter(|name| folded(name) == typed_folded));
    if alike != Meant::Nothing {
        return alike;
    }
    let alike = of_them(known.clone().filter(|name| key(name) == wanted));
    if alike != Meant::Nothing {
        return alike;
    }
    match of {
        Names::Plain => Meant::Nothing,
        Names::Attributes => {
            let is_plural = |one: &str, many: &str| many.strip_suffix('s') == Some(one);
            of_them(known.filter(|name| {
                let name = key(name);
                is_plural(&name, &wanted) || is_plural(&wanted, &name)
            }))
        }
        Names::People => {
            let Some(person) = Person::parse(typed) else { return Meant::Nothing };
            of_them(
                known.filter(|name| Person::parse(name).is_some_and(|other| person.may_be(&other))),
            )
        }
    }
}

/// The names in order, each once.
fn of_them<'a>(names: impl Iterator<Item = &'a str>) -> Meant<'a> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    match names.len() {
        0 => Meant::Nothing,
        1 => Meant::One(names[0]),
        _ => Meant::Several(names),
    }
}

/// The letters and digits of a name, in lower case and without accents.
pub fn key(name: &str) -> String {
    let mut key = folded(name);
    key.retain(char::is_alphanumeric);
    key
}

/// A name in lower case and without accents.
fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    fold_into(name, &mut folded);
    folded
}

/// Most names that an error lists.
const MAX_LISTED: usize = 8;

/// Names as an error lists them: `a`, `b` or `c`.
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

    fn check(of: Names, known: &[&str], typed: &str, expect: Meant<'_>) {
        assert_eq!(meant(typed, of, known.iter().copied()), expect, "{typed} of {known:?}");
    }

    #[test]
    fn case_accents_and_what_joins_words_do_not_count() {
        use Meant::{Nothing, One};
        let known = ["rust-book", "café-notes", "v1.2"];
        for (typed, expect) in [
            ("rust-book", One("rust-book")),
            ("Rust Book", One("rust-book")),
            ("RUST_BOOK", One("rust-book")),
            ("Cafe Notes", One("café-notes")),
            ("CAFÉ-NOTES", One("café-notes")),
            ("ｒｕｓｔ-book", One("rust-book")),
            ("v12", One("v1.2")),
            ("rust", Nothing),
            ("rust-books", Nothing),
            ("", Nothing),
            ("--", Nothing),
        ] {
            check(Names::Plain, &known, typed, expect);
        }
    }

    #[test]
    fn the_same_name_wins_and_otherwise_all_that_may_be_meant_are_named() {
        let known = ["rust_book", "rust-book", "rust-book"];
        check(Names::Plain, &known, "rust-book", Meant::One("rust-book"));
        check(Names::Plain, &known, "RUST_BOOK", Meant::One("rust_book"));
        check(Names::Plain, &known, "Rust Book", Meant::Several(vec!["rust-book", "rust_book"]));
        assert_eq!(listed(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(listed(&["a"; 10]).matches("`a`").count(), MAX_LISTED);
    }

    #[test]
    fn of_attributes_a_plural_is_the_same() {
        let known = ["authors", "year", "tag", "tags"];
        check(Names::Attributes, &known, "Author", Meant::One("authors"));
        check(Names::Attributes, &known, "years", Meant::One("year"));
        check(Names::Attributes, &known, "Tags", Meant::One("tags"));
        check(Names::Attributes, &known, "yea", Meant::Nothing);
        check(Names::Plain, &known, "author", Meant::Nothing);
    }

    #[test]
    fn of_people_initials_do() {
        let known = ["Jane Smith", "Ben van den Berg", "José García"];
        check(Names::People, &known, "J. Smith", Meant::One("Jane Smith"));
        check(Names::People, &known, "smith", Meant::One("Jane Smith"));
        check(Names::People, &known, "garcia, j", Meant::One("José García"));
        check(Names::People, &known, "A. Smith", Meant::Nothing);
        check(Names::Plain, &known, "smith", Meant::Nothing);
        let known = ["Jane Smith", "John Smith", "Smith, J."];
        check(Names::People, &known, "Jane Smith", Meant::One("Jane Smith"));
        let two = Meant::Several(vec!["Jane Smith", "Smith, J."]);
        check(Names::People, &known, "Smith, Jane", two);
        check(
            Names::People,
            &known,
            "smith",
            Meant::Several({
                let mut all = known.to_vec();
                all.sort_unstable();
                all
            }),
        );
    }

    #[test]
    fn attributes_of_people_are_known_by_their_names() {
        for name in ["author", "Authors", "editor", "speakers", "people"] {
            assert_eq!(names_of(name), Names::People, "{name}");
        }
        for name in ["kind", "author-type", "topic", "s"] {
            assert_eq!(names_of(name), Names::Plain, "{name}");
        }
    }
}
