//! Markdown and MDX: front matter, headings with the anchors that site generators give them, text,
//! code.

mod components;
mod constructs;
mod dialects;
mod fences;
mod fields;
mod front_matter;
mod indented_blocks;
mod inline_html;
mod reader;
mod shortcodes;
mod slug;

use super::files::File;
use super::left_out::Trace;
use super::outline::Outline;
use super::{Options, Outcome, RawPage, Severity};
use reader::Reader;

/// Reads a page. `Err`: it is left out on purpose, and why.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
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

#[cfg(test)]
mod tests;
