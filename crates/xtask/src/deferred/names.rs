//! Functions by the names that compilers give them.
//!
//! A module's names are demangled: `engine::index::Index::rare::h0123456789abcdef` in the legacy
//! scheme, `<engine[0123456789abcdef]::index::Index>::rare` in the present one (Rust RFC 2603).

/// Functions of other crates that only deferred functions call, or that few searches call: parts
/// of their names.
pub const OF_OTHER_CRATES: &[&str] = &[
    // Numbers in sentences.
    "core::fmt::float",
    "core::num::flt2dec",
    "core::num::bignum",
    // Numbers in requests that are not whole.
    "serde_json::de::Deserializer<R>::parse_decimal",
    "serde_json::de::Deserializer<R>::parse_exponent",
    "serde_json::de::Deserializer<R>::f64_from_parts",
    // Errors in requests.
    "serde_json::error::",
    "serde_json::read::error",
    "serde_json::read::SliceRead::position_of_index",
    "serde_json::de::Deserializer<R>::peek_error",
    "serde_json::de::Deserializer<R>::error",
    // Texts for tests.
    "core::fmt::Debug>::fmt",
    "core::fmt::builders",
];

/// The name of the deferred part.
pub const REST: &str = "rest";

/// Functions that a marker names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// All functions in a module: its path, with `::` at its end.
    Module(String),
    /// One function: its path.
    Function(String),
    /// A method: crate, type and name. Names do not contain the module of the implementation.
    Method(String, String, String),
    /// All functions whose names contain a text.
    Containing(&'static str),
}

/// The functions that are not in the first part.
#[derive(Clone, Debug, Default, Hash)]
pub struct Functions {
    /// The functions of the deferred part.
    pub deferred: Vec<Named>,
    /// Exceptions from these functions.
    pub kept: Vec<Named>,
    /// Modules in which each function is a separate part.
    pub parts: Vec<Named>,
}

impl Functions {
    /// Returns the part that contains a function; `None` for the first part.
    pub fn part_of(&self, name: &str) -> Option<String> {
        let name = plain(name);
        let any = |named: &[Named]| named.iter().any(|named| named.is(&name));
        // Code of the first part that may hold a value of a deferred type also drops it.
        if name.contains("drop_in_place") || any(&self.kept) {
            return None;
        }
        let own = self.parts.iter().find_map(|named| match named {
            Named::Module(path) => name.strip_prefix(path.as_str()),
            _ => None,
        });
        match own {
            Some(behind) => {
                Some(behind.chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect())
            }
            None => any(&self.deferred).then(|| REST.to_owned()),
        }
    }

    /// Returns the marked names that match none of these functions, because a function was inlined
    /// or is never called.
    pub fn absent<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        let names: Vec<String> = names.map(plain).collect();
        let all = self.deferred.iter().chain(&self.kept).chain(&self.parts);
        all.filter(|named| !names.iter().any(|name| named.is(name))).map(Named::text).collect()
    }
}

impl Named {
    /// Returns whether a plain name is one of these.
    fn is(&self, name: &str) -> bool {
        let ends = |behind: &str| {
            behind.is_empty() || ["::", "<", ">", " "].iter().any(|end| behind.starts_with(end))
        };
        match self {
            Self::Module(path) => found(name, path).next().is_some(),
            Self::Function(path) => found(name, path).any(ends),
            Self::Method(of, ty, method) => {
                name.trim_start_matches('<').starts_with(of.as_str())
                    && found(name, &format!("::{ty}")).any(|behind| {
                        behind_type(behind)
                            .strip_prefix("::")
                            .and_then(|behind| behind.strip_prefix(method.as_str()))
                            .is_some_and(ends)
                    })
            }
            Self::Containing(text) => name.contains(text),
        }
    }

    /// Returns the name that errors use.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Module(path) => path.trim_end_matches("::").to_owned(),
            Self::Function(path) => path.clone(),
            Self::Method(of, ty, method) => format!("{of}::…::{ty}::{method}"),
            Self::Containing(text) => (*text).to_owned(),
        }
    }
}

/// Returns the text after each occurrence of a path in a name. A path does not begin inside of a
/// word.
fn found<'a>(name: &'a str, path: &'a str) -> impl Iterator<Item = &'a str> {
    name.match_indices(path).filter_map(move |(at, _)| {
        let before = name[..at].chars().next_back();
        let within = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let begins = path.starts_with(':') || !before.is_some_and(within);
        begins.then(|| &name[at + path.len()..])
    })
}

/// Returns the text after a type's parameters and the brackets around it: `::f` of `<A, B>>::f`.
fn behind_type(text: &str) -> &str {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth <= 0 => return &text[at..],
            _ => {}
        }
    }
    ""
}

/// Returns a name without hashes and without the number that makes it unique: `core::fmt` of
/// `core[c5930c85a12de822]::fmt #7`.
fn plain(name: &str) -> String {
    let name = name.split_once(" #").map_or(name, |(name, _)| name);
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once(']') {
            Some((hash, after)) if is_hash(hash) => rest = after,
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    if let Some((before, hash)) = out.rsplit_once("::h")
        && is_hash(hash)
    {
        out.truncate(before.len());
    }
    out
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str) -> Named {
        Named::Module(format!("{path}::"))
    }

    #[test]
    fn names_lead_to_parts() {
        let method = |ty: &str, name: &str| {
            Named::Method("engine".to_owned(), ty.to_owned(), name.to_owned())
        };
        let functions = Functions {
            deferred: vec![
                module("engine::filter"),
                Named::Function("engine::rank::spread".to_owned()),
                method("Index", "rare"),
                method("Run", "narrow"),
            ],
            kept: vec![Named::Function("engine::filter::date::format".to_owned())],
            parts: vec![module("text::languages")],
        };
        for (name, expect) in [
            ("engine[0123456789abcdef]::filter::eval #7", Some(REST)),
            ("<engine::filter::A as core::fmt::Debug>::fmt", Some(REST)),
            ("engine::filter::date::format::h0123456789abcdef", None),
            ("engine::filter::date::format_all", Some(REST)),
            ("core::ptr::drop_in_place<engine::filter::A>", None),
            ("other_engine::filter::eval", None),
            ("engine::rank", None),
            ("engine::rank::spread", Some(REST)),
            ("engine::rank::spread::{closure#0}", Some(REST)),
            ("engine::rank::spread_out", None),
            ("engine::rank::Rank::spread", None),
            ("engine::index::Index::rare::h0123456789abcdef", Some(REST)),
            ("<engine[0123456789abcdef]::index::Index>::rare", Some(REST)),
            ("engine::other::<impl engine::index::Index>::rare", Some(REST)),
            ("engine::index::Index::rarely", None),
            ("engine::index::MyIndex::rare", None),
            ("engine::run::Run<F>::narrow", Some(REST)),
            ("<engine::run::Run<alloc::vec::Vec<F>>>::narrow::{closure#1}", Some(REST)),
            ("text[0123456789abcdef]::languages::es #12", Some("es")),
            ("text::languages::es::{closure#0}", Some("es")),
            ("text::rules::es", None),
            ("<text::languages::es as core::ops::Fn>::call", None),
        ] {
            assert_eq!(functions.part_of(name).as_deref(), expect, "{name}");
        }
    }

    #[test]
    fn markers_of_functions_that_are_not_there_are_found() {
        let functions = Functions {
            deferred: vec![module("engine::filter"), Named::Function("engine::gone".to_owned())],
            ..Functions::default()
        };
        assert_eq!(functions.absent(["engine::filter::eval"].into_iter()), ["engine::gone"]);
    }
}
