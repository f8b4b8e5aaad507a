//! Org: headlines with their states and tags, text, code.
//!
//! [`headline`] reads the line of a headline, [`reader`] the structure, [`inline`] the markup
//! inside of text. `docs/sources.md` describes what is read.

mod headline;
mod inline;
mod keywords;
mod reader;

use super::file::File;
use super::includes::Includes;
use super::markdown::fields;
use super::{Options, Outcome, RawPage};
use reader::Reader;

/// Reads a page. `Err` has the reason why it is left out on purpose.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    let mut reader = Reader::new(Includes::of(file, &options.tree), options);
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    reader.keywords.define(&lines);
    reader.read(&lines);
    let finished = reader.finish();
    finished.includes.tell(file, outcome);
    let mut raw = RawPage::default();
    fields::apply(finished.keywords.of_page(), file, options, &mut raw)?;
    raw.page.sections = finished.sections;
    raw.left_out = finished.left_out;
    Ok(raw)
}

#[cfg(test)]
mod tests;
