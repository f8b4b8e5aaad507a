//! Fields of front matter: some describe the page, others become attributes.

use findling_engine::BOOST;

use super::super::attributes::Raw;
use super::super::file::{self, File};
use super::super::jekyll;
use super::super::outline::fold;
use super::super::page_url;
use super::super::{Options, RawPage};
use super::asked_out;

/// Fields that describe how to render a page.
const PRESENTATION: [&str; 33] = [
    "audit",
    "bodyclass",
    "body_class",
    "canonical",
    "class",
    "css",
    "cssclass",
    "editurl",
    "editlink",
    "footer",
    "head",
    "hide_table_of_contents",
    "index",
    "js",
    "layout",
    "linktitle",
    "markup",
    "nav_order",
    "navbar",
    "next",
    "outline",
    "pagination_next",
    "pagination_prev",
    "prev",
    "redirect_from",
    "redirects",
    "sidebar",
    "sidebar_label",
    "sidebar_position",
    "slug",
    "template",
    "toc",
    "type",
];

/// Maximum number of keywords of a page that are taken.
const MAX_KEYWORDS: usize = 20;

/// Returns words by which a page should be found, from a list or a text with commas.
fn keywords(value: &serde_json::Value) -> impl Iterator<Item = String> {
    let words: Vec<String> = match value.as_str() {
        Some(text) => text.split([',', ';']).map(fold).collect(),
        None => names(value).collect(),
    };
    words.into_iter().filter(|word| !word.is_empty())
}

/// Fields that front pages show, in their order.
const FRONT_FIELDS: [&str; 11] = [
    "name",
    "title",
    "text",
    "heading",
    "subtitle",
    "tagline",
    "lead",
    "details",
    "description",
    "content",
    "summary",
];

/// Takes the texts of a front page's `hero` and `features`.
fn front_texts(name: &str, value: &serde_json::Value, raw: &mut RawPage) {
    let text = |value: &serde_json::Value, field: &str| {
        let text = value.get(field)?.as_str().map(fold)?;
        // Markup in a text is reduced to its text.
        let text = text.split('<').map(|part| part.split_once('>').map_or(part, |(_, rest)| rest));
        Some(fold(&text.collect::<Vec<_>>().join(" "))).filter(|text| !text.is_empty())
    };
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    for item in items {
        let texts: Vec<String> =
            FRONT_FIELDS.iter().filter_map(|field| text(item, field)).collect();
        if name == "hero" {
            raw.names.h1 = raw.names.h1.take().or_else(|| texts.first().cloned());
            raw.front.splice(0..0, texts);
        } else if !texts.is_empty() {
            raw.front.push(texts.join(": "));
        }
    }
}

/// Returns the names in a value, which is a text or a list of texts.
fn names(value: &serde_json::Value) -> impl Iterator<Item = String> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(scalar).map(|name| fold(&name)).filter(|name| !name.is_empty())
}

/// Takes title, language and address from front matter; other fields become attributes.
pub(crate) fn apply(
    fields: serde_json::Map<String, serde_json::Value>,
    file: &File,
    options: &Options,
    raw: &mut RawPage,
) -> Result<(), String> {
    use serde_json::Value;
    let mut slug = None;
    let mut address = None;
    raw.page.unmarked = true;
    for (name, value) in fields {
        if let Some(reason) = asked_out::reason(&name, &value) {
            return Err(reason);
        }
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "title" => {
                raw.names.explicit =
                    scalar(&value).map(|title| fold(&title)).filter(|title| !title.is_empty())
            }
            "lang" | "language" | "locale" => {
                if let Some(language) = value.as_str() {
                    raw.page.language = language.trim().replace('_', "-");
                }
            }
            // Some generators keep old addresses here, which are not names of the page.
            "aliases" => {
                raw.page.aliases = names(&value).filter(|name| !name.contains('/')).collect()
            }
            "hero" | "features" => front_texts(&lower, &value, raw),
            "search_pin" => raw.page.pins = names(&value).collect(),
            "search" if value.is_object() => {
                raw.page.pins.extend(value.get("pin").into_iter().flat_map(names));
                if let Some(boost) = value.get("boost").and_then(Raw::from_json) {
                    raw.attributes.insert(BOOST.to_owned(), boost);
                }
            }
            "url" | "permalink" => address = value.as_str().map(str::to_owned),
            "slug" => slug = scalar(&value),
            "description" | "summary" | "excerpt" | "image" | "thumbnail" => {
                if let Value::String(text) = &value {
                    raw.page.meta.push((name, fold(text)));
                }
            }
            "draft" | "published" | "search" | "pagefind" | "searchable" | "noindex"
            | "search_exclude" | "unlisted" | "headless" => {}
            other if PRESENTATION.contains(&other) => {}
            _ => {
                if matches!(lower.as_str(), "keywords" | "tags" | "keyword") {
                    raw.keywords.extend(keywords(&value).take(MAX_KEYWORDS));
                }
                if let Some(value) = Raw::from_json(&value) {
                    raw.attributes.insert(name, value);
                }
            }
        }
    }
    let address = address.map(|address| jekyll::filled_in(&address, file));
    // Only the generator can fill in the other placeholders of addresses (`/:categories/`).
    if let Some(address) = address.filter(|address| {
        !address.is_empty() && !address.contains([':', '{', '*']) || address.starts_with("http")
    }) {
        raw.page.url =
            if address.contains("://") { address } else { file::join(&options.base_url, &address) };
    } else if let Some(slug) = slug.filter(|slug| !slug.is_empty() && !slug.contains([':', '{'])) {
        raw.page.url = slugged(&slug, file, options);
    }
    Ok(())
}

fn scalar(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns the address of a page with a slug. The slug replaces the file's name; with a leading
/// slash it replaces the whole path.
fn slugged(slug: &str, file: &File, options: &Options) -> String {
    let path = if slug.starts_with('/') {
        slug.to_owned()
    } else {
        let directory = file.id.rsplit_once('/').map_or("", |(directory, _)| directory);
        format!("{directory}/{slug}")
    };
    // It is treated as a file's name, so that its URL is made like others.
    page_url::url(&format!("{}.md", path.trim_matches('/')), file.format, options)
}
