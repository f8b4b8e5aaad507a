//! reStructuredText: sections with the anchors that docutils and Sphinx give them, objects of
//! Sphinx's domains, text, code.
//!
//! [`blocks`] reads the structure, [`directives`] reads the blocks that begin with `.. name::`,
//! [`inline`] reads the markup inside of text. `docs/sources.md` describes what is read.

mod blocks;
mod cpp;
mod directives;
mod ids;
mod inline;
mod lines;
mod objects;
mod tables;

use serde_json::{Map, Value};

use super::file::File;
use super::includes::Includes;
use super::left_out::Trace;
use super::markdown::fields;
use super::outline::fold;
use super::{Options, Outcome, RawPage};
use blocks::Reader;

/// Reads a page. `Err` has the reason why it is left out on purpose.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    let text = lines::expanded(text.trim_start_matches('\u{feff}'));
    let mut reader = Reader::new(Includes::of(file, &options.tree), options);
    let lines: Vec<&str> = text.lines().collect();
    reader.define(&lines);
    reader.read(&lines);
    let Reader { outline, context, fields, h1, includes, modules, .. } = reader;
    includes.tell(file, outcome);
    let mut raw = RawPage::default();
    fields::apply(of_page(fields), file, options, &mut raw)?;
    raw.names.h1 = h1;
    raw.page.aliases.extend(modules);
    raw.page.sections = outline.finish();
    raw.left_out = context.trace.finish();
    Ok(raw)
}

/// Fields that control a generator and say nothing about a page.
const PRESENTATION: [&str; 6] =
    ["tocdepth", "nocomments", "orphan", "nosearch", "toc-depth", "organization-logo"];

/// Returns the fields at the beginning of a page, and the fields of `.. meta::`, in the form of
/// front matter.
fn of_page(found: Vec<(String, String)>) -> Map<String, Value> {
    let mut fields = Map::new();
    for (name, text) in found {
        let name = name.trim().to_ascii_lowercase();
        let text = fold(&text);
        let lists = |text: &str| -> Value {
            text.split([',', ';']).map(fold).filter(|item| !item.is_empty()).collect()
        };
        match name.as_str() {
            // Sphinx leaves such a page out of its own search.
            "nosearch" => {
                fields.insert("search".to_owned(), Value::Bool(false));
            }
            name if PRESENTATION.contains(&name) => {}
            "keywords" | "tags" | "categories" => {
                let name = if name == "keywords" { "tags" } else { name.as_str() };
                fields.insert(name.to_owned(), lists(&text));
            }
            "authors" => {
                fields.insert("author".to_owned(), lists(&text));
            }
            // `.. meta::` writes `:description lang=en:`.
            name if name.starts_with("description") => {
                fields.insert("description".to_owned(), Value::String(text));
            }
            "title" | "author" | "date" | "version" | "status" | "language" | "lang" | "slug"
            | "category" | "summary" | "organization" | "revision" => {
                fields.insert(name, Value::String(text));
            }
            _ => {}
        }
    }
    fields
}

/// Returns the trace of a page.
fn trace(options: &Options) -> Trace {
    Trace::new(options.trace)
}

#[cfg(test)]
mod tests;
