//! Pages that show a description by a script: which script, which description, and the anchor that
//! the script gives to an operation.
//!
//! The anchors follow Redoc 2.5, Swagger UI 5, Scalar 1, RapiDoc 9 and Stoplight Elements 9, read
//! from their pages in a browser.

use scraper::{ElementRef, Html};
use serde_json::Value;

use super::model::Operation;
use super::text::slug;

/// A script that shows descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Viewer {
    Redoc,
    /// Swagger UI. It has anchors only if the page asks for them.
    SwaggerUi {
        deep_links: bool,
    },
    Scalar,
    RapiDoc,
    Elements,
}

/// A description that a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The address of the description.
    At(String),
    /// The description itself, as JSON.
    Inline(String),
}

/// Names of the functions of scripts that show a description, before its options.
const CALLS: [(&str, Viewer); 4] = [
    ("SwaggerUIBundle(", Viewer::SwaggerUi { deep_links: false }),
    ("SwaggerUI(", Viewer::SwaggerUi { deep_links: false }),
    ("Redoc.init(", Viewer::Redoc),
    ("createApiReference(", Viewer::Scalar),
];

/// Maximum number of descriptions of a page. Swagger UI can have a menu of them.
const MAX_SHOWN: usize = 20;

/// Returns the descriptions that a page shows by a script. `look` returns the text of a file by its
/// address: Swagger UI has its options in a script of their own.
pub(super) fn find(html: &Html, look: &dyn Fn(&str) -> Option<String>) -> Vec<(Viewer, Shown)> {
    let mut found = Vec::new();
    let elements = html.root_element().descendants().filter_map(ElementRef::wrap);
    for element in elements {
        let attr = |name: &str| element.value().attr(name).filter(|value| !value.is_empty());
        let (viewer, address) = match element.value().name() {
            "redoc" => (Viewer::Redoc, attr("spec-url")),
            "rapi-doc" => (Viewer::RapiDoc, attr("spec-url")),
            "elements-api" => (Viewer::Elements, attr("apidescriptionurl")),
            "script" if attr("id") == Some("api-reference") => {
                let inline = element.text().collect::<String>();
                if inline.trim_start().starts_with('{') {
                    found.push((Viewer::Scalar, Shown::Inline(inline)));
                }
                (Viewer::Scalar, attr("data-url"))
            }
            "script" => {
                match attr("src") {
                    Some(src) if src.contains("swagger-initializer") => {
                        found.extend(look(src).iter().flat_map(|script| in_script(script)));
                    }
                    Some(_) => {}
                    None => found.extend(in_script(&element.text().collect::<String>())),
                }
                continue;
            }
            _ => continue,
        };
        found.extend(address.map(|address| (viewer, Shown::At(address.to_owned()))));
    }
    found.truncate(MAX_SHOWN);
    found
}

/// Returns the descriptions that a script shows.
fn in_script(script: &str) -> Vec<(Viewer, Shown)> {
    let mut found = Vec::new();
    for (call, viewer) in CALLS {
        let Some((_, options)) = script.split_once(call) else { continue };
        let viewer = match viewer {
            Viewer::SwaggerUi { .. } => {
                let value = value_of(options, "deepLinking").unwrap_or_default();
                Viewer::SwaggerUi { deep_links: value.starts_with("true") }
            }
            other => other,
        };
        if viewer == Viewer::Redoc {
            // The first argument is an address or the description itself.
            found.extend(shown_at(options.trim_start()).map(|shown| (viewer, shown)));
            continue;
        }
        for key in ["spec", "content"] {
            let inline = value_of(options, key).and_then(object_at);
            found.extend(inline.map(|json| (viewer, Shown::Inline(json))));
        }
        let mut rest = options;
        while let Some(value) = value_of(rest, "url") {
            found.extend(string_at(value).map(|address| (viewer, Shown::At(address))));
            rest = value;
        }
    }
    found.dedup();
    found
}

fn shown_at(value: &str) -> Option<Shown> {
    string_at(value).map(Shown::At).or_else(|| object_at(value).map(Shown::Inline))
}

