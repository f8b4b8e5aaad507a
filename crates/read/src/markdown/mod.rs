//! Markdown and MDX: front matter, headings with the anchors that site generators give them, text,
//! code.

mod asked_out;
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
mod taken_in;
mod wiki;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::file::File;
use super::includes::Includes;
use super::left_out::Trace;
use super::outline::Outline;
use super::tree::Tree;
use super::{Format, Options, Outcome, RawPage, Severity, html};
use findling_page::page::Section;
use reader::Reader;

/// Maximum number of words of a site's error page.
const MAX_ERROR_PAGE_WORDS: usize = 40;

/// Reads a page. `Err` has the reason why it is left out on purpose.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    if let Some(reason) = no_page(file) {
        return Err(reason.to_owned());
    }
    let (fields, body) = front_matter(text, file, outcome);
    if is_table_of_contents(file, body) {
        return Err("is a table of contents, by its name".to_owned());
    }
    let mut raw = RawPage::default();
    fields::apply(fields, file, options, &mut raw)?;
    let includes = Includes::of(file, &options.tree);
    let body = taken_in::expanded(body, &includes);
    includes.tell(file, outcome);
    let body = wiki::plain(&body, order_of_links(file, &options.tree));

    let is_mdx =
        file.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mdx"));
    let mut trace = Trace::new(options.trace);
    let body = indented_blocks::unwrap(&body);
    let body = dialects::plain(&body, is_mdx, &mut trace);
    let mut reader = Reader::new(is_mdx, trace);
    reader.read(&body, 0);
    let reading = reader.finish();
    raw.names.h1 = reading.h1.or(raw.names.h1);
    raw.page.sections = reading.sections;
    raw.left_out = reading.left_out;
    add_front(&mut raw);
    if html::is_error_page_of_site(&file.id) && is_short(&raw.page.sections) {
        return Err("an error page".to_owned());
    }
    if raw.page.sections.is_empty()
        && raw.names.explicit.is_some()
        && let Some((_, description)) =
            raw.page.meta.iter().find(|(name, _)| name.eq_ignore_ascii_case("description"))
    {
        // A section's front page: the site only shows its description.
        let mut outline = Outline::new();
        outline.text().push(description);
        raw.page.sections = outline.finish();
    }
    Ok(raw)
}

/// Returns the sections of Markdown that is not a page.
pub(super) fn sections_of(text: &str) -> Vec<Section> {
    let mut reader = Reader::new(false, Trace::new(false));
    reader.read(text, 0);
    reader.finish().sections
}

/// Returns the reason why a file is not a page, by its name: it is a draft, or a part of other
/// pages.
fn no_page(file: &File) -> Option<&'static str> {
    let mut names = file.id.split('/').rev();
    let name = names.next().unwrap_or_default();
    let is_part = name.starts_with('_') && !name.to_ascii_lowercase().starts_with("_index.");
    for directory in names {
        match directory {
            "_drafts" => return Some("a draft"),
            "_partials" | "_includes" | "_include" | "_layouts" | "_snippets" | "_templates"
            | "_sass" | "_data" | "_components" | "_shared" => {
                return Some("is a part of other pages, by its directory");
            }
            _ => {}
        }
    }
    is_part.then_some("is a part of other pages, by its name (`_`)")
}

/// Returns whether a file is the table of contents of mdBook, GitBook or mkdocs-literate-nav.
fn is_table_of_contents(file: &File, body: &str) -> bool {
    let name = file.id.rsplit('/').next().unwrap_or_default();
    let lines =
        || body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_entry = |line: &&str| {
        let line = line.trim_start_matches(['-', '*', '+', ' ']);
        line.starts_with('[') && line.ends_with(')') || line.starts_with("---")
    };
    matches!(name, "SUMMARY.md" | "summary.md" | "NAV.md" | "nav.md")
        && lines().count() > 0
        && lines().filter(is_entry).count() * 2 > lines().count()
}

/// Leaves out pages that other pages include, if they have no title of their own.
pub(super) fn drop_parts(outcomes: &mut [Outcome]) {
    let parts: HashSet<PathBuf> = outcomes
        .iter()
        .filter(|outcome| outcome.pages.iter().any(|raw| raw.format == Some(Format::Markdown)))
        .flat_map(|outcome| &outcome.included)
        .filter(|included| included.hash.is_some())
        .map(|included| plain_path(&included.path))
        .collect();
    if parts.is_empty() {
        return;
    }
    for outcome in outcomes {
        let mut dropped = Vec::new();
        outcome.pages.retain(|raw| {
            let is_part = raw.format == Some(Format::Markdown)
                && raw.names.explicit.is_none()
                && raw.names.h1.is_none()
                && parts.contains(&plain_path(&raw.path));
            if is_part {
                dropped.push(raw.path.clone());
            }
            !is_part
        });
        for path in dropped {
            outcome.tell(Severity::Skipped, &path, None, "is a part of another page");
        }
    }
}

/// Returns a path without `.`.
fn plain_path(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}

/// Returns the order of text and page in links by name. A wiki of GitHub is known by files of its
/// own.
fn order_of_links(file: &File, tree: &Tree) -> wiki::Order {
    let directory = file.path.parent().unwrap_or(Path::new(""));
    let is_github = ["_Sidebar.md", "_Footer.md", "Home.md"]
        .iter()
        .any(|name| tree.is_file(&directory.join(name)));
    if is_github { wiki::Order::TextFirst } else { wiki::Order::PageFirst }
}

/// Puts the texts in a front page's fields before its text.
fn add_front(raw: &mut RawPage) {
    let texts = std::mem::take(&mut raw.front);
    if texts.is_empty() {
        return;
    }
    let mut outline = Outline::new();
    for text in texts {
        outline.text().push(&text);
        outline.end_block();
    }
    let mut front = outline.finish();
    match raw.page.sections.first_mut().filter(|section| section.level == 0) {
        Some(first) => {
            for section in front {
                first.blocks.splice(0..0, section.blocks);
            }
        }
        None => {
            front.append(&mut raw.page.sections);
            raw.page.sections = front;
        }
    }
}

/// Returns the fields of front matter, and the text after it. Front matter that is not valid is
/// reported.
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

/// Returns whether a page named `404` only says that something does not exist.
fn is_short(sections: &[Section]) -> bool {
    let blocks = sections.iter().flat_map(|section| &section.blocks);
    blocks.map(|block| block.text.split_whitespace().count()).sum::<usize>() < MAX_ERROR_PAGE_WORDS
}

#[cfg(test)]
mod tests;
