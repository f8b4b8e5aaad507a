//! A file to read: its path, its place below the root, and the form of addresses.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use findling_bundle::addresses::percent_decoded;

use super::Format;
use super::package::Package;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// The path relative to the root, with `/`.
    pub id: String,
    pub path: PathBuf,
    pub format: Format,
    /// The package of a dependency that it belongs to.
    pub package: Option<Arc<Package>>,
}

/// Returns a path below the root, with `/`.
pub(super) fn relative(path: &Path, root: Option<&Path>) -> String {
    let below = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
    let parts: Vec<_> = below
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        })
        .collect();
    parts.join("/")
}

/// Returns whether a pattern matches a path or a directory above it.
pub(super) fn matches_page(pattern: &str, path: &str) -> bool {
    let mut names = path.split('/');
    relative_pattern(pattern)
        .split('/')
        .all(|pattern| names.next().is_some_and(|name| matches_name(pattern, name)))
}

/// Returns a pattern in the form that paths have: `/old/`, `./old` and `old` are the same.
pub(super) fn relative_pattern(pattern: &str) -> &str {
    pattern.trim().trim_start_matches("./").trim_matches('/')
}

/// Returns whether a pattern matches a name; `*` matches any characters.
fn matches_name(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Returns the base URL and a path, joined with one slash.
pub fn join(base: &str, path: &str) -> String {
    let path = path.trim_start_matches('/');
    match base {
        "" => format!("/{path}"),
        base if base.ends_with('/') => format!("{base}{path}"),
        base => format!("{base}/{path}"),
    }
}

/// Escapes characters that a URL's path must not contain. Letters of all scripts are kept, because
/// browsers show them.
pub fn encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            ' ' | '"' | '<' | '>' | '`' | '#' | '?' | '%' | '{' | '}' | '\\' | '^' | '|' => {
                encoded.push_str(&format!("%{:02X}", c as u32))
            }
            c if c.is_control() => {
                let mut bytes = [0; 4];
                encoded
                    .extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")));
            }
            c => encoded.push(c),
        }
    }
    encoded
}

/// Returns the path that a relative reference leads to from the file at a path, without its
/// fragment. A reference that begins with `/` begins at the root.
pub(super) fn resolve(from: &str, reference: &str) -> String {
    let path = percent_decoded(reference.split('#').next().unwrap_or_default());
    let mut parts: Vec<&str> =
        if path.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    parts.pop();
    follow(&mut parts, &path);
    parts.join("/")
}

/// Goes from a directory, given by its names, along a relative path.
pub(super) fn follow<'a>(directory: &mut Vec<&'a str>, path: &'a str) {
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                directory.pop();
            }
            part => directory.push(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_as_browsers_do() {
        for (from, reference, expect) in [
            ("OEBPS/book.opf", "text/a%20b.xhtml#x", "OEBPS/text/a b.xhtml"),
            ("book.opf", "./a.xhtml", "a.xhtml"),
            ("a/b.opf", "../../c.xhtml", "c.xhtml"),
            ("guide/a.html", "/api/", "api"),
            ("guide/a.html", "..", ""),
        ] {
            assert_eq!(resolve(from, reference), expect, "{reference} in {from}");
        }
    }
}
