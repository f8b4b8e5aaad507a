//! Words of a page's path, aliases and headings.

use findling_page::chunk::{ChunkedPage, ChunkedSection};
use findling_page::page::Page;

/// Returns the headings above a section's own, outermost first.
pub fn ancestors(page: &ChunkedPage, section: &ChunkedSection) -> String {
    let mut path = Vec::new();
    let mut at = section.parent;
    while let Some(parent) = at.and_then(|parent| page.sections.get(parent as usize)) {
        path.push(parent.heading.as_str());
        // Parents come before their children, so this loop ends.
        at = parent.parent.filter(|grandparent| Some(*grandparent) < at);
    }
    path.reverse();
    path.join(" ")
}

/// Returns the words of a page's path, and its aliases twice.
pub fn path_and_aliases(page: &Page) -> String {
    let mut words = path_words(&page.url);
    for _ in 0..2 {
        for alias in &page.aliases {
            words.push(' ');
            words.push_str(alias);
        }
    }
    words
}

/// Returns the last component of a URL's path, as words.
pub fn file_name(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let path = path.strip_suffix("/index.html").unwrap_or(path);
    let name = path_words(path.rsplit('/').next().unwrap_or_default());
    Some(name).filter(|name| name.contains(char::is_alphabetic))
}

/// Returns the words of a URL's path: without scheme, host, query, extension and `index`,
/// separators replaced by spaces.
fn path_words(url: &str) -> String {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => url,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut words = String::with_capacity(path.len());
    let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let stem = match part.rsplit_once('.') {
            Some((stem, extension)) if last && !stem.is_empty() && extension.len() <= 5 => stem,
            _ => part,
        };
        if last && stem.eq_ignore_ascii_case("index") {
            continue;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        // `_` and capitals stay: the analyzer splits identifiers and also keeps them whole.
        words.extend(stem.chars().map(|c| if c == '-' || c == '+' { ' ' } else { c }));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_split_into_words() {
        for (url, expect) in [
            ("/guide/getting-started.html", "guide getting started"),
            ("https://example.org/a/b/index.html?x=1#y", "a b"),
            ("/", ""),
            ("", ""),
            ("std/vec/struct.Vec.html", "std vec struct.Vec"),
            ("/v1.2/", "v1"),
            ("/v1.2/page", "v1.2 page"),
        ] {
            assert_eq!(path_words(url), expect, "{url}");
        }
    }
}
