//! Addresses without `.html`, for sites whose own links and canonical addresses omit it.

use std::collections::HashSet;

use super::file::resolve;
use super::{Format, RawPage};

/// Counts of the site's own addresses with and without `.html`.
#[derive(Default)]
struct Votes {
    bare: usize,
    html: usize,
    /// Canonical addresses without `.html` that end with a slash.
    slashes: usize,
}

/// Removes `.html` from the addresses of a site whose own addresses omit it.
pub(super) fn clean(pages: &mut [&mut RawPage]) {
    let ids: HashSet<String> = pages.iter().map(|raw| raw.page.id.clone()).collect();
    let mut votes = Votes::default();
    let mut linked = (0usize, 0usize);
    for raw in pages.iter() {
        let Some(hints) = &raw.hints else { continue };
        if let Some((stem, canonical)) = stem(&raw.page.id).zip(hints.canonical.as_deref()) {
            match ending(canonical, stem) {
                Some("") => votes.bare += 1,
                Some("/") => votes.slashes += 1,
                Some(_) => votes.html += 1,
                None => {}
            }
        }
        let bare = hints.bare_links.iter().filter(|link| {
            let target = resolve(&raw.page.id, link);
            ids.contains(&format!("{target}.html")) && !ids.contains(&target)
        });
        linked.0 += bare.count();
        linked.1 += hints.n_html_links as usize;
    }
    let said = votes.bare + votes.slashes;
    let by_canonical = said > 0 && votes.html * 9 <= said;
    let by_links = votes.html == 0 && linked.0 > 0 && linked.1 * 9 <= linked.0;
    if !(by_canonical || said == 0 && by_links) {
        return;
    }
    let end = if votes.slashes > votes.bare { "/" } else { "" };
    for raw in pages.iter_mut().filter(|raw| raw.format == Some(Format::Html)) {
        if stem(&raw.page.id).is_some()
            && let Some(front) = raw.page.url.strip_suffix(".html")
        {
            raw.page.url = format!("{front}{end}");
        }
    }
}

/// Returns the path of a page without `.html`; `None` for the page of a directory.
fn stem(id: &str) -> Option<&str> {
    let stem = id.strip_suffix(".html")?;
    (stem != "index" && !stem.ends_with("/index")).then_some(stem)
}

/// Returns the part of an address that follows the page's path; `None` if the address does not end
/// with the page.
fn ending<'a>(canonical: &'a str, stem: &str) -> Option<&'a str> {
    let path = canonical.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let name = stem.rsplit('/').next().unwrap_or(stem);
    ["", "/", ".html"].into_iter().find_map(|end| {
        let front = path.strip_suffix(end)?;
        let is_page = front.ends_with(&format!("/{name}")) || front == name;
        is_page.then(|| &path[front.len()..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_name_of_a_page() {
        for (canonical, expect) in [
            ("https://example.org/guide/fees", Some("")),
            ("https://example.org/guide/fees/", Some("/")),
            ("https://example.org/guide/fees.html?x=1", Some(".html")),
            ("/guide/fees", Some("")),
            ("https://example.org/other", None),
        ] {
            assert_eq!(ending(canonical, "guide/fees"), expect, "{canonical}");
        }
    }
}
