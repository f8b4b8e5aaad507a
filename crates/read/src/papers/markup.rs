//! Text of markup: titles and abstracts come with commands of TeX and tags of HTML and JATS.
//!
//! Symbols and formulas are read by the tables of a parser of TeX; a formula that it cannot read
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

/// Returns the text of a field of another format. Marks of TeX are read as such only where there is
/// a command or a formula: a price and a set keep their signs.
pub(super) fn of_text(text: &str) -> String {
    let text = tags::without(text);
    #[cfg(feature = "bibliographies")]
    if tex::has_commands(&text) {
        return crate::outline::fold(&tex::plain(&text));
    }
    text
}
