//! Fields of front matter: which describe the page, and which become attributes.

use findling_engine::BOOST;

use super::super::attributes::Raw;
use super::super::files::{self, File};
use super::super::outline::fold;
use super::super::{Options, RawPage};

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

/// One text or a list of them.
fn names(value: &serde_json::Value) -> impl Iterator<Item = String> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(scalar).map(|name| fold(&name)).filter(|name| !name.is_empty())
}

/// Takes title, language and address from front matter; other fields become attributes.
pub(in crate::sources) fn apply(
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
        let lower = name.to_ascii_lowercase();
        let is = |wanted: bool| {
            value.as_bool() == Some(wanted)
                || value.as_str() == Some(if wanted { "true" } else { "false" })
        };
        match lower.as_str() {
            "draft" if is(true) => return Err("a draft".to_owned()),
            "published" if is(false) => return Err("not published".to_owned()),
            "search" | "pagefind" | "searchable" if is(false) => {
                return Err(format!("asks not to be searched ({name}: false)"));
            }
            "noindex" | "search_exclude" | "unlisted" if is(true) => {
                return Err(format!("asks not to be searched ({name}: true)"));
            }
            "headless" if is(true) => {
                return Err("is not a page by itself (headless: true)".to_owned());
            }
            "title" => {
                raw.names.explicit =
                    scalar(&value).map(|title| fold(&title)).filter(|title| !title.is_empty())
            }
            "lang" | "language" | "locale" => {
                if let Some(language) = value.as_str() {
                    raw.page.language = language.trim().replace('_', "-");
                }
            }
            // Some generators keep old addresses here, which are no names of the page.
            "aliases" => {
                raw.page.aliases = names(&value).filter(|name| !name.contains('/')).collect()
            }
            "search_pin" => raw.page.pins = names(&value).collect(),
            "search" if value.is_object() => {
                if value["exclude"] == true {
                    return Err(format!("asks not to be searched ({name}: exclude: true)"));
                }
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
                if let Some(value) = Raw::from_json(&value) {
                    raw.attributes.insert(name, value);
                }
            }
        }
    }
    // Only the generator can fill in addresses with placeholders (`/:year/:title/`).
    if let Some(address) = address.filter(|address| {
        !address.is_empty() && !address.contains([':', '{', '*']) || address.starts_with("http")
    }) {
        raw.page.url = if address.contains("://") {
            address
        } else {
            files::join(&options.base_url, &address)
        };
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

/// A slug replaces the file's name; with a leading slash it replaces the whole path.
fn slugged(slug: &str, file: &File, options: &Options) -> String {
    let path = if slug.starts_with('/') {
        slug.to_owned()
    } else {
        let directory = file.id.rsplit_once('/').map_or("", |(directory, _)| directory);
        format!("{directory}/{slug}")
    };
    // Treated as a file's name, so that its URL is made like others.
    files::url(&format!("{}.md", path.trim_matches('/')), file.format, options)
}
