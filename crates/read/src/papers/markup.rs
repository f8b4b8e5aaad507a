//! Conversion of markup to text: titles and abstracts contain TeX commands, and tags of HTML and
//! JATS.
//!
//! Symbols and formulas are read with the tables of a TeX parser; a formula that it cannot read
//! stays as it is written.

mod tags;
#[cfg(feature = "bibliographies")]
mod tex;
#[cfg(feature = "bibliographies")]
mod tex_tables;

/// Returns the text of a field of BibTeX, in which braces are marks.
#[cfg(feature = "bibliographies")]
pub(super) fn of_bibtex(text: &str) -> String {
    tags::without(&tex::plain(text))
}

/// Returns the text of a field of another format. Marks of TeX are only read as such if there is a
/// command or a formula, so a price or a set keeps its signs.
pub(super) fn of_text(text: &str) -> String {
    let text = tags::without(text);
    #[cfg(feature = "bibliographies")]
    if tex::has_commands(&text) {
        return crate::outline::fold(&tex::plain(&text));
    }
    text
}
