//! Output of the shell for an answer, in each of its formats.
//!
//! Text of a site goes through [`crate::safe_text`] in all of them. `text` is for people, `json` is
//! the whole response, the others are for programs and editors.

mod brief;
pub(crate) mod byline;
pub(crate) mod citations;
mod failure;
mod groups;
mod json;
mod last;
mod location;
mod markdown;
mod meta;
pub(crate) mod pager;
pub(crate) mod snippet;
mod table;
pub mod text;
mod vectors;

use std::io::Write;
use std::slice;

use anyhow::Result;
use findling_engine::{PageHit, Response, SectionHit};

use crate::safe_text;
use crate::ui::{Paint, Ui};
use citations::Style;

pub use crate::usage_error::UsageError;
pub use failure::{Exit, Failure, Stale, is_full_disk};
pub use groups::group;
pub use last::{Last, LastHit};
pub use location::{FilePlace, Location, Place, Sources, lines_of_anchor};
pub use meta::{Meta, Timings};
pub use vectors::{Body, Vectors, body, require_vectors};

/// The version of the JSON that is printed: of the fields and of their meaning. Fields can be added
/// without a new version.
pub const SCHEMA: u32 = 1;

/// Format of a printed answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// The whole response as one JSON object.
    Json,
    /// A JSON object for each page, one per line.
    Jsonl,
    /// A numbered list with links and quotations.
    Markdown,
    /// A line for each page: rank, title, heading, location.
    Brief,
    /// A table with a row for each page.
    Csv,
    /// A list of references.
    Citations(Style),
    /// A line for each section: `path:line` if the source is on this machine, otherwise its URL.
    Paths,
}

/// An answer to be printed.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    /// The engine's response.
    pub response: &'a Response,
    /// Pages that were skipped first.
    pub offset: u32,
    /// About the answer.
    pub meta: &'a Meta,
    /// The files of the pages.
    pub sources: &'a Sources,
    /// The collection, if several are searched.
    pub collection: Option<&'a str>,
    /// The attribute whose values are printed above the pages that have them.
    pub group_by: Option<&'a str>,
    /// Whether the JSON has the field `timings` too.
    pub timings: bool,
    /// Vectors that the JSON has of each section.
    pub vectors: Option<&'a Vectors>,
}

impl Format {
    /// Returns whether the output is for people: the hits are then kept for `findling open`.
    pub fn is_for_people(self) -> bool {
        matches!(self, Self::Text | Self::Brief | Self::Markdown)
    }
}

impl Answer<'_> {
    /// Prints the answer.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&self, format: Format, ui: &Ui, out: &mut impl Write) -> Result<()> {
        let sources = self.sources.relative();
        // Output for people, and for tools that run in this directory, has short paths.
        let here = Answer { sources: &sources, ..*self };
        match format {
            Format::Text => text::response(&here, ui, out),
            Format::Json => json::whole(self, out),
            Format::Jsonl => json::lines(self, out),
            Format::Markdown => markdown::list(&here, out),
            Format::Brief => brief::lines(&here, out),
            Format::Csv => table::csv(self, out),
            Format::Citations(style) => citations::list(slice::from_ref(self), style, out),
            Format::Paths => table::paths(&here, out),
        }
    }

    /// Returns each page with its rank from 1.
    fn pages(&self) -> impl Iterator<Item = (usize, &PageHit)> {
        (self.offset as usize + 1..).zip(&self.response.results)
    }
}

/// Prints the answers of several bundles: references as one list, the others one after the other,
/// in formats for people below their names.
///
/// # Errors
/// If the output cannot be written.
pub fn write_all(
    answers: &[Answer<'_>],
    format: Format,
    ui: &Ui,
    mut out: &mut dyn Write,
) -> Result<()> {
    if let Format::Citations(style) = format {
        return citations::list(answers, style, &mut out);
    }
    for answer in answers {
        let name = answer.collection.map(safe_text::line);
        match (format, &name) {
            (Format::Text, Some(name)) => writeln!(out, "{}\n", ui.paint(Paint::Green, name))?,
            (Format::Markdown, Some(name)) => {
                writeln!(out, "## {}\n", safe_text::markdown(name))?;
            }
            _ => {}
        }
        answer.write(format, ui, &mut out)?;
        if format == Format::Text && name.is_some() {
            writeln!(out)?;
        }
    }
    if format == Format::Text && answers.is_empty() {
        writeln!(out, "{}", ui.paint(Paint::Dim, "nothing matches"))?;
    }
    Ok(())
}

/// Returns the page's title, or its id if it has no title.
pub fn title(page: &PageHit) -> &str {
    if page.title.is_empty() { &page.id } else { &page.title }
}

/// The BM25F score that counts a half.
const HALF_SCORE: f32 = 4.0;

/// How fast relevance approaches 1: a fused score of 1 gives 0.86.
const FUSED_RATE: f32 = 2.0;

/// Returns a page's relevance from 0 to 1, which is shown to people and compared between pages of
/// different bundles. It keeps the order of the scores. Scores by words alone have no limit; fused
/// scores may exceed 1.
pub fn comparable(response: &Response, page: &PageHit) -> f32 {
    let score = page.score.max(0.0);
    match response.mode {
        findling_engine::Mode::Lexical => score / (score + HALF_SCORE),
        _ => 1.0 - (-FUSED_RATE * score).exp(),
    }
}

/// The smallest probability at which results count as an answer, as in the search dialog.
pub const NOTHING_BELOW: f32 = 0.09;

/// Returns whether the results are only near by meaning and none is likely to answer the query. The
/// user of a search by meaning alone wants near pages, so the result is then `false`.
pub fn answers_nothing(response: &Response) -> bool {
    let has_words = |section: &SectionHit| section.legs.lexical_rank.is_some();
    let is_found = |page: &PageHit| page.pinned || page.sections.iter().any(has_words);
    response.mode != findling_engine::Mode::Semantic
        && response.answerable.is_some_and(|chance| chance < NOTHING_BELOW)
        && !response.results.iter().any(is_found)
}

/// Returns the score of the best page, by which answers of several bundles are compared.
pub fn best(response: &Response) -> f32 {
    response.results.first().map_or(0.0, |page| comparable(response, page))
}

/// Returns the address of a page's best section, or of the page.
fn address(page: &PageHit) -> &str {
    page.sections.first().map_or(&page.url, |section| &section.url)
}

/// Returns title and headings, from the outermost.
pub fn names<'a>(
    page: &'a PageHit,
    section: Option<&'a SectionHit>,
) -> impl Iterator<Item = &'a str> {
    let headings = section.map_or(&[][..], |section| &section.heading_path[..]);
    std::iter::once(title(page)).chain(below_title(title(page), headings))
}

/// Returns the headings. A first heading that repeats the title is left out.
pub fn below_title<'a>(title: &str, headings: &'a [String]) -> impl Iterator<Item = &'a str> {
    let repeats = headings.first().is_some_and(|first| first == title);
    headings.iter().skip(usize::from(repeats)).map(String::as_str)
}

#[cfg(test)]
mod tests;
