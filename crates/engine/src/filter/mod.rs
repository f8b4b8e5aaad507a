//! Conditions on attributes: one grammar behind three spellings.
//!
//! | spelling | example |
//! |---|---|
//! | pairs | `book=reference,lang=en` |
//! | operators | `lang:in:en\|de,year:gte:2020,title:contains:"the book"` |
//! | JSON | `{"must": [{"match": {"lang": "en"}}], "must_not": [{"match": {"book": "old"}}]}` |
//! | JSON, the short way | `{"book": "book", "lang": ["en", "de"], "year": {"gte": 2020}}` |
//!
//! All become one [`Condition`], whose `Display` is the canonical spelling that explanations print
//! and that parses back to itself. [`parse`] takes text in any spelling (text that begins with `{`
//! is JSON), [`from_json`] a JSON value.
//!
//! **Text.** Terms separated by commas, all of which must hold. `key=value` repeated for one key
//! asks for any of its values, as a row of ticked boxes does: `lang=en,lang=de` is `lang:in:en|de`.
//! `key:op:value` knows `eq`, `ne`, `in` (a list `a|b|c`), `gt`, `gte`, `lt`, `lte` and `contains`,
//! and repeated it asks for each, so that `tags:eq:a,tags:eq:b` wants both and
//! `year:gte:2020,year:lt:2022` is a range. Keys and values may be quoted, `"so"` or `'so'`, with
//! `\` before a quote or backslash inside; they must be where they contain `,`, `|` (in lists) or
//! begin with a quote, keys also where they contain `=` or `:`.
//!
//! **JSON.** `must`: all of them; `should`: at least one, where there are any; `must_not`: none.
//! Each holds an object, a condition as text, or an array of these, to any depth up to
//! [`MAX_DEPTH`]; so `{"must": [a, b]}` joins any two conditions. Leaves:
//! `{"match": {"key": value}}`, `{"any": {"key": [values]}}`, `{"range": {"key": {"gte": from,
//! "lt": to}}}`, `{"text": {"key": "part"}}`, each of which may also be written `{"key": "key",
//! "match": value}`, and so on. An object with none of these words is the short way: all keys,
//! any of the values of an array, an object of operators for the rest. An attribute that is called
//! like one of the words is reached by a leaf.
//!
//! **Meaning.** A condition is one on sections. An attribute of pages holds for all sections of a
//! page; where sections have values of their own for it, one without has its page's. A section
//! without the attribute fails every test of it, and so passes `ne` and `must_not`. On a set of
//! strings a test holds where it does for one of the members. Strings match exactly, or else
//! without regard to case; `contains` disregards case always. Dates are those of [`date`]: a date
//! given to the month stands for the month. What the type of an attribute does not allow, such as
//! `gt` on strings, is an error that says what values there are; a string that no page or section
//! has is a notice (`unknown-value`) that names the near ones, and matches nothing, and so is a
//! number or a date on whose side of a bound none lies.

#![doc(alias = "deferred")]

mod compile;
mod condition;
pub mod date;
mod error;
mod json;
pub(crate) mod number;
mod resolve;
mod text;
mod unknown_value;

pub use compile::Matched;
pub(crate) use compile::unknown_values;
pub use condition::{Bound, Condition, Predicate, Test};
pub use error::FilterError;
pub use json::from_json;
pub(crate) use resolve::{
    ResolvedFilter, TypeMismatch, filter_of, not_a_value, post_filter_of, refuse, resolve,
};
pub use text::parse;

/// Most levels of a condition in JSON, the innermost object included.
pub const MAX_DEPTH: usize = 16;
/// Most tests of a condition.
pub const MAX_TESTS: usize = 256;
/// Most values of all tests together.
pub const MAX_VALUES: usize = 4096;
/// Most bytes of a condition's text.
pub const MAX_LEN: usize = 64 << 10;