/// Returns a script from the value of a key of an object on.
fn value_of<'a>(script: &'a str, key: &str) -> Option<&'a str> {
    script.match_indices(key).find_map(|(at, _)| {
        let before = script[..at].chars().next_back();
        let is_whole = before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
        let rest = script[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        rest.strip_prefix(':').filter(|_| is_whole).map(str::trim_start)
    })
}

/// Returns the string at the beginning of a script. Addresses have no escapes.
fn string_at(script: &str) -> Option<String> {
    let quote = script.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let (text, _) = script[1..].split_once(quote)?;
    (!text.is_empty() && !text.contains(['\\', '\n', '$'])).then(|| text.to_owned())
}

/// Returns the JSON object at the beginning of a script.
fn object_at(script: &str) -> Option<String> {
    let mut values = serde_json::Deserializer::from_str(script).into_iter::<Value>();
    let value = values.next()?.ok().filter(Value::is_object)?;
    Some(value.to_string())
}

impl Viewer {
    /// Returns whether it shows the named types.
    pub fn shows_types(self) -> bool {
        matches!(self, Viewer::SwaggerUi { .. } | Viewer::Scalar | Viewer::Elements)
    }

    /// Returns the anchor of a heading within the description of the interface.
    pub fn heading(self, heading: &str) -> Option<String> {
        match self {
            Viewer::Redoc => Some(format!("section/{}", dashed(heading))),
            Viewer::Scalar => Some(format!("description/{}", slug(heading))),
            Viewer::RapiDoc => Some(slug(heading)),
            Viewer::SwaggerUi { .. } | Viewer::Elements => None,
        }
    }

    /// Returns the anchor of a group of operations.
    pub fn group(self, name: &str) -> Option<String> {
        match self {
            Viewer::Redoc => Some(format!("tag/{}", dashed(name))),
            Viewer::SwaggerUi { deep_links } => deep_links.then(|| format!("/{}", component(name))),
            Viewer::Scalar => Some(format!("tag/{}", slug(name))),
            Viewer::RapiDoc => Some(format!("tag--{}", dashed(name))),
            Viewer::Elements => None,
        }
    }

    /// Returns the anchor of an operation. `group` is empty for operations without a tag.
    pub fn operation(self, group: &str, operation: &Operation) -> Option<String> {
        let Operation { id, method, path, .. } = operation;
        let of_group = |anchor: String| match self.group(group).filter(|_| !group.is_empty()) {
            Some(group) => format!("{group}/{anchor}"),
            None => anchor,
        };
        Some(match self {
            Viewer::Redoc => match id {
                Some(id) => of_group(format!("operation/{id}")),
                None => {
                    let pointer = path.replace('~', "~0").replace('/', "~1");
                    let anchor = of_group(format!("paths/{pointer}/{method}"));
                    if group.is_empty() { format!("/{anchor}") } else { anchor }
                }
            },
            Viewer::SwaggerUi { deep_links: false } => return None,
            Viewer::SwaggerUi { deep_links: true } => {
                let group = if group.is_empty() { "default" } else { group };
                let made = || {
                    let path = path.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
                    format!("{method}{path}")
                };
                let id = id.clone().unwrap_or_else(made);
                format!("/{}/{}", component(group), component(&id))
            }
            Viewer::Scalar => of_group(format!("{}{path}", method.to_uppercase())),
            Viewer::RapiDoc => {
                let invalid = |c: char| {
                    c.is_whitespace() || matches!(c, '#' | ':' | '?' | '&' | '=' | '{' | '}')
                };
                format!("{method}-{}", path.replace(invalid, "-"))
            }
            Viewer::Elements => match id {
                Some(id) => format!("/operations/{}", component(id)),
                None => {
                    let names = path.split(|c: char| !c.is_alphanumeric() && c != '_');
                    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
                    format!("/paths/{}/{method}", names.join("-"))
                }
            },
        })
    }

    /// Returns the anchor of a named type.
    pub fn named_type(self, name: &str) -> Option<String> {
        match self {
            Viewer::Scalar => Some(format!("model/{}", slug(name))),
            Viewer::Elements => Some(format!("/schemas/{}", component(name))),
            Viewer::Redoc | Viewer::SwaggerUi { .. } | Viewer::RapiDoc => None,
        }
    }
}

/// Returns a name with `-` for white space.
fn dashed(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Escapes a part of a path as `encodeURIComponent` does.
fn component(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
