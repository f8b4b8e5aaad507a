//! Languages in the names of files, in the form that Hugo and MkDocs use: `about.de.md` is the
//! German `about.md`, at `/de/about/`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Format, Options, RawPage, language, page_url};

/// A page whose name has a language.
struct Named {
    /// The index of the page in the list.
    at: usize,
    /// The path without the language.
    base: String,
    code: String,
}

/// Gives pages the language in their names, and the addresses that generators give them. A name has
/// a language if the same page also exists in another language, or without one.
pub(super) fn apply(pages: &mut [RawPage], options: &Options) {
    let is_markdown = |raw: &RawPage| raw.format == Some(Format::Markdown);
    let url = |id: &str| page_url::url(id, Format::Markdown, options);
    let named: Vec<Named> = pages
        .iter()
        .enumerate()
        .filter(|(_, raw)| is_markdown(raw))
        .filter_map(|(at, raw)| {
            let (base, code) = split(&raw.page.id)?;
            Some(Named { at, base, code })
        })
        .collect();
    if named.is_empty() {
        return;
    }
    let plain: BTreeSet<&str> = pages
        .iter()
        .filter(|raw| is_markdown(raw) && split(&raw.page.id).is_none())
        .map(|raw| raw.page.url.as_str())
        .collect();
    let mut bases: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for Named { base, code, .. } in &named {
        bases.entry(url(base)).or_default().insert(code);
    }
    let is_sure = |base: &str| {
        let base = url(base);
        plain.contains(base.as_str()) || bases.get(&base).is_some_and(|codes| codes.len() > 1)
    };
    let sure: BTreeSet<&str> = named
        .iter()
        .filter(|named| is_sure(&named.base))
        .map(|named| named.code.as_str())
        .collect();
    let has_plain = bases.keys().any(|base| plain.contains(base.as_str()));
    let main = if has_plain { None } else { most(&named) };
    let mut changed: Vec<(usize, String, String)> = Vec::new();
    for Named { at, base, code } in &named {
        if !sure.contains(code.as_str()) {
            continue;
        }
        let is_main = main.as_deref() == Some(code);
        let path = if is_main { base.clone() } else { format!("{code}/{base}") };
        changed.push((*at, code.clone(), url(&path)));
    }
    for (at, code, address) in changed {
        let raw = &mut pages[at];
        // An address that the author set is not changed.
        if raw.page.url == url(&raw.page.id) {
            raw.page.url = address;
        }
        if raw.page.language.is_empty() {
            raw.page.language = code;
        }
    }
}

/// Returns the path without the language in its name, and the language.
fn split(id: &str) -> Option<(String, String)> {
    let (stem, end) = id.rsplit_once('.')?;
    let (base, name) = stem.rsplit_once('.')?;
    let code = language::code(name).filter(|_| name.len() <= 7)?;
    let is_name = !base.is_empty() && !base.ends_with('/');
    is_name.then(|| (format!("{base}.{end}"), code))
}

/// Returns the language of most pages. If several languages have equally many pages, returns
/// English if it is one of them.
fn most(named: &[Named]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for Named { code, .. } in named {
        *counts.entry(code).or_default() += 1;
    }
    let best = counts.into_iter().max_by_key(|(code, n)| (*n, *code == "en"));
    best.map(|(code, _)| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(ids: &[&str]) -> Vec<String> {
        let options = Options::default();
        let page = |id: &&str| {
            let mut raw = RawPage { format: Some(Format::Markdown), ..RawPage::default() };
            raw.page.id = (*id).to_owned();
            raw.page.url = page_url::url(id, Format::Markdown, &options);
            raw
        };
        let mut pages: Vec<RawPage> = ids.iter().map(page).collect();
        apply(&mut pages, &options);
        let said = |raw: RawPage| format!("{} {}", raw.page.url, raw.page.language);
        pages.into_iter().map(said).collect()
    }

    #[test]
    fn a_language_in_a_name_is_that_of_the_page() {
        assert_eq!(
            addresses(&["about.md", "about.de.md", "a/_index.fr.md", "a/index.md", "a/x.pt-br.md"]),
            ["/about/ ", "/de/about/ de", "/fr/a/ fr", "/a/ ", "/a/x.pt-br/ "]
        );
        assert_eq!(addresses(&["a.en.md", "a.de.md"]), ["/a/ en", "/de/a/ de"]);
    }

    #[test]
    fn other_ends_of_names_are_none() {
        for id in ["next.js.md", "README.md", "v1.2.md", "it.md", "this.is.md"] {
            assert!(addresses(&[id])[0].ends_with(' '), "{id}");
        }
    }
}
