//! The parts of a query.

/// A query, split by its syntax.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// Words and phrases, in the order written.
    pub clauses: Vec<Clause>,
    /// `attribute:value` for attributes that the bundle has.
    pub conditions: Vec<Condition>,
    /// Whether the last clause could be the beginning of a longer word: it is a word, and nothing
    /// follows it.
    pub open_end: bool,
    /// Whether text beyond the limit was left out.
    pub truncated: bool,
}

/// A word or a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    pub kind: ClauseKind,
    /// The text as written, without quotes and minus.
    pub text: String,
    /// Whether it is excluded: hits must not have it.
    pub excluded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClauseKind {
    /// Text between spaces; analysis may find several terms in it.
    Word,
    /// Text between quotation marks.
    Phrase,
}

/// `attribute:value`, or `-attribute:value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub attribute: String,
    pub value: String,
    pub excluded: bool,
}

impl Query {
    /// Returns a text that would be split into these parts, conditions first.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let conditions = self.conditions.iter().map(|condition| {
            let Condition { attribute, value, excluded } = condition;
            let bare = value
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':'));
            (*excluded, format!("{attribute}:{}", if bare { value.clone() } else { quote(value) }))
        });
        let clauses = self.clauses.iter().map(|clause| {
            let phrase = clause.kind == ClauseKind::Phrase;
            (clause.excluded, if phrase { quote(&clause.text) } else { clause.text.clone() })
        });
        for (excluded, part) in conditions.chain(clauses) {
            let space = if text.is_empty() { "" } else { " " };
            let minus = if excluded { "-" } else { "" };
            text += &[space, minus, &part].concat();
        }
        text
    }
}

/// Quotes a text with quotation marks that it does not contain.
fn quote(text: &str) -> String {
    if text.contains('"') { format!("«{text}»") } else { format!("\"{text}\"") }
}
