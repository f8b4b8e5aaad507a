//! Types and values of attributes, and the items that have them.

use crate::Stats;

/// The types an attribute can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// One string.
    String = 0,
    /// A set of strings.
    Strings = 1,
    /// A number (f64).
    Number = 2,
    /// A date: whole milliseconds since 1970-01-01 UTC, exact as an f64.
    Date = 3,
    /// True or false.
    Bool = 4,
}

impl AttributeKind {
    /// All types, by their numbers.
    const ALL: [Self; 5] = [Self::String, Self::Strings, Self::Number, Self::Date, Self::Bool];

    /// Returns the type of a number; `None` if this version knows no such type.
    pub(crate) fn of(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// The kind of item that has the values of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeLevel {
    /// Pages. A value applies to all sections of a page.
    Page = 0,
    /// Sections, each with its own value.
    Section = 1,
}

impl AttributeLevel {
    /// Returns the number of pages, or of sections.
    pub fn count(self, stats: &Stats) -> u32 {
        match self {
            Self::Page => stats.n_pages,
            Self::Section => stats.n_sections,
        }
    }
}

/// The value of one attribute of one page or section.
#[derive(Clone, Debug, PartialEq, bincode::Encode, bincode::Decode)]
pub enum AttributeValue {
    /// One string.
    String(String),
    /// A set of strings, sorted, without duplicates.
    Strings(Vec<String>),
    /// A number; never NaN.
    Number(f64),
    /// Milliseconds since 1970-01-01 UTC.
    Date(i64),
    /// True or false.
    Bool(bool),
}

impl AttributeValue {
    /// Returns the type.
    pub fn kind(&self) -> AttributeKind {
        match self {
            Self::String(_) => AttributeKind::String,
            Self::Strings(_) => AttributeKind::Strings,
            Self::Number(_) => AttributeKind::Number,
            Self::Date(_) => AttributeKind::Date,
            Self::Bool(_) => AttributeKind::Bool,
        }
    }
}
