//! `--format brief`: a line for each page.

use std::io::Write;

use anyhow::Result;
use findling_engine::PageHit;

use super::byline::{authors_and_year, byline, is_paper, known};
use super::{Answer, comparable, names, title};
use crate::safe_text;

/// Writes a line for each page: rank, relevance, title and headings, location; for a paper also
/// authors, year and venue.
pub fn lines(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    for (rank, page) in answer.pages() {
        let section = page.sections.first();
        // Without a query there is no relevance.
        let relevance = match comparable(answer.response, page) {
            relevance if relevance > 0.0 => format!("[{relevance:.2}] "),
            _ => String::new(),
        };
        let location = answer.sources.locate(page, section);
        let about = if is_paper(&page.attributes) {
            paper(page)
        } else {
            let names: Vec<_> = names(page, section).map(safe_text::line).collect();
            let names = names.join(" › ");
            match byline(page, section) {
                Some(line) => format!("{names} ({line})"),
                None => names,
            }
        };
        writeln!(out, "{rank}. {relevance}{about}  {location}")?;
    }
    Ok(())
}

/// Returns a paper as texts cite it: `Smith et al. (2023) Title, Venue`.
fn paper(page: &PageHit) -> String {
    let title = safe_text::line(title(page)).into_owned();
    let named = format!("{} {title}", authors_and_year(page));
    match known(&page.attributes, "venue") {
        venue if venue.is_empty() => named,
        venue => format!("{named}, {venue}"),
    }
}
