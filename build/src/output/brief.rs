//! `--format brief`: a line for each page.

use std::io::Write;

use anyhow::Result;

use super::{Answer, names};
use crate::safe_text;

/// Writes a line for each page: rank, title and headings, location.
pub fn lines(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    for (rank, page) in answer.pages() {
        let section = page.sections.first();
        let names: Vec<_> = names(page, section).map(safe_text::line).collect();
        let location = answer.sources.locate(page, section);
        writeln!(out, "{rank}. {}  {location}", names.join(" › "))?;
    }
    Ok(())
}
