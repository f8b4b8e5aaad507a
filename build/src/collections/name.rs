//! Names of collections, which are names of directories as well.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::Error;

/// Most bytes of a name.
pub const MAX_LEN: usize = 64;

/// Names that Windows keeps for devices, also with an extension.
const DEVICES: [&str; 4] = ["aux", "con", "nul", "prn"];

/// The name of a collection: lower-case letters, digits, `-`, `_` and `.`, a letter or digit first.
///
/// A name is one path component on every system and cannot lead elsewhere. Names that differ give
/// different directories, even if the file system ignores case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let plain =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
        let first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let stem = name.split('.').next().unwrap_or_default();
        let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
        let is_device = DEVICES.contains(&stem)
            || port.is_some_and(|n| n.len() == 1 && n.starts_with(|c: char| c.is_ascii_digit()));
        let fine = name.starts_with(first)
            && name.chars().all(plain)
            && name.len() <= MAX_LEN
            && !name.ends_with('.')
            && !is_device;
        if fine { Ok(Self(name.to_owned())) } else { Err(Error::BadName { name: name.to_owned() }) }
    }
}

impl TryFrom<String> for Name {
    type Error = Error;

    fn try_from(name: String) -> Result<Self, Error> {
        name.parse()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns up to three of `names` that are spelled like `asked`, the most similar first.
pub fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a Name>) -> Vec<String> {
    let asked = asked.to_lowercase();
    let mut near: Vec<(f64, &Name)> = names
        .map(|name| {
            let contains = name.as_str().contains(&asked) || asked.contains(name.as_str());
            let likeness = strsim::jaro_winkler(&asked, name.as_str());
            (if contains { likeness + 1.0 } else { likeness }, name)
        })
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.into_iter().take(3).map(|(_, name)| name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_path_component_on_every_system() {
        for good in ["a", "rust-book", "v1.2_x", "9", "a..b", "comb", &"x".repeat(MAX_LEN)] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            "/etc",
            "-x",
            ".hidden",
            "a b",
            "Rust",
            "ü",
            "a.",
            "con",
            "nul.txt",
            "com1",
            "a\0b",
            "a\nb",
            "\u{1b}[2J",
            "https://example.org/",
            &"x".repeat(MAX_LEN + 1),
        ] {
            assert!(matches!(bad.parse::<Name>(), Err(Error::BadName { .. })), "{bad:?}");
        }
    }

    #[test]
    fn similar_names_are_suggested_and_others_are_not() {
        let names: Vec<Name> =
            ["rust-book", "papers", "postgres"].map(|name| name.parse().unwrap()).to_vec();
        assert_eq!(nearest("rust-bok", names.iter()), ["rust-book"]);
        assert_eq!(nearest("Book", names.iter()), ["rust-book"]);
        assert_eq!(nearest("zzz", names.iter()), Vec::<String>::new());
    }
}
