//! AsciiDoc: parsed by the crate `asciidoc-parser`, written as HTML, and read by the reader of
//! HTML, so that the same rules hold for a page and for its source.
//!
//! [`prepare`] changes syntax that the parser does not know into syntax that it knows. [`macros`]
//! replaces macros that only a site's own extension defines by text. [`html`] writes the HTML.

mod html;
mod macros;
mod prepare;

use std::rc::Rc;

use asciidoc_parser::attributes::Attrlist;
use asciidoc_parser::document::InterpretedValue;
use asciidoc_parser::parser::{
    IncludeContent, IncludeFileHandler, IncludeResolution, ModificationContext,
};
use asciidoc_parser::{Document, Parser, SafeMode};
use serde_json::{Map, Value};

use super::antora;
use super::file::File;
use super::includes::Includes;
use super::outline::{Outline, fold};
use super::{Options, Outcome, RawPage, Severity, markdown};

/// Largest file. The reading time is proportional to the size, but longer than for other formats.
const MAX_BYTES: usize = 8 << 20;

/// Reads a page. `Err`: the page is left out on purpose; the text is the reason.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    if is_part(file) {
        return Err("is a part of other pages, by its name (`_`)".to_owned());
    }
    if antora::is_no_page(file) {
        return Err("is no page, by its place in a module of Antora".to_owned());
    }
    let mut raw = RawPage::default();
    let (front, text) = markdown::front_matter(text, file, outcome);
    let includes = Rc::new(Includes::of(file, &options.tree));
    let prepared = if text.len() > MAX_BYTES {
        Err(format!("has {} bytes, more than the limit of {MAX_BYTES}; split it", text.len()))
    } else {
        prepare::prepared(&antora::with_titles(text, file, &includes))
    };
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(reason) => {
            outcome.tell(Severity::Error, &file.path, None, reason.clone());
            return Err(reason);
        }
    };
    let mut parser = Parser::new()
        .with_safe_mode(SafeMode::Server)
        .with_intrinsic_attribute(
            "max-attribute-value-size",
            prepare::MAX_VALUE_BYTES.to_string(),
            ModificationContext::ApiOnly,
        )
        .with_include_file_handler(Handler(Rc::clone(&includes), file.id.clone()));
    for (name, value) in antora::attributes(file, &options.tree) {
        parser = parser.with_intrinsic_attribute(name, value, ModificationContext::Anywhere);
    }
    let document = parser.parse(&prepared);
    let title = document.doctitle().map(|title| fold(&html::text(title)));
    let mut fields = of_page(&document);
    fields.extend(front);
    markdown::fields::apply(fields, file, options, &mut raw)?;
    raw.names.h1 = title.filter(|title| !title.is_empty());
    let markup = html::of_document(&document);
    let fragment = super::html::read_fragment(&markup, Outline::new(), options.trace);
    raw.page.sections = fragment.outline.finish();
    raw.left_out = fragment.left_out;
    includes.tell(file, outcome);
    Ok(raw)
}

/// Returns whether a file is only included in other files. Asciidoctor and Antora recognise such a
/// file by its name.
fn is_part(file: &File) -> bool {
    let mut names = file.id.split('/').rev();
    names.next().is_some_and(|name| name.starts_with('_'))
        || names.any(|directory| matches!(directory, "partials" | "_partials"))
}

/// Returns the attributes of a document that describe it, like the fields of front matter.
fn of_page(document: &Document) -> Map<String, Value> {
    let mut fields = Map::new();
    let authors: Vec<String> = document
        .authors()
        .iter()
        .map(|author| fold(&html::text(author.name())))
        .filter(|name| !name.is_empty())
        .collect();
    match authors.as_slice() {
        [] => {}
        [author] => {
            fields.insert("author".to_owned(), Value::String(author.clone()));
        }
        _ => {
            fields.insert("author".to_owned(), authors.into());
        }
    }
    let attribute = |name: &str| match document.attribute_value(name) {
        InterpretedValue::Value(value) => Some(fold(&value)).filter(|value| !value.is_empty()),
        InterpretedValue::Set | InterpretedValue::Unset => None,
    };
    let texts = [
        ("description", "description"),
        ("revdate", "date"),
        ("lang", "language"),
        ("page-slug", "slug"),
        ("page-category", "category"),
        ("category", "category"),
        ("product", "product"),
    ];
    for (name, field) in texts {
        if let Some(value) = attribute(name) {
            fields.insert(field.to_owned(), Value::String(value));
        }
    }
    let tags =
        ["keywords", "tags", "page-tags", "jbake-tags"].iter().find_map(|name| attribute(name));
    if let Some(tags) = tags {
        let tags: Vec<String> = tags
            .trim_matches(['[', ']'])
            .split(',')
            .map(fold)
            .filter(|tag| !tag.is_empty())
            .collect();
        fields.insert("tags".to_owned(), tags.into());
    }
    fields
}

/// Includes files below the root.
#[derive(Debug)]
struct Handler(Rc<Includes>, String);

impl IncludeFileHandler for Handler {
    fn resolve_target<'src>(
        &self,
        source: Option<&str>,
        target: &str,
        _: &Attrlist<'src>,
        _: &Parser,
    ) -> IncludeResolution {
        let from = source.map(|source| self.0.beside(source));
        let resource = antora::resource(&self.1, target);
        let text = self.0.open(from.as_deref(), resource.as_deref().unwrap_or(target));
        // A warning names a missing file; nothing replaces it in the page.
        let text = text.ok().and_then(|(_, text)| prepare::prepared(&text).ok());
        IncludeContent::transcoded(text.unwrap_or_default()).into()
    }
}

#[cfg(test)]
mod tests;
