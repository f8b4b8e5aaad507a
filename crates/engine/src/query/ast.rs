//! The parts of a query.

/// A query, split by its syntax.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// Words and phrases, in the order written.
    pub clauses: Vec<Clause>,
    /// `attribute:value` for attributes the bundle has.
    pub conditions: Vec<Condition>,
    /// Whether the last clause could be the beginning of a longer word: it is a word, and nothing follows it.
    pub open_end: bool,
    /// Whether text behind the limit was left out.
    pub truncated: bool,
}

/// A word or a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    pub kind: ClauseKind,
    /// As written, without quotes and without the minus.
    pub text: String,
    /// Whether a hit must not have it.
    pub excluded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClauseKind {
    /// What stands between spaces; analysis may find several terms in it.
    Word,
    /// What stands between quotation marks.
    Phrase,
}

/// `attribute:value`, or `-attribute:value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub attribute: String,
    pub value: String,
    pub excluded: bool,
}
