//! Conditions on attributes: one grammar behind three spellings.
//!
//! | spelling | example |
//! |---|---|
//! | pairs | `book=reference,lang=en` |
//! | operators | `lang:in:en\|de,year:gte:2020,title:contains:"the book"` |
//! | JSON | `{"must": [{"match": {"lang": "en"}}], "must_not": [{"match": {"book": "old"}}]}` |
//! | JSON, the short way | `{"book": "book", "lang": ["en", "de"], "year": {"gte": 2020}}` |
//!
//! All become a [`Condition`]. Its `Display` is the canonical spelling, which explanations print
//! and which parses to the same condition. [`parse`] takes text in any spelling (text that begins
//! with `{` is JSON), [`from_json`] a JSON value.
//!
//! **Text.** Terms are separated by commas, and all of them must hold. `key=value` repeated for one
//! key asks for any of its values, like a row of ticked boxes: `lang=en,lang=de` is
//! `lang:in:en|de`. `key:op:value` knows `eq`, `ne`, `in` (a list `a|b|c`), `gt`, `gte`, `lt`,
//! `lte` and `contains`, and if repeated, each must hold, so that `tags:eq:a,tags:eq:b` requires
//! both and `year:gte:2020,year:lt:2022` is a range. Keys and values may be quoted, `"so"` or
//! `'so'`, with `\` before a quote or backslash inside; they must be quoted if they contain `,` or
//! `|` (in lists) or begin with a quote; keys also if they contain `=` or `:`.
//!
//! **JSON.** `must`: all of them; `should`: at least one, if there are any; `must_not`: none. Each
//! holds an object, a condition as text, or an array of these, to any depth up to [`MAX_DEPTH`]; so
//! `{"must": [a, b]}` joins any two conditions. Leaves: `{"match": {"key": value}}`, `{"any":
//! {"key": [values]}}`, `{"range": {"key": {"gte": from, "lt": to}}}`, `{"text": {"key": "part"}}`,
//! each of which may also be written `{"key": "key", "match": value}`, and so on. An object without
//! these words is the short form: all keys must hold, an array means any of its values, and an
//! object has operators. An attribute whose name is one of the words needs a leaf.
//!
//! **Meaning.** A condition applies to sections. An attribute of pages holds for all sections of a
//! page. If sections have their own values of the attribute, a section without a value has its
//! page's value. A section without the attribute fails every test of it, and so passes `ne` and
//! `must_not`. On a set of strings a test holds if it holds for one of the members. Strings match
//! exactly, or else ignoring case; `contains` always ignores case. Dates are read by [`date`]: a
//! date without a day means the whole month. A test that the attribute's type does not allow, such
//! as `gt` on strings, is an error that names the existing values. A string that no page or section
//! has matches nothing; a notice (`unknown-value`) names similar values. The same notice is given
//! for a bound that no number or date satisfies.

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

/// Maximum number of levels of a condition in JSON, the innermost object included.
pub const MAX_DEPTH: usize = 16;
/// Maximum number of tests of a condition.
pub const MAX_TESTS: usize = 256;
/// Maximum number of values of all tests together.
pub const MAX_VALUES: usize = 4096;
/// Maximum number of bytes of a condition's text.
pub const MAX_LEN: usize = 64 << 10;
