//! Markdown and MDX: front matter, headings with the anchors that site generators give them, text,
//! code.

mod attribute_lists;
mod components;
mod constructs;
mod dialects;
mod directives;
mod fences;
pub(super) mod fields;
mod front_matter;
mod indented_blocks;
mod inline_html;
mod reader;
mod shortcodes;
pub(super) mod slug;

use super::files::File;
use super::left_out::Trace;
use super::outline::Outline;
use super::{Options, Outcome, RawPage, Severity, html};
use crate::page::Section;
use reader::Reader;

/// Words that a site's error page has at most.
const MAX_ERROR_PAGE_WORDS: usize = 40;

/// Reads a page. `Err`: it is left out on purpose, and why.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    let (fields, body) = front_matter(text, file, outcome);
    let mut raw = RawPage::default();
    fields::apply(fields, file, options, &mut raw)?;

    let is_mdx =
        file.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mdx"));
    let mut trace = Trace::new(options.trace);
    let body = indented_blocks::unwrap(body);
    let body = dialects::plain(&body, is_mdx, &mut trace);
    let mut reader = Reader::new(is_mdx, trace);
    reader.read(&body, 0);
    let reading = reader.finish();
    raw.names.h1 = reading.h1;
    raw.page.sections = reading.sections;
    raw.left_out = reading.left_out;
    if html::is_error_page_of_site(&file.id) && is_short(&raw.page.sections) {
        return Err("an error page".to_owned());
    }
    if raw.page.sections.is_empty()
        && raw.names.explicit.is_some()
        && let Some((_, description)) =
            raw.page.meta.iter().find(|(name, _)| name.eq_ignore_ascii_case("description"))
    {
        // A section's front page: what the site shows of it is its description.
        let mut outline = Outline::new();
        outline.text().push(description);
        raw.page.sections = outline.finish();
    }
    Ok(raw)
}

/// The fields of front matter, and the text behind it. Front matter that is not valid is told.
pub(super) fn front_matter<'a>(
    text: &'a str,
    file: &File,
    outcome: &mut Outcome,
) -> (serde_json::Map<String, serde_json::Value>, &'a str) {
    let (front, body) = front_matter::split(text);
    let fields = match front.map(|front| front.parse()) {
        None => serde_json::Map::new(),
        Some(Ok(fields)) => fields,
        Some(Err((line, reason))) => {
            outcome.tell(
                Severity::Warning,
                &file.path,
                line,
                format!("front matter is ignored, because it is not valid: {reason}"),
            );
            serde_json::Map::new()
        }
    };
    (fields, body)
}

/// Whether a page called `404` says no more than that something is not there.
fn is_short(sections: &[Section]) -> bool {
    let blocks = sections.iter().flat_map(|section| &section.blocks);
    blocks.map(|block| block.text.split_whitespace().count()).sum::<usize>() < MAX_ERROR_PAGE_WORDS
}

#[cfg(test)]
mod tests;
